# SPDX-License-Identifier: Apache-2.0
"""Loops whose body runs at least once."""
from __future__ import annotations

from .while_loop import WhileLoop


class DoWhileLoop(WhileLoop):
    """A loop whose condition is checked after each turn."""
    _BODY_FIRST = True
    _NAME = 'do_while_loop'
