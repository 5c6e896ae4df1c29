# SPDX-License-Identifier: Apache-2.0
"""Small plots as SVG: a line for a column, points for two of them, bars for how values are distributed, colours for the
cells of a matrix. Colours are those of the text and of one accent, so that they fit light and dark pages."""
from __future__ import annotations

from html import escape
from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np

from .cells import Cells, SparseCells

# At most this many cells are looked at; of larger values, so many at equal distances.
MOST_CELLS = 1 << 20
_ACCENT = '#3b7dd8'
_LEVELS = 8
_MOST_POINTS = 2500


class Size(NamedTuple):
    """Of the part of a plot that shows data, in pixels."""
    width: int
    height: int


SMALL, LARGE = Size(260, 56), Size(560, 240)
_TINY = Size(72, 22)


def line(column: Cells, size: Size = SMALL) -> str:
    """The cells of a row or a column one after the other. Of those that share a pixel both extremes are drawn."""
    y, is_sampled = _numbers(column)
    n = len(y)
    finite = np.isfinite(y)
    if not finite.any():
        return ''
    buckets = min(n, size.width // 2)
    edges = np.arange(buckets + 1) * n // buckets
    points: List[Optional[Tuple[float, float]]] = []
    low, high = _range(y[finite])
    for begin, end in zip(edges[:-1], edges[1:]):
        part = y[begin:end][finite[begin:end]]
        x = size.width * (0.5 if n == 1 else begin / (n - 1))
        if len(part) == 0:
            points.append(None)
            continue
        extremes = [part[0]] if len(part) == 1 else [part.min(), part.max()]
        points.extend((x, size.height * (1 - _share(value, low, high))) for value in extremes)
    path, pen = '', 'M'
    for point in points:
        if point is None:
            pen = 'M'
        else:
            path += f'{pen}{point[0]:.1f} {point[1]:.1f}'
            pen = 'L'
    drawn = f'<path d="{path}" fill="none" stroke="{_ACCENT}" stroke-width="1.2" stroke-linejoin="round"/>'
    return _with_scale(drawn, size, low, high, f'{column.rows * column.cols} cells{_sampled(is_sampled)}')


def scatter(x_column: Cells, y_column: Cells, size: Size = LARGE) -> str:
    """Points with the cells of two columns of the same length as coordinates; equal pixels are drawn once."""
    (x, is_sampled), (y, _) = _numbers(x_column), _numbers(y_column)
    finite = np.isfinite(x) & np.isfinite(y)
    x, y = x[finite], y[finite]
    if len(x) == 0:
        return ''
    (left, right), (low, high) = _range(x), _range(y)
    at = np.unique(np.stack([np.rint(_share(x, left, right) * size.width),
                             np.rint((1 - _share(y, low, high)) * size.height)], 1).astype(int), axis=0)
    if len(at) > _MOST_POINTS:
        at = at[:: -(-len(at) // _MOST_POINTS)]
    path = ''.join(f'M{px} {py}h0' for px, py in at)
    drawn = (f'<path d="{path}" stroke="{_ACCENT}" stroke-width="3" stroke-linecap="round" stroke-opacity=".6"/>'
             f'<text x="0" y="{size.height + 12}">{_short(left)}</text>'
             f'<text x="{size.width}" y="{size.height + 12}" text-anchor="end">{_short(right)}</text>')
    return _with_scale(drawn, size, low, high, f'{x_column.rows} points{_sampled(is_sampled)}', below=16)


def bars(column: Cells) -> str:
    """How often values of a column lie in each of some equal intervals."""
    y, is_sampled = _numbers(column)
    y = y[np.isfinite(y)]
    if len(y) == 0:
        return ''
    low, high = _range(y)
    size = _TINY
    bins, begin, end = 12, low, high
    if column.type not in ('f64', 'f32') and high - low < 2 * bins:  # a bar per integer
        low, high = float(y.min()), float(y.max())
        bins, begin, end = int(high - low) + 1, low - 0.5, high + 0.5
    counts = np.bincount(np.minimum((_share(y, begin, end) * bins).astype(int), bins - 1), minlength=bins)
    heights = counts / counts.max() * size.height
    wide = size.width / len(counts)
    path = ''.join(f'M{i * wide:.1f} {size.height}v-{max(h, 1):.1f}h{wide - 1:.1f}V{size.height}z'
                   for i, h in enumerate(heights) if h > 0)
    what = f'{_short(low)} to {_short(high)}{_sampled(is_sampled)}'
    return (f'<svg width="{size.width}" height="{size.height}" role="img" aria-label="{escape(what)}">'
            f'<title>{escape(what)}</title><path d="{path}" fill="{_ACCENT}"/></svg>')


def colours(matrix: Cells, pixels: int = 96) -> str:
    """A matrix from above: cells, or means of neighbouring cells, by colour; of a sparse one, where cells are stored."""
    height, width = min(matrix.rows, 32), min(matrix.cols, 32)
    if isinstance(matrix, SparseCells):
        grid, is_sampled = matrix.counts(height, width, MOST_CELLS)
        grid[grid == 0] = np.nan
        low, high = 0.0, float(np.nanmax(grid)) if matrix.stored else 1.0
        what = f'{matrix.stored} stored cells{_sampled(is_sampled)}'
    else:
        grid, is_sampled = _means(matrix, height, width)
        finite = grid[np.isfinite(grid)]
        if len(finite) == 0:
            return ''
        low, high = _range(finite)
        what = f'{_short(low)} to {_short(high)}{_sampled(is_sampled)}'
    levels = np.full(grid.shape, -1)
    known = np.isfinite(grid)
    levels[known] = np.clip(_share(grid[known], low, high) * _LEVELS, 0, _LEVELS - 1).astype(int)
    paths = []
    for level in range(_LEVELS):
        path = ''.join(_runs(levels == level))
        if path:
            paths.append(f'<path d="{path}" fill-opacity="{(level + 1) / _LEVELS:.3g}"/>')
    ratio = max(min(matrix.rows / matrix.cols, 4.0), 0.25)
    across, down = (pixels, round(pixels * ratio)) if ratio <= 1 else (round(pixels / ratio), pixels)
    return (f'<svg width="{across}" height="{down}" viewBox="0 0 {width} {height}" preserveAspectRatio="none" '
            f'shape-rendering="crispEdges" fill="{_ACCENT}" role="img" aria-label="{escape(what)}" '
            f'style="border:1px solid #8886"><title>{escape(what)}</title>{"".join(paths)}</svg>')


def _runs(mask: np.ndarray) -> List[str]:
    """Rectangles, one cell high, that cover the cells of the mask."""
    found: List[str] = []
    for row, cells in enumerate(mask):
        ends = np.flatnonzero(np.diff(np.concatenate([[0], cells.astype(np.int8), [0]])))
        found.extend(f'M{begin} {row}h{end - begin}v1h-{end - begin}z' for begin, end in zip(ends[::2], ends[1::2]))
    return found


def _means(matrix: Cells, height: int, width: int) -> Tuple[np.ndarray, bool]:
    per_side = int(MOST_CELLS ** 0.5)
    rows, cols = _positions(matrix.rows, max(per_side, MOST_CELLS // max(matrix.cols, 1))), _positions(
        matrix.cols, max(per_side, MOST_CELLS // max(matrix.rows, 1)))
    block = matrix.block(rows, cols)
    at_rows, at_cols = rows * height // matrix.rows, cols * width // matrix.cols
    known = np.isfinite(block)
    flat = (at_rows[:, None] * width + at_cols[None, :])[known]
    counts = np.bincount(flat, minlength=height * width)
    sums = np.bincount(flat, weights=block[known], minlength=height * width)
    with np.errstate(invalid='ignore'):
        means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return means.reshape(height, width), block.size < matrix.rows * matrix.cols


def _numbers(column: Cells) -> Tuple[np.ndarray, bool]:
    """The cells of a row or a column."""
    positions = _positions(max(column.rows, column.cols), MOST_CELLS)
    one = np.zeros(1, np.int64)
    block = column.block(positions, one) if column.cols == 1 else column.block(one, positions)
    return block.reshape(-1), len(positions) < column.rows * column.cols


def _positions(count: int, most: int) -> np.ndarray:
    return np.arange(0, count, max(1, -(-count // most)), dtype=np.int64)


def _range(values: np.ndarray) -> Tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    return (low, high) if low < high else (low - 0.5, high + 0.5) if abs(low) < 1e15 else (low * 0.9, low * 1.1)


def _share(values: Any, low: float, high: float) -> Any:
    """Where values are between low, 0, and high, 1. Halves, because the distance of the extremes need not be a number."""
    return (values / 2 - low / 2) / (high / 2 - low / 2)


def _short(value: float) -> str:
    return f'{value:.3g}'


def _sampled(is_sampled: bool) -> str:
    return ', not all looked at' if is_sampled else ''


def _with_scale(drawn: str, size: Size, low: float, high: float, what: str, below: int = 0) -> str:
    margin, top = 56, 8
    return (f'<svg width="{size.width + margin + 4}" height="{size.height + 2 * top + below}" '
            f'role="img" aria-label="{escape(what)}" font-size="10" fill="currentColor"><title>{escape(what)}</title>'
            f'<g transform="translate({margin} {top})">'
            f'<path d="M0 0V{size.height}H{size.width}" fill="none" stroke="currentColor" stroke-opacity=".35"/>'
            f'<text x="-4" y="4" text-anchor="end">{_short(high)}</text>'
            f'<text x="-4" y="{size.height + 3}" text-anchor="end">{_short(low)}</text>{drawn}</g></svg>')
