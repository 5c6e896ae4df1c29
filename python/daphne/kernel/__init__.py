# SPDX-License-Identifier: Apache-2.0
"""A kernel of Jupyter for DaphneDSL.

    python -m daphne.kernel install
    jupyter lab
"""
