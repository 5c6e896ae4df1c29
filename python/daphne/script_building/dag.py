# SPDX-License-Identifier: Apache-2.0
"""What a node of the graph is to whoever walks it: its inputs, and what it yields."""
from __future__ import annotations

from enum import Enum, auto
from typing import Any, Dict, List, Optional


class OutputType(Enum):
    """What a node yields."""
    MATRIX = auto()
    NONE = auto()
    SCALAR = auto()
    FRAME = auto()
    MULTI_RETURN = auto()
    LIST = auto()

    @staticmethod
    def from_str(name: Optional[str]) -> 'OutputType':
        """The member of this name in any case; NONE for None."""
        if name is None:
            return OutputType.NONE
        try:
            return OutputType[name.upper()]
        except KeyError:
            raise ValueError(f'there is no output type {name!r}; those there are: '
                             f'{", ".join(member.name for member in OutputType)}') from None


class DAGNode:
    """A step of a computation that has not been done yet."""
    _unnamed_input_nodes: List[Any]
    _named_input_nodes: Dict[str, Any]
    _output_type: OutputType
    _is_python_local_data: bool
    _daphnedsl_name: str

    @property
    def unnamed_input_nodes(self) -> List[Any]:
        """Operands by position: nodes, Python values, or text in DaphneDSL."""
        return self._unnamed_input_nodes

    @property
    def named_input_nodes(self) -> Dict[str, Any]:
        """Operands by name."""
        return self._named_input_nodes

    @property
    def output_type(self) -> OutputType:
        """What the node yields."""
        return self._output_type

    @property
    def is_python_local_data(self) -> bool:
        """Whether the node stands for data of this process."""
        return self._is_python_local_data

    @property
    def daphnedsl_name(self) -> str:
        """The variable of the program this node was last written into; empty before."""
        return self._daphnedsl_name
