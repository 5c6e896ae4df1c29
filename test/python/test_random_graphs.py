# SPDX-License-Identifier: Apache-2.0
"""Random graphs against numpy: dense and sparse, all value types, views with strides, empty shapes. The number of graphs is
that of run.py --graphs; a graph that differs is shown with the seed it was made from."""
import os

import numpy as np
from support import Case

try:
    import scipy.sparse
except ImportError:
    scipy = None

GRAPHS = int(os.environ.get('DAPHNE_TEST_GRAPHS', '300'))
SEED = int(os.environ.get('DAPHNE_TEST_SEED', '1'))
DTYPES = ('float64', 'float32', 'int64', 'int32', 'int8', 'uint64', 'uint32', 'uint8', 'bool')
ORDER = ('bool', 'int8', 'uint8', 'int32', 'uint32', 'int64', 'uint64', 'float32', 'float64')


def promoted(*dtypes):
    """The most general type of the language; two truth values become integers."""
    names = [np.dtype(one).name for one in dtypes]
    common = max(names, key=ORDER.index)
    return np.dtype('int64') if common == 'bool' else np.dtype(common)


class Graph:
    """Pairs of a node and the array it stands for."""

    def __init__(self, dc, seed):
        self.dc = dc
        self.rng = np.random.default_rng(seed)
        self.steps = []
        self.pool = []

    def pick(self, options):
        return options[self.rng.integers(len(options))]

    def note(self, text):
        self.steps.append(text)

    def leaf(self, shape=None, dtype=None):
        """Data in some layout."""
        rng = self.rng
        rows, cols = shape or (int(self.pick([0, 1, 1, 2, 3, 5, 8, 30])), int(self.pick([0, 1, 1, 2, 3, 4, 7])))
        dtype = np.dtype(dtype or self.pick(DTYPES))
        if dtype == bool:
            base = rng.random((2 * rows + 1, 2 * cols + 1)) < 0.5
        elif dtype.kind == 'f':
            # quarters: sums are exact in any order
            base = (rng.integers(-40, 40, (2 * rows + 1, 2 * cols + 1)) / 4).astype(dtype)
        else:
            base = rng.integers(0 if dtype.kind == 'u' else -9, 10, (2 * rows + 1, 2 * cols + 1)).astype(dtype)
        layout = self.pick(['plain', 'strided', 'columns', 'fortran', 'reversed', 'window', 'sparse'])
        array = {'plain': lambda: base[:rows, :cols].copy(), 'strided': lambda: base[:2 * rows:2, :2 * cols:2],
                 'columns': lambda: base[:rows, 1:cols + 1], 'fortran': lambda: np.asfortranarray(base[:rows, :cols]),
                 'reversed': lambda: base[:rows, :cols][::-1, ::-1], 'window': lambda: base[1:rows + 1, :cols],
                 'sparse': lambda: np.where(rng.random((rows, cols)) < 0.7, np.zeros((), dtype), base[:rows, :cols])}[layout]()
        if layout == 'sparse' and scipy is not None and dtype != bool:
            kind = self.pick(['csr', 'csc', 'coo'])
            self.note(f'{kind} {array.shape} {dtype}')
            return self.dc.from_scipy(getattr(scipy.sparse, f'{kind}_matrix')(array)), array
        self.note(f'{layout} {array.shape} {dtype}')
        return self.dc.from_numpy(array), array

    def some(self):
        if not self.pool or self.rng.random() < 0.3:
            self.pool.append(self.leaf())
        return self.pick(self.pool)

    def fitting(self, array):
        """A second operand: a number, or a matrix that can be broadcast."""
        rows, cols = array.shape
        if self.rng.random() < 0.35:
            number = self.pick([2, -3, 0.5, True, 7, np.float32(1.5), np.int8(3)])
            self.note(f'number {number!r}')
            return number, np.asarray(number)
        shape = self.pick([(rows, cols), (rows, cols), (1, cols), (rows, 1), (1, 1)])
        same = [one for one in self.pool if one[1].shape == shape]
        return self.pick(same) if same and self.rng.random() < 0.5 else self.leaf(shape)

    # ---- operations: each takes and returns (node, array)

    def binary(self):
        node, array = self.some()
        other, right = self.fitting(array)
        name = self.pick(['+', '-', '*', 'max', 'min', '<', '>=', '==', '&', '|', 'r+', 'r-', 'r*', '//', '%'])
        self.note(name)
        type_ = promoted(array.dtype, right.dtype)
        plain_type = np.dtype(max((array.dtype.name, right.dtype.name), key=ORDER.index))
        a, b = array.astype(type_), right.astype(type_)
        if name in ('//', '%'):
            b = np.where(b == 0, np.ones((), type_), b)
            other = b if b.ndim else b[()]
            node, other = (node, self.dc.from_numpy(b)) if b.ndim else (node, b[()])
            if name == '//':
                return node // other, np.floor_divide(a, b).astype(type_)
            return node % other, np.fmod(a, b).astype(type_)
        functions = {'+': lambda x, y: x + y, '-': lambda x, y: x - y, '*': lambda x, y: x * y, '<': lambda x, y: x < y,
                     '>=': lambda x, y: x >= y, '==': lambda x, y: x == y, '&': lambda x, y: x & y, '|': lambda x, y: x | y}
        with np.errstate(all='ignore'):
            if name in ('max', 'min'):
                found = getattr(node, name)(other)
                wide = (np.maximum if name == 'max' else np.minimum)(array.astype(plain_type), right.astype(plain_type))
                return found, wide
            if name in ('<', '>=', '=='):
                wide = plain_type if plain_type != bool else np.dtype(bool)
                return functions[name](node, other), functions[name](array.astype(plain_type), right.astype(plain_type)).astype(wide)
            if name in '&|':
                truth = functions[name](array != 0, right != 0)
                wide = plain_type if plain_type.kind != 'f' else np.dtype('uint64')
                return functions[name](node, other), truth.astype(wide)
            if name[0] == 'r':
                return functions[name[1]](other, node), functions[name[1]](b, a)
            return functions[name](node, other), functions[name](a, b)

    def unary(self):
        node, array = self.some()
        name = self.pick(['neg', 'abs', 'floor', 'sign', 'round', 'sqrt', 'isNan', 'not'])
        self.note(name)
        if name == 'neg':
            return -node, -array.astype(promoted(array.dtype))
        if name == 'abs':
            return abs(node), np.abs(array)
        if name == 'floor':
            return node.floor(), np.floor(array) if array.dtype.kind == 'f' else array
        if name == 'sign':
            return node.sign(), np.sign(array) if array.dtype != bool else array
        if name == 'round':
            half_away = np.sign(array) * np.floor(np.abs(array) + array.dtype.type(0.5)) if array.dtype.kind == 'f' else array
            return node.round(), half_away
        if name == 'sqrt':
            target = 'f32' if array.dtype == np.float32 else 'f64'
            return (abs(node).asType(vtype=target)).sqrt(), np.sqrt(np.abs(array.astype(np.float32 if target == 'f32' else float)))
        if name == 'isNan':
            return node.isNan(), np.isnan(array).astype(array.dtype) if array.dtype.kind == 'f' else np.zeros_like(array)
        return ~node, (array == 0).astype(np.int64 if array.dtype == bool else promoted(array.dtype, np.int64))

    def reorganised(self):
        node, array = self.some()
        name = self.pick(['t', 'reverse', 'rbind', 'cbind', 'reshape', 'slice', 'step', 'positions', 'mask'])
        self.note(name)
        rows, cols = array.shape
        if name == 't':
            return node.t(), array.T
        if name == 'reverse':
            return node.reverse(), array[::-1]
        if name in ('rbind', 'cbind'):
            return getattr(node, name)(node), (np.vstack if name == 'rbind' else np.hstack)([array, array])
        if name == 'reshape':
            return node.reshape(cols, rows), array.reshape(cols, rows)
        if name in ('slice', 'step'):
            bounds = [None if self.rng.random() < 0.3 else int(self.rng.integers(-rows - 1, rows + 2)) for _ in range(2)]
            index = slice(*bounds, None if name == 'slice' else int(self.pick([2, 3, -1, -2])))
            self.note(str(index))
            return node[index, :], array[index, :]
        if name == 'positions':
            at = self.rng.integers(-cols, cols, 3).tolist() if cols else []
            return node[:, at], array[:, at]
        marks = self.rng.random(rows) < 0.5
        return node[marks, :], array[marks, :]

    def aggregated(self):
        node, array = self.some()
        name = self.pick(['sum', 'aggMin', 'aggMax', 'mean', 'cumSum', 'cumMax', 'idxMin'])
        axis = int(self.rng.integers(2))
        self.note(f'{name} {axis}')
        numpy_axis = 1 - axis
        wide = array.astype(np.int64) if array.dtype.name in ('bool', 'int8', 'uint8', 'int32', 'uint32') else array
        if name == 'sum':
            return node.sum(axis), wide.sum(numpy_axis, keepdims=True)
        if name == 'cumSum':
            return node.cumSum(), wide.cumsum(0).astype(wide.dtype)
        if array.size == 0:
            return node, array
        if name == 'cumMax':
            return node.cumMax(), np.maximum.accumulate(array, 0)
        if name == 'mean':
            return node.mean(axis), array.astype(float).mean(numpy_axis, keepdims=True).astype(
                np.float32 if array.dtype == np.float32 else float)
        if name == 'idxMin':
            # positions have a type of their own, which numpy does not tell from ui64
            at = array.argmin(numpy_axis).astype(np.int64).reshape((-1, 1) if axis == 0 else (1, -1))
            return node.idxMin(axis).asType(vtype='si64'), at
        return getattr(node, name)(axis), (np.min if name == 'aggMin' else np.max)(array, numpy_axis, keepdims=True)

    def product(self):
        node, array = self.some()
        other, right = self.leaf((array.shape[1], int(self.pick([1, 2, 5]))), self.pick(['float64', 'int64']))
        self.note('@')
        type_ = promoted(array.dtype, right.dtype)
        with np.errstate(all='ignore'):
            return node @ other, array.astype(type_) @ right.astype(type_)

    def replaced(self):
        node, array = self.some()
        rows, cols = array.shape
        if rows == 0 or cols == 0 or array.dtype == bool:
            return node, array
        node, array = node.copy(), array.copy()
        row = int(self.rng.integers(rows))
        self.note(f'[{row}, :] = 1')
        node[row, :] = array.dtype.type(1)
        array[row, :] = 1
        return node, array

    def step(self):
        made = self.pick([self.binary, self.binary, self.unary, self.reorganised, self.reorganised, self.aggregated,
                          self.product, self.replaced])()
        # Values that grow without limit say nothing.
        if made[1].size and made[1].dtype.kind == 'f' and not np.all(np.abs(made[1]) < 1e6):
            return
        if made[1].size and made[1].dtype.kind in 'iu' and np.abs(made[1].astype(float)).max() > 2**40:
            return
        self.pool.append(made)


class RandomGraphs(Case):
    def test_graphs(self):
        import daphne as dp
        for seed in range(SEED * 1_000_000, SEED * 1_000_000 + GRAPHS):
            graph = Graph(self.dc, seed)
            for _ in range(int(graph.rng.integers(2, 9))):
                graph.step()
            if not graph.pool:
                continue
            nodes = graph.pool[-3:]
            told = f'seed {seed}: {"; ".join(graph.steps)}'
            try:
                results = dp.compute(*(node for node, _ in nodes))
            except dp.DaphneError as error:
                raise AssertionError(f'{told}\n{error}') from None
            for found, (node, expected) in zip(results, nodes):
                self.assertEqual(found.shape, expected.shape, told)
                self.assertEqual(found.dtype, expected.dtype, told + f'\n{node.to_dsl()}')
                if expected.dtype == np.float32:
                    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5, err_msg=told)
                elif expected.dtype.kind == 'f':
                    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11, err_msg=told)
                else:
                    np.testing.assert_array_equal(found, expected, err_msg=told + f'\n{node.to_dsl()}')
