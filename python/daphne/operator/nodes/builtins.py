# SPDX-License-Identifier: Apache-2.0
"""Methods that are calls of builtin functions. Written by python/tools/generate.py from the engine's table of them; do not
edit."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Tuple, TypeVar

from ..arithmetic import Arithmetic
from ..operation_node import OperationNode

if TYPE_CHECKING:
    from .matrix import Matrix

E = TypeVar('E', bound='Elementwise')


class Built(OperationNode):
    """How these methods become steps."""

    def _function(self, name: str) -> Any:
        raise NotImplementedError

    def _function_of_two(self, name: str, other: Any) -> Any:
        raise NotImplementedError

    def _outer(self, name: str, other: Any) -> 'Matrix':
        raise NotImplementedError

    def _aggregate(self, name: str, axis: Optional[int]) -> Any:
        raise NotImplementedError

    def _running(self, name: str) -> 'Matrix':
        raise NotImplementedError


class Elementwise(Arithmetic, Built):
    """Functions of cells: of a matrix one by one, of a scalar."""

    def abs(self: E) -> E:
        """Absolute value of every cell."""
        return self._function('abs')

    def acos(self: E) -> E:
        """Inverse cosine; an error for cells outside [-1, 1]."""
        return self._function('acos')

    def acosh(self: E) -> E:
        """Inverse hyperbolic cosine; an error below 1."""
        return self._function('acosh')

    def asin(self: E) -> E:
        """Inverse sine; an error for cells outside [-1, 1]."""
        return self._function('asin')

    def asinh(self: E) -> E:
        """Inverse hyperbolic sine."""
        return self._function('asinh')

    def atan(self: E) -> E:
        """Inverse tangent."""
        return self._function('atan')

    def atanh(self: E) -> E:
        """Inverse hyperbolic tangent; an error outside [-1, 1]."""
        return self._function('atanh')

    def ceil(self: E) -> E:
        """Smallest integer not below the cell; keeps the value type."""
        return self._function('ceil')

    def cos(self: E) -> E:
        """Cosine; cells are radians."""
        return self._function('cos')

    def cosh(self: E) -> E:
        """Hyperbolic cosine."""
        return self._function('cosh')

    def exp(self: E) -> E:
        """Natural exponential of every cell."""
        return self._function('exp')

    def floor(self: E) -> E:
        """Largest integer not above the cell; keeps the value type."""
        return self._function('floor')

    def isNan(self: E) -> E:
        """1 where the cell is NaN, else 0, in the value type of the argument."""
        return self._function('isNan')

    def ln(self: E) -> E:
        """Natural logarithm; -inf for 0, an error for negative cells."""
        return self._function('ln')

    def round(self: E) -> E:
        """Nearest integer, halves away from zero; keeps the value type."""
        return self._function('round')

    def sign(self: E) -> E:
        """-1, 0 or 1 for negative, zero and positive cells; NaN stays NaN."""
        return self._function('sign')

    def sin(self: E) -> E:
        """Sine; cells are radians."""
        return self._function('sin')

    def sinh(self: E) -> E:
        """Hyperbolic sine."""
        return self._function('sinh')

    def sqrt(self: E) -> E:
        """Square root; an error for negative cells."""
        return self._function('sqrt')

    def tan(self: E) -> E:
        """Tangent; cells are radians."""
        return self._function('tan')

    def tanh(self: E) -> E:
        """Hyperbolic tangent."""
        return self._function('tanh')

    def fmax(self, other: Any) -> Any:
        """Like max, but the other one where one of lhs and rhs is nan; nan where both are."""
        return self._function_of_two('fmax', other)

    def fmin(self, other: Any) -> Any:
        """Like min, but the other one where one of lhs and rhs is nan; nan where both are."""
        return self._function_of_two('fmin', other)

    def log(self, other: Any) -> Any:
        """Logarithm of lhs to base rhs."""
        return self._function_of_two('log', other)

    def max(self, other: Any) -> Any:
        """rhs where it is larger than lhs, else lhs; nan where one of them is nan."""
        return self._function_of_two('max', other)

    def min(self, other: Any) -> Any:
        """rhs where it is smaller than lhs, else lhs; nan where one of them is nan."""
        return self._function_of_two('min', other)

    def mod(self, other: Any) -> Any:
        """Remainder with the sign of lhs, like '%'."""
        return self._function_of_two('mod', other)

    def pow(self, other: Any) -> Any:
        """lhs to the power rhs, like '^'. Powers of integers are integers, exact or wrapped like products; their
        exponents must not be negative."""
        return self._function_of_two('pow', other)


class AllPairs(Built):
    """Functions of all pairs of a column and a row."""

    def outerAdd(self, other: Any) -> 'Matrix':
        """lhs[i] + rhs[j] for a column lhs and a row rhs."""
        return self._outer('outerAdd', other)

    def outerAnd(self, other: Any) -> 'Matrix':
        """lhs[i] && rhs[j] as 0/1 for a column lhs and a row rhs."""
        return self._outer('outerAnd', other)

    def outerConcat(self, other: Any) -> 'Matrix':
        """All pairs of strings joined, a column and a row."""
        return self._outer('outerConcat', other)

    def outerDiv(self, other: Any) -> 'Matrix':
        """lhs[i] / rhs[j] for a column lhs and a row rhs."""
        return self._outer('outerDiv', other)

    def outerEq(self, other: Any) -> 'Matrix':
        """lhs[i] == rhs[j] as 0/1 for a column lhs and a row rhs."""
        return self._outer('outerEq', other)

    def outerGe(self, other: Any) -> 'Matrix':
        """lhs[i] >= rhs[j] as 0/1 for a column lhs and a row rhs."""
        return self._outer('outerGe', other)

    def outerGt(self, other: Any) -> 'Matrix':
        """lhs[i] > rhs[j] as 0/1 for a column lhs and a row rhs."""
        return self._outer('outerGt', other)

    def outerLe(self, other: Any) -> 'Matrix':
        """lhs[i] <= rhs[j] as 0/1 for a column lhs and a row rhs."""
        return self._outer('outerLe', other)

    def outerLog(self, other: Any) -> 'Matrix':
        """log(lhs[i], rhs[j]) for a column lhs and a row rhs."""
        return self._outer('outerLog', other)

    def outerLt(self, other: Any) -> 'Matrix':
        """lhs[i] < rhs[j] as 0/1 for a column lhs and a row rhs."""
        return self._outer('outerLt', other)

    def outerMax(self, other: Any) -> 'Matrix':
        """max(lhs[i], rhs[j]) for a column lhs and a row rhs."""
        return self._outer('outerMax', other)

    def outerMin(self, other: Any) -> 'Matrix':
        """min(lhs[i], rhs[j]) for a column lhs and a row rhs."""
        return self._outer('outerMin', other)

    def outerMod(self, other: Any) -> 'Matrix':
        """lhs[i] % rhs[j] for a column lhs and a row rhs."""
        return self._outer('outerMod', other)

    def outerMul(self, other: Any) -> 'Matrix':
        """lhs[i] * rhs[j] for a column lhs and a row rhs."""
        return self._outer('outerMul', other)

    def outerNeq(self, other: Any) -> 'Matrix':
        """lhs[i] != rhs[j] as 0/1 for a column lhs and a row rhs."""
        return self._outer('outerNeq', other)

    def outerOr(self, other: Any) -> 'Matrix':
        """lhs[i] || rhs[j] as 0/1 for a column lhs and a row rhs."""
        return self._outer('outerOr', other)

    def outerPow(self, other: Any) -> 'Matrix':
        """lhs[i] ^ rhs[j] for a column lhs and a row rhs."""
        return self._outer('outerPow', other)

    def outerSub(self, other: Any) -> 'Matrix':
        """lhs[i] - rhs[j] for a column lhs and a row rhs."""
        return self._outer('outerSub', other)

    def outerXor(self, other: Any) -> 'Matrix':
        """1 where exactly one of lhs[i] and rhs[j] is not 0."""
        return self._outer('outerXor', other)


class Aggregates(Built):
    """Aggregates of all cells (axis None), of every row (0) or of every column (1)."""

    def aggMax(self, axis: Optional[int] = None) -> Any:
        """Largest of all cells, per row (axis 0), per column (axis 1) or per group as sum. Strings, compared byte by
        byte, have no groups."""
        return self._aggregate('aggMax', axis)

    def aggMin(self, axis: Optional[int] = None) -> Any:
        """Smallest of all cells, per row (axis 0), per column (axis 1) or per group as sum. Strings, compared byte by
        byte, have no groups."""
        return self._aggregate('aggMin', axis)

    def all(self, axis: Optional[int] = None) -> Any:
        """Whether no cell is 0, of all, per row (axis 0) or per column (axis 1); true for no cells."""
        return self._aggregate('all', axis)

    def any(self, axis: Optional[int] = None) -> Any:
        """Whether some cell is not 0, of all, per row (axis 0) or per column (axis 1); false for no cells."""
        return self._aggregate('any', axis)

    def idxMax(self, axis: int) -> 'Matrix':
        """Position of the largest cell of each row (axis 0) or column (axis 1), the first one on ties; that of the
        first nan if there is one, 0 if there are no cells."""
        return self._aggregate('idxMax', axis)

    def idxMin(self, axis: int) -> 'Matrix':
        """Position of the smallest cell of each row (axis 0) or column (axis 1), the first one on ties; that of the
        first nan if there is one, 0 if there are no cells."""
        return self._aggregate('idxMin', axis)

    def mean(self, axis: Optional[int] = None) -> Any:
        """Arithmetic mean of all cells, per row (axis 0), per column (axis 1) or per group as sum; nan for no cells."""
        return self._aggregate('mean', axis)

    def median(self, axis: Optional[int] = None) -> Any:
        """Median of all cells, per row (axis 0) or per column (axis 1): the mean of the two middle ones of an even
        number of cells; nan if a cell is nan or there are none."""
        return self._aggregate('median', axis)

    def nanCount(self, axis: Optional[int] = None) -> Any:
        """Number of the cells that are not nan, of all, per row (axis 0) or per column (axis 1)."""
        return self._aggregate('nanCount', axis)

    def nanIdxMax(self, axis: int) -> 'Matrix':
        """Position of the largest cell that is not nan, the first one on ties: of each row (axis 0), of each column
        (axis 1), or of all cells, counted row by row. Only nan is an error; no cells: 0."""
        return self._aggregate('nanIdxMax', axis)

    def nanIdxMin(self, axis: int) -> 'Matrix':
        """Position of the smallest cell that is not nan, the first one on ties: of each row (axis 0), of each column
        (axis 1), or of all cells, counted row by row. Only nan is an error; no cells: 0."""
        return self._aggregate('nanIdxMin', axis)

    def nanMax(self, axis: Optional[int] = None) -> Any:
        """Largest of the cells that are not nan, of all, per row (axis 0) or per column (axis 1); nan if there are
        none."""
        return self._aggregate('nanMax', axis)

    def nanMean(self, axis: Optional[int] = None) -> Any:
        """Arithmetic mean of the cells that are not nan, of all, per row (axis 0) or per column (axis 1); nan if there
        are none."""
        return self._aggregate('nanMean', axis)

    def nanMedian(self, axis: Optional[int] = None) -> Any:
        """Median of the cells that are not nan, of all, per row (axis 0) or per column (axis 1); nan if there are
        none."""
        return self._aggregate('nanMedian', axis)

    def nanMin(self, axis: Optional[int] = None) -> Any:
        """Smallest of the cells that are not nan, of all, per row (axis 0) or per column (axis 1); nan if there are
        none."""
        return self._aggregate('nanMin', axis)

    def nanStddev(self, axis: Optional[int] = None) -> Any:
        """Population standard deviation of the cells that are not nan, of all, per row (axis 0) or per column (axis
        1); nan if there are none."""
        return self._aggregate('nanStddev', axis)

    def nanSum(self, axis: Optional[int] = None) -> Any:
        """Sum of the cells that are not nan, of all, per row (axis 0) or per column (axis 1); 0 if there are none."""
        return self._aggregate('nanSum', axis)

    def nanVar(self, axis: Optional[int] = None) -> Any:
        """Population variance of the cells that are not nan, of all, per row (axis 0) or per column (axis 1); nan if
        there are none."""
        return self._aggregate('nanVar', axis)

    def prod(self, axis: Optional[int] = None) -> Any:
        """Product of all cells, per row (axis 0) or per column (axis 1); 1 for no cells. Types are those of sum;
        integers wrap."""
        return self._aggregate('prod', axis)

    def stddev(self, axis: Optional[int] = None) -> Any:
        """Population standard deviation of all cells, per row (axis 0), per column (axis 1) or per group as sum; the
        square root of var, which takes the keyword ddof, too."""
        return self._aggregate('stddev', axis)

    def sum(self, axis: Optional[int] = None) -> Any:
        """Sum of all cells, per row (axis 0), per column (axis 1), or per group: the cells of a column whose group id,
        in a column of the same length, is 0, 1, ..., numGroups - 1. Integers of less than 64 bits and truth values
        are added up in si64, f32 in f64."""
        return self._aggregate('sum', axis)

    def var(self, axis: Optional[int] = None) -> Any:
        """Population variance of all cells, per row (axis 0), per column (axis 1) or per group as sum. With the
        keyword ddof, as in var(X, ddof = 1) or var(X, 1, ddof = 1), sums of squares are divided by the number of
        cells less ddof; nan if that leaves none."""
        return self._aggregate('var', axis)


class RunningAggregates(Built):
    """Aggregates of the cells above, column by column."""

    def cumMax(self) -> 'Matrix':
        """Running maxima down each column."""
        return self._running('cumMax')

    def cumMin(self) -> 'Matrix':
        """Running minima down each column."""
        return self._running('cumMin')

    def cumProd(self) -> 'Matrix':
        """Running products down each column, of the types of sum."""
        return self._running('cumProd')

    def cumSum(self) -> 'Matrix':
        """Running sums down each column, of the types of sum."""
        return self._running('cumSum')


class FurtherFunctions(OperationNode):
    """Further functions of a matrix."""

    def affine(self, weights: Any, bias: Any) -> Any:
        """input @ weights + bias: a fully connected layer. bias has one cell per column of weights, as a row or as a
        column, or is 1x1 and added everywhere."""
        return self._further('affine', ['matrix'], (weights, bias))

    def avg_pool2d(self, numImages: Any, numChannels: Any, imgHeight: Any, imgWidth: Any, poolH: Any, poolW: Any,
                   strideH: Any, strideW: Any, paddingH: Any, paddingW: Any) -> Tuple[Any, ...]:
        """Means over windows of poolH x poolW cells, strideH and strideW apart, of every channel of a batch of images.
        input has one row per image: its channels one after another, each row by row. Every channel is surrounded by
        paddingH rows and paddingW columns of zeros, which count: the sum of a window is always divided by poolH *
        poolW. Three results: the means (one row per image), and the height (imgHeight + 2 * paddingH - poolH) /
        strideH + 1 and the width of a channel of them."""
        return self._further('avg_pool2d', ['matrix', 'matrix', 'matrix'], (numImages, numChannels, imgHeight, imgWidth,
                             poolH, poolW, strideH, strideW, paddingH, paddingW))

    def avg_pool2d_backward(self, dOut: Any, batchSize: Any, numChannels: Any, imgH: Any, imgW: Any, poolH: Any,
                            poolW: Any, strideH: Any, strideW: Any, padH: Any, padW: Any) -> Any:
        """Gradient of avg_pool2d with respect to its input, given the gradient dOut with respect to its result: every
        cell of dOut is spread evenly over its window, dOut / (poolH * poolW) per cell; what falls on the padding is
        lost. Only the shape of input matters."""
        return self._further('avg_pool2d_backward', ['matrix'], (dOut, batchSize, numChannels, imgH, imgW, poolH, poolW,
                             strideH, strideW, padH, padW))

    def batch_norm2d(self, gamma: Any, beta: Any, emaMean: Any, emaVar: Any, eps: Any) -> Any:
        """Normalises every channel (the c-th of the equal parts of every row) with given statistics: (x - emaMean[c])
        / sqrt(emaVar[c] + eps) * gamma[c] + beta[c]. The four vectors have one cell per channel, as columns or
        rows. The result has the value type of input, f64 if that is not floating point. A negative emaVar[c] + eps
        is an error."""
        return self._further('batch_norm2d', ['matrix'], (gamma, beta, emaMean, emaVar, eps))

    def biasAdd(self, bias: Any) -> Any:
        """Adds bias[c] to the c-th of the equal parts (channels) of every row."""
        return self._further('biasAdd', ['matrix'], (bias,))

    def cg(self, rhs: Any, tol: Any = None, maxIter: Any = None, precond: Any = None) -> Tuple[Any, ...]:
        """x, iters, res: x with lhs @ x = rhs for a symmetric, positive definite matrix lhs, dense or sparse, by
        conjugate gradients: at most maxIter iterations, until the residual is at most tol. res is the length of rhs
        - lhs @ x relative to that of rhs. precond is "none", "jacobi" or "ilu0"."""
        return self._further('cg', ['matrix', 'matrix', 'matrix'], (rhs,), {'tol': tol, 'maxIter': maxIter,
                             'precond': precond})

    def cholesky(self) -> Any:
        """The lower triangular L with arg = L @ t(L). A matrix that is not symmetric or not positive definite is an
        error."""
        return self._further('cholesky', ['matrix'], ())

    def conv2d(self, filter: Any, numImages: Any, numChannels: Any, imgHeight: Any, imgWidth: Any, filterH: Any,
               filterW: Any, strideH: Any, strideW: Any, paddingH: Any, paddingW: Any, bias: Any = None) -> Tuple[Any,
               ...]:
        """Cross-correlation of a batch of images with filters. input is laid out as for avg_pool2d; filter has one row
        per output channel, with numChannels * filterH * filterW cells. Cell (i, j) of an output channel is the sum
        over channels c and positions (a, b) of the filter of input(c, i * strideH + a - paddingH, j * strideW + b -
        paddingW) * filter(c, a, b), the padding being zeros, plus the channel's cell of bias (a column or a row).
        Three results: the output (one row per image), height and width of its channels. The value type is the most
        general one of the matrices, f64 if that is not floating point."""
        return self._further('conv2d', ['matrix', 'matrix', 'matrix'], (filter, numImages, numChannels, imgHeight,
                             imgWidth, filterH, filterW, strideH, strideW, paddingH, paddingW), {'bias': bias})

    def conv2d_backward_data(self, output: Any, strideH: Any, strideW: Any, padH: Any, padW: Any, inputBatchSize: Any,
                             inputNumChannels: Any, inputH: Any, inputW: Any, filterNumFilters: Any,
                             filterNumChannels: Any, filterH: Any, filterW: Any) -> Any:
        """Gradient of conv2d with respect to its input. output is the gradient with respect to the output of conv2d
        and has its shape; the result has the shape of the input. filterNumChannels is inputNumChannels."""
        return self._further('conv2d_backward_data', ['matrix'], (output, strideH, strideW, padH, padW, inputBatchSize,
                             inputNumChannels, inputH, inputW, filterNumFilters, filterNumChannels, filterH, filterW))

    def conv2d_backward_filter(self, output: Any, strideH: Any, strideW: Any, padH: Any, padW: Any, inputBatchSize: Any,
                               inputNumChannels: Any, inputH: Any, inputW: Any, filterNumFilters: Any,
                               filterNumChannels: Any, filterH: Any, filterW: Any) -> Any:
        """Gradient of conv2d with respect to its filter. output is the gradient with respect to the output of conv2d
        and has its shape; the result has the shape of the filter. filterNumChannels is inputNumChannels."""
        return self._further('conv2d_backward_filter', ['matrix'], (output, strideH, strideW, padH, padW,
                             inputBatchSize, inputNumChannels, inputH, inputW, filterNumFilters, filterNumChannels,
                             filterH, filterW))

    def cor(self, other: Any = None, ddof: Any = None) -> Any:
        """Correlations of columns as cov; nan for a column whose cells are all equal."""
        return self._further('cor', ['matrix'], (), {'other': other, 'ddof': ddof})

    def cov(self, other: Any = None, ddof: Any = None) -> Any:
        """Covariances of the columns of arg with those of other, a matrix with as many rows; without it, with each
        other. Sums of products are divided by the number of rows less ddof."""
        return self._further('cov', ['matrix'], (), {'other': other, 'ddof': ddof})

    def ctable(self, rhs: Any, weight: Any = None, resNumRows: Any = None, resNumCols: Any = None) -> Any:
        """Contingency table: adds weight (default 1.0) to cell (lhs[k], rhs[k]) for every k. Four positional arguments
        are lhs, rhs, resNumRows, resNumCols. A negative size is automatic; pairs outside a given size are ignored."""
        return self._further('ctable', ['matrix'], (rhs,), {'weight': weight, 'resNumRows': resNumRows,
                             'resNumCols': resNumCols})

    def describe(self) -> Any:
        """Frame with a row per column of a matrix or frame: its label, number of cells, mean, standard deviation,
        minimum, quartiles and maximum. nan is no cell; of strings only those that are not empty are counted."""
        return self._further('describe', ['frame'], ())

    def det(self) -> Any:
        """The determinant of a square matrix; 1 for 0 x 0."""
        return self._further('det', ['scalar'], ())

    def diff(self, lag: Any = None) -> Any:
        """Differences of rows: row i of the result is row i + lag minus row i of arg."""
        return self._further('diff', ['matrix'], (), {'lag': lag})

    def eigen(self) -> Tuple[Any, ...]:
        """Eigenvalues of a symmetric matrix in ascending order, and its unit eigenvectors as columns."""
        return self._further('eigen', ['matrix', 'matrix'], ())

    def eigenGeneral(self) -> Tuple[Any, ...]:
        """re, im, vre, vim: real and imaginary parts of the eigenvalues of a square matrix, ascending, and those of
        their eigenvectors as columns of length 1, whose largest component is real and positive."""
        return self._further('eigenGeneral', ['matrix', 'matrix', 'matrix', 'matrix'], ())

    def fft(self, im: Any = None) -> Tuple[Any, ...]:
        """Real and imaginary parts of the discrete Fourier transform of every column, of any length n: result k is the
        sum over j of x[j] * e^(-2 pi i j k / n)."""
        return self._further('fft', ['matrix', 'matrix'], (), {'im': im})

    def format(self, *v: Any) -> Any:
        """The pattern with values in its places {}, {k} and {:spec}; {{ and }} are braces. A spec is
        [[fill](<|>|^)][+][0][width][,][.precision][type], a type one of d x b o (integers), g f e % (numbers) and s
        (strings); without a type, values are shown as by toStr."""
        return self._further('format', ['matrix'], (*v,))

    def gemv(self, rhs: Any) -> Any:
        """t(lhs) @ rhs for a rhs with one column."""
        return self._further('gemv', ['matrix'], (rhs,))

    def gmres(self, rhs: Any, tol: Any = None, maxIter: Any = None, precond: Any = None,
              restart: Any = None) -> Tuple[Any, ...]:
        """As cg for any invertible matrix, by generalised minimal residuals, started again after so many iterations."""
        return self._further('gmres', ['matrix', 'matrix', 'matrix'], (rhs,), {'tol': tol, 'maxIter': maxIter,
                             'precond': precond, 'restart': restart})

    def head(self, n: Any = None) -> Any:
        """The first n rows of a matrix or frame, the first n elements of a list; all of them if there are fewer."""
        return self._further('head', ['matrix'], (), {'n': n})

    def histogram(self, numBins: Any, min: Any = None, max: Any = None) -> Tuple[Any, ...]:
        """Two results: how many cells are in each of numBins intervals of equal width from min to max (those of the
        cells unless given), and the numBins + 1 edges. An interval includes its lower edge, the last one both; nan
        and cells outside are not counted."""
        return self._further('histogram', ['matrix', 'matrix'], (numBins,), {'min': min, 'max': max})

    def ifft(self, im: Any = None) -> Tuple[Any, ...]:
        """The inverse of fft: result j is the sum over k of x[k] * e^(2 pi i j k / n), divided by n."""
        return self._further('ifft', ['matrix', 'matrix'], (), {'im': im})

    def inv(self) -> Any:
        """The inverse of a square matrix. A singular matrix is an error."""
        return self._further('inv', ['matrix'], ())

    def isSymmetric(self) -> Any:
        """Whether a square matrix equals its transpose."""
        return self._further('isSymmetric', ['scalar'], ())

    def kron(self, rhs: Any) -> Any:
        """The Kronecker product: every cell of lhs replaced by that cell times rhs."""
        return self._further('kron', ['matrix'], (rhs,))

    def lstsq(self, rhs: Any) -> Any:
        """x that makes the columns of lhs @ x - rhs as short as possible, the shortest one if there are several; lhs
        may have any shape and rank. By singular values; those of at most max(m, n) * eps times the largest count as
        0. nan and inf are errors."""
        return self._further('lstsq', ['matrix'], (rhs,))

    def lu(self) -> Tuple[Any, ...]:
        """L, U, P with P @ arg = L @ U: L lower triangular with ones on its diagonal, U upper triangular, P a
        permutation of rows (partial pivoting). For an m x n matrix and k = min(m, n), L is m x k, U k x n, P m x m."""
        return self._further('lu', ['matrix', 'matrix', 'matrix'], ())

    def max_pool2d(self, numImages: Any, numChannels: Any, imgHeight: Any, imgWidth: Any, poolH: Any, poolW: Any,
                   strideH: Any, strideW: Any, paddingH: Any, paddingW: Any) -> Tuple[Any, ...]:
        """Maxima over windows, with arguments and results as of avg_pool2d. The padding does not count, so it must be
        smaller than the window. A window with a nan has the maximum nan. The cells keep their value type."""
        return self._further('max_pool2d', ['matrix', 'matrix', 'matrix'], (numImages, numChannels, imgHeight, imgWidth,
                             poolH, poolW, strideH, strideW, paddingH, paddingW))

    def max_pool2d_backward(self, dOut: Any, batchSize: Any, numChannels: Any, imgH: Any, imgW: Any, poolH: Any,
                            poolW: Any, strideH: Any, strideW: Any, padH: Any, padW: Any) -> Any:
        """Gradient of max_pool2d with respect to its input, given the gradient dOut with respect to its result: every
        cell of dOut is added to the first greatest cell, row by row, of its window of input."""
        return self._further('max_pool2d_backward', ['matrix'], (dOut, batchSize, numChannels, imgH, imgW, poolH, poolW,
                             strideH, strideW, padH, padW))

    def norm(self, kind: Any = None) -> Any:
        """A norm of a matrix or of a vector (a column): "fro" the root of the sum of squares, 1 the largest sum of
        magnitudes of a column, inf that of a row, 2 the largest singular value; 0 for no cells."""
        return self._further('norm', ['scalar'], (), {'kind': kind})

    def pinv(self) -> Any:
        """The pseudo-inverse (Moore, Penrose) of a matrix of any shape and rank; small singular values as for lstsq."""
        return self._further('pinv', ['matrix'], ())

    def qr(self) -> Tuple[Any, ...]:
        """Q, R with arg = Q @ R: for an m x n matrix and k = min(m, n), Q is m x k with orthonormal columns, R is k x
        n, upper triangular, without negative numbers on its diagonal."""
        return self._further('qr', ['matrix', 'matrix'], ())

    def quantile(self, q: Any, axis: Any = None) -> Any:
        """Quantile q (0 is the minimum, 1 the maximum) of all cells, per row (axis 0) or per column (axis 1), with
        linear interpolation between neighbouring cells; nan if a cell is nan or there are none. A vector q of k
        quantiles gives k rows, with axis 0 k columns."""
        return self._further('quantile', ['matrix'], (q,), {'axis': axis})

    def quantize(self, min: Any, max: Any) -> Any:
        """Linear 8-bit quantisation of the range from min to max, which is extended to contain zero."""
        return self._further('quantize', ['matrix'], (min, max))

    def recode(self, orderPreserving: Any) -> Tuple[Any, ...]:
        """Two results: codes 0, 1, ... for the values of a column, and the dictionary of the values by code. Codes
        follow the order of the values if orderPreserving, else that of their first appearance."""
        return self._further('recode', ['matrix', 'matrix'], (orderPreserving,))

    def relu(self) -> Any:
        """The greater of every cell and zero."""
        return self._further('relu', ['matrix'], ())

    def softmax(self) -> Any:
        """Every row mapped to exponentials that sum up to 1."""
        return self._further('softmax', ['matrix'], ())

    def sort(self, ascending: Any = None, axis: Any = None) -> Any:
        """The cells of every row (axis 0) or column (axis 1) sorted, nan last in both directions. Without an axis a
        single row is sorted as a row, every other matrix by columns."""
        return self._further('sort', ['matrix'], (), {'ascending': ascending, 'axis': axis})

    def sparsity(self) -> Any:
        """Fraction of non-zero cells: the compiler's estimate if it has one, else counted."""
        return self._further('sparsity', ['scalar'], ())

    def summary(self) -> Any:
        """The same as describe."""
        return self._further('summary', ['frame'], ())

    def svd(self) -> Tuple[Any, ...]:
        """U, s, V with arg = U @ diagMatrix(s) @ t(V): for an m x n matrix and k = min(m, n), the singular values s
        are a k x 1 column in descending order, U (m x k) and V (n x k) have orthonormal columns. The first cell of
        largest magnitude in every column of U is positive."""
        return self._further('svd', ['matrix', 'matrix', 'matrix'], ())

    def syrk(self) -> Any:
        """t(arg) @ arg, exactly symmetric."""
        return self._further('syrk', ['matrix'], ())

    def tail(self, n: Any = None) -> Any:
        """The last n rows of a matrix or frame, the last n elements of a list; all of them if there are fewer."""
        return self._further('tail', ['matrix'], (), {'n': n})

    def transpose(self) -> Any:
        """Matrix with rows and columns exchanged."""
        return self._further('transpose', ['matrix'], ())

    def unique(self) -> Any:
        """The different cells of a matrix, ascending, as a column; nan, once, comes last. Of a frame: its different
        rows in the order in which they first appear."""
        return self._further('unique', ['matrix'], ())


