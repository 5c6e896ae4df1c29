# SPDX-License-Identifier: Apache-2.0
"""Codes of value types, as `receiveFromNumpy` and older scripts know them."""

SI8 = 0
SI32 = 1
SI64 = 2
UI8 = 3
UI32 = 4
UI64 = 5
F32 = 6
F64 = 7
STR = 8
