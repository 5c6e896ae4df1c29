# SPDX-License-Identifier: Apache-2.0
"""The engine in this process: libdaphne.so through ctypes. Nothing of it is loaded before the first computation."""