class TextFunctions(OperationNode):
    """Functions of texts: of every cell of a matrix, of a scalar."""

    def chars(self) -> Any:
        """The characters of one string as a column."""
        return self._further('chars', ['matrix'], ())

    def contains(self, t: Any) -> Any:
        """Whether t occurs in s."""
        return self._further('contains', ['same'], (t,))

    def endsWith(self, t: Any) -> Any:
        """Whether s ends with t."""
        return self._further('endsWith', ['same'], (t,))

    def find(self, t: Any, from_: Any = None) -> Any:
        """Position of the first t in s, at `from` or behind it; -1 if there is none."""
        return self._further('find', ['same'], (t,), {'from': from_})

    def isNum(self) -> Any:
        """Whether the whole text is a number, as parseNum reads it."""
        return self._further('isNum', ['same'], ())

    def join(self, sep: Any) -> Any:
        """All cells of a matrix of strings, row by row, as one string with `sep` between them."""
        return self._further('join', ['scalar'], (sep,))

    def lower(self) -> Any:
        """ASCII letters in lower case."""
        return self._further('lower', ['same'], ())

    def padLeft(self, n: Any, c: Any = None) -> Any:
        """At least n characters, filled with the character c at the left."""
        return self._further('padLeft', ['same'], (n,), {'c': c})

    def padRight(self, n: Any, c: Any = None) -> Any:
        """At least n characters, filled with the character c at the right."""
        return self._further('padRight', ['same'], (n,), {'c': c})

    def parseInt(self, base: Any = None) -> Any:
        """The integer that the whole text is, as si64; an error if it is none."""
        return self._further('parseInt', ['same'], (), {'base': base})

    def parseNum(self) -> Any:
        """The number that the whole text is, as f64; nan if it is none."""
        return self._further('parseNum', ['same'], ())

    def regexFind(self, re: Any, group: Any = None) -> Any:
        """The first text that the regular expression fits, or one of its groups; empty if there is none."""
        return self._further('regexFind', ['same'], (re,), {'group': group})

    def regexMatch(self, re: Any) -> Any:
        """Whether the regular expression (RE2 syntax) fits the whole text."""
        return self._further('regexMatch', ['same'], (re,))

    def regexReplace(self, re: Any, to: Any) -> Any:
        """Every text that the regular expression fits replaced; $0 to $9 in `to` are the match and its groups, $$ is a
        dollar."""
        return self._further('regexReplace', ['same'], (re, to))

    def regexSplit(self, re: Any) -> Any:
        """The parts of one string between the texts that the regular expression fits, as a column."""
        return self._further('regexSplit', ['matrix'], (re,))

    def repeat(self, n: Any) -> Any:
        """A string n times in a row."""
        return self._further('repeat', ['same'], (n,))

    def split(self, sep: Any) -> Any:
        """The parts of one string that is cut at every `sep`, as a column."""
        return self._further('split', ['matrix'], (sep,))

    def splitPart(self, sep: Any, k: Any) -> Any:
        """Part k, counted from 0, of a string that is cut at every `sep`; negative k count from the end. Empty if
        there are not as many parts."""
        return self._further('splitPart', ['same'], (sep, k))

    def startsWith(self, t: Any) -> Any:
        """Whether s begins with t."""
        return self._further('startsWith', ['same'], (t,))

    def strReplace(self, old: Any, new: Any) -> Any:
        """Every `old` in a string replaced by `new`; `replace` is for whole cells."""
        return self._further('strReplace', ['same'], (old, new))

    def strlen(self) -> Any:
        """Number of characters (code points) of a string."""
        return self._further('strlen', ['same'], ())

    def substr(self, from_: Any, to: Any = None) -> Any:
        """The characters from position `from` up to, but not including, `to` (default: the end). Negative positions
        count from the end; what lies outside of the string is left out."""
        return self._further('substr', ['same'], (from_,), {'to': to})

    def trim(self) -> Any:
        """Without blanks, tabs and line breaks at both ends."""
        return self._further('trim', ['same'], ())

    def trimLeft(self) -> Any:
        """Without blanks, tabs and line breaks at the beginning."""
        return self._further('trimLeft', ['same'], ())

    def trimRight(self) -> Any:
        """Without blanks, tabs and line breaks at the end."""
        return self._further('trimRight', ['same'], ())

    def upper(self) -> Any:
        """ASCII letters in upper case."""
        return self._further('upper', ['same'], ())
