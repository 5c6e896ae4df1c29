# SPDX-License-Identifier: Apache-2.0
"""Data of other libraries as inputs of programs, and results as objects of those libraries. Each library is imported by
its own module, when data of it is met."""
