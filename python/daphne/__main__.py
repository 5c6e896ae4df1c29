# SPDX-License-Identifier: Apache-2.0
"""python -m daphne script.daph"""
from daphne._program import main

main()
