# SPDX-License-Identifier: Apache-2.0
"""Where graphs begin: data comes in, matrices are generated, files are read, loops are built."""
from __future__ import annotations

from typing import Any, Dict, Optional, Sequence, Union

from .. import _config
from .._graph.literals import is_number
from .._graph.step import SCALAR, Step
from ..operator.nodes.scalar import Scalar
from ..operator.operation_node import OperationNode
from .control_flow import ControlFlow
from .data_import import DataImport
from .files import Files
from .generation import Generation
from .queries import Queries
from .scripts import Scripts


class DaphneContext(DataImport, Generation, Files, Queries, ControlFlow, Scripts):
    """Makes nodes, and holds the options their computations run with. Contexts are independent of one another and may be used
    by several threads.

    `config` is a dict of options, or the name of a JSON file with them; `args` are the same as on the command line.
    """

    def __init__(self, config: Union[Dict[str, Any], str, None] = None, *, num_threads: Optional[int] = None,
                 args: Optional[Sequence[str]] = None, name: Optional[str] = None) -> None:
        self.config: Dict[str, Any] = {**_config.read(config), **_config.of_arguments(args)}
        if num_threads is not None:
            self.config['num-threads'] = num_threads
        self.sparse_results = _config.taken(self.config, 'sparse_results', bool)
        self.name = name
        self._views: Dict[str, Step] = {}

    def __repr__(self) -> str:
        facts = [repr(self.name)] if self.name else []
        if self.config:
            facts.append(repr(self.config))
        return f'DaphneContext({", ".join(facts)})'

    def __enter__(self) -> 'DaphneContext':
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def close(self) -> None:
        """Forgets registered tables and compiled programs. The context can still be used."""
        from .._engine.engine import forget
        self._views.clear()
        forget(self._settings(None, None))

    def version(self) -> str:
        """Of the engine."""
        from .._engine import library
        return str(library.load().daphne_version().decode())

    def device_info(self) -> Dict[str, Any]:
        """What computations of this context run on."""
        from .._engine.engine import engine_for
        return engine_for(self._settings(None, None)).devices()

    def _settings(self, config: Optional[Dict[str, Any]], args: Optional[Sequence[str]]) -> Dict[str, Any]:
        """Options of the engine: of the call before those of the context, the process and the environment."""
        return _config.merged(self.config, {**(config or {}), **_config.of_arguments(args)})

    def _operand(self, value: Any) -> Any:
        """A step, a number, or text in DaphneDSL. Data of other libraries is imported."""
        if isinstance(value, OperationNode):
            return value._step
        if isinstance(value, (str, Step)) or is_number(value):
            return value
        if value is None:
            raise TypeError('None is no operand')
        return self.asarray(value)._step

    # ---- logic

    def logical_and(self, left: Any, right: Any) -> Scalar:
        """Whether both are true; the second is computed only if the first is."""
        return self._made(SCALAR, '&&', left, right, form='{0} && {1}')

    def logical_or(self, left: Any, right: Any) -> Scalar:
        """Whether one of them is true; the second is computed only if the first is not."""
        return self._made(SCALAR, '||', left, right, form='{0} || {1}')

    def logical_not(self, value: Any) -> Scalar:
        """Whether it is not true."""
        return self._made(SCALAR, '!', value, form='!{0}')
