# SPDX-License-Identifier: Apache-2.0
"""Tables and plots of values and nodes in notebooks."""
import re
import time
import unittest
import xml.etree.ElementTree as ElementTree

import numpy as np
from support import needs
from daphne._display import plots
from daphne._display.cells import DenseCells, SparseCells, Table
from daphne._display.tables import cell_text
from daphne._display.values import html_of_frame, html_of_matrix


def dense(array, type='f64'):
    return DenseCells(np.asarray(array), type)


def texts(cells):
    column = np.empty((len(cells), 1), dtype=object)
    column[:, 0] = cells
    return DenseCells(column, 'str')


def sparse(array):
    rows, columns = np.nonzero(array)
    offsets = np.concatenate([[0], np.cumsum((array != 0).sum(1))])
    return SparseCells(*array.shape, 'f64', offsets, columns.astype(np.int32), array[rows, columns])


def grid(html):
    """The cells of the table, row by row."""
    rows = re.findall(r'<tr>(.*?)</tr>', html)
    return [[re.sub(r'<[^>]*>', '', cell) for cell in re.findall(r'<t[hd][^>]*>(.*?)</t[hd]>', row)] for row in rows]


def svg_of(html):
    """The plot; fails if it is no XML."""
    return ElementTree.fromstring(re.search(r'<svg.*?</svg>', html, re.DOTALL).group())


class Tables(unittest.TestCase):
    def test_small_matrices_are_shown_completely(self):
        html = html_of_matrix(dense([[1.5, -20.0], [0.25, float('nan')]]))
        self.assertEqual(grid(html), [['', '0', '1'], ['0', '1.5', '-20'], ['1', '0.25', 'nan']])
        self.assertIn('2x2 matrix, f64', html)

    def test_of_larger_ones_both_ends_are_shown(self):
        rows = grid(html_of_matrix(dense(np.arange(1300).reshape(100, 13), 'si64')))
        self.assertEqual(rows[0][1:], [*map(str, range(6)), '…', *map(str, range(7, 13))])
        self.assertEqual([row[0] for row in rows[1:]], ['0', '1', '2', '3', '4', '⋮', '95', '96', '97', '98', '99'])
        self.assertEqual(rows[6][1], '90 more rows')
        self.assertEqual(rows[-1][-1], '1299')
        self.assertEqual(len(grid(html_of_matrix(dense(np.zeros((10, 12)))))), 11)

    def test_frames_have_labels_and_types(self):
        frame = Table(['id', '<b>'], [dense([[1], [2]], 'si64'), texts(['pen & ink', 'a\nb'])], 2)
        html = html_of_frame(frame)
        self.assertEqual(grid(html), [['', 'idsi64', '&lt;b&gt;str'], ['0', '1', 'pen &amp; ink'], ['1', '2', 'a\\nb']])
        self.assertIn('2x2 frame', html)

    def test_empty_values_have_a_line(self):
        self.assertIn('0x3 matrix, f64', html_of_matrix(dense(np.zeros((0, 3)))))
        self.assertIn('3x0 matrix, f64', html_of_matrix(dense(np.zeros((3, 0)))))
        self.assertIn('0x1 frame', html_of_frame(Table(['a'], [dense(np.zeros((0, 1)))], 0)))

    def test_sparse_matrices_show_zeros_and_their_share(self):
        array = np.zeros((20, 20))
        array[3, 1], array[3, 4], array[19, 0] = 2.5, 3, 4
        html = html_of_matrix(sparse(array))
        self.assertIn('0.8% non-zero', html)
        rows = grid(html)
        self.assertEqual(rows[4][1:7], ['0', '2.5', '0', '0', '3', '0'])
        self.assertEqual(rows[-1][1], '4')

    def test_cells_are_written_as_print_does(self):
        for cell, text in ((np.float64(1 / 3), '0.333333'), (np.float64(1e20), '1e+20'), (np.int64(-7), '-7'),
                           (np.True_, '1'), (np.float64('inf'), 'inf'), ('x' * 100, 'x' * 47 + '…')):
            self.assertEqual(cell_text(cell), text)


