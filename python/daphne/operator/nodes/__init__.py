# SPDX-License-Identifier: Apache-2.0
"""What users hold: matrices, frames, scalars and lists that are not computed yet."""
from __future__ import annotations

from typing import Any, Optional


def handle_of(step: Any, context: Any = None) -> Optional[Any]:
    """An object of the user for a step; None for steps that no object stands for."""
    from ..._graph import step as steps
    from .frame import Frame
    from .list import List
    from .matrix import Matrix
    from .scalar import Scalar
    from ..operation_node import OperationNode
    classes = {steps.MATRIX: Matrix, steps.FRAME: Frame, steps.SCALAR: Scalar, steps.LIST: List, steps.NONE: OperationNode}
    kind = classes.get(step.kind)
    return None if kind is None else kind._of(context, step)