class Plots(unittest.TestCase):
    def test_a_line_reaches_the_extremes(self):
        column = np.zeros(100_000)
        column[777], column[77_777] = 5, -3
        svg = svg_of(plots.line(dense(column.reshape(-1, 1))))
        path = svg.findall('.//path')[1].get('d')
        heights = [float(y) for _, y in re.findall(r'([\d.]+) ([\d.]+)', path)]
        self.assertEqual((min(heights), max(heights)), (0, plots.SMALL.height))
        self.assertEqual([one.text for one in svg.findall('.//text')], ['5', '-3'])
        self.assertLess(len(path), 10_000)

    def test_what_is_not_finite_is_a_gap(self):
        column = np.array([1, 2, np.nan, np.inf, 2, 1.0])
        self.assertEqual(svg_of(plots.line(dense(column.reshape(-1, 1)))).findall('.//path')[1].get('d').count('M'), 2)
        self.assertEqual(plots.line(dense(np.full((9, 1), np.nan))), '')
        self.assertEqual(plots.colours(dense(np.full((9, 9), np.nan))), '')
        self.assertEqual(plots.bars(dense(np.full((9, 1), np.nan))), '')

    def test_constant_and_extreme_cells(self):
        for column in (np.zeros(20), np.full(20, 1e300), np.array([-1.7e308, 1.7e308] * 10), np.full(20, 1e16)):
            for html in (plots.line(dense(column.reshape(-1, 1))), plots.bars(dense(column.reshape(-1, 1))),
                         plots.colours(dense(column.reshape(4, 5)))):
                self.assertNotIn('nan', svg_of(html).find('.//path').get('d', ''))
                self.assertNotIn('inf', html)

    def test_bars_count(self):
        svg = svg_of(plots.bars(dense([[0], [0], [0], [0], [1], [3]], 'si64')))
        heights = [float(height) for height in re.findall(r'v-([\d.]+)', svg.find('path').get('d'))]
        self.assertEqual(heights, [22.0, 5.5, 5.5])

    def test_colours_are_where_the_cells_are(self):
        array = np.zeros((64, 64))
        array[:2, :2] = 1
        svg = svg_of(plots.colours(sparse(array)))
        self.assertEqual([path.get('d') for path in svg.findall('path')], ['M0 0h1v1h-1z'])
        levels = svg_of(plots.colours(dense(array))).findall('path')
        self.assertEqual((levels[-1].get('d'), levels[-1].get('fill-opacity')), ('M0 0h1v1h-1z', '1'))

    def test_sparse_rows_are_found_again(self):
        random = np.random.default_rng(1)
        array = np.where(random.random((40, 30)) < 0.2, random.random((40, 30)), 0)
        rows, cols = np.array([0, 3, 4, 39]), np.array([0, 2, 29])
        np.testing.assert_array_equal(sparse(array).block(rows, cols), array[np.ix_(rows, cols)])

    def test_points(self):
        svg = svg_of(plots.scatter(dense([[0], [1], [2]]), dense([[0], [1], [np.nan]])))
        self.assertEqual(svg.findall('.//path')[1].get('d').count('M'), 2)

    def test_large_values_take_little_time_and_room(self):
        column = np.arange(20_000_000.0).reshape(-1, 1)
        begin = time.perf_counter()
        html = html_of_matrix(dense(column)) + html_of_matrix(dense(column.reshape(4000, 5000)))
        self.assertLess(time.perf_counter() - begin, 3)
        self.assertLess(len(html), 40_000)
        self.assertIn('not all looked at', html)


class Nodes(unittest.TestCase):
    def test_data_shows_its_first_rows_and_nothing_is_computed(self):
        import daphne as dp
        from daphne import _compute
        dc = dp.DaphneContext()
        X = dc.from_numpy(np.arange(6.0).reshape(3, 2))
        self.addCleanup(setattr, _compute, 'compute', _compute.compute)
        _compute.compute = lambda *_, **__: self.fail('something was computed')
        html = X._repr_html_()
        self.assertIn('Matrix 3x2, f64', html)
        self.assertEqual(grid(html)[1], ['0', '0', '1'])
        lazy = (X + 1.0)._repr_html_()
        self.assertIn('Matrix 3x2, f64', lazy)
        self.assertIn('+', lazy)
        self.assertNotIn('<table', lazy)

    @needs('pandas')
    def test_other_data(self):
        import daphne as dp
        dc = dp.DaphneContext()
        import pandas as pd
        html = dc.from_pandas(pd.DataFrame({'a': [1, 2], 's': ['x', '<y>']}))._repr_html_()
        self.assertIn('Frame 2x2', html)
        self.assertIn('&lt;y&gt;', html)


if __name__ == '__main__':
    unittest.main()
