// SPDX-License-Identifier: Apache-2.0
/// Discrete Fourier transforms of columns of any length: powers of two by halves
/// (Cooley, Tukey), short ones by their definition, others as a convolution of
/// a length that is a power of two (Bluestein). Computed in f64.
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "base/ActiveRun.h"
#include "base/Cancellable.h"
#include "kernels/KernelTable.h"
#include "kernels/elementwise/Convert.h"

namespace daphne {

namespace {

using Complex = std::complex<double>;

/// e^(-2 pi i k / n): exact where it is a simple number, and the same for mirrored angles.
Complex root(uint64_t k, uint64_t n) {
    k %= n;
    // 8 k = octant n + rest: what is left of the angle is less than an eighth of the circle.
    auto product = static_cast<unsigned __int128>(k) * 8;
    auto octant = static_cast<unsigned>(product / n);
    auto rest = static_cast<uint64_t>(product % n);
    bool mirrored = octant % 2 == 1;
    double angle = static_cast<double>(mirrored ? n - rest : rest) / static_cast<double>(n) * (std::numbers::pi / 4);
    bool diagonal = mirrored ? rest == 0 : false;
    double c = diagonal ? std::numbers::sqrt2 / 2 : std::cos(angle);
    double s = diagonal ? std::numbers::sqrt2 / 2 : std::sin(angle);
    if (mirrored)
        std::swap(c, s);
    switch (octant / 2) { // quarters of the circle
    case 0: return {c, -s};
    case 1: return {-s, -c};
    case 2: return {-c, s};
    default: return {s, c};
    }
}

std::vector<Complex> roots(uint64_t count, uint64_t n) {
    std::vector<Complex> all(count);
    for (uint64_t k : cancellable(count))
        all[k] = root(k, n);
    return all;
}

/// (a + bi)(c + di) without the cases for nan and inf.
Complex times(Complex x, Complex y) {
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

/// In place; the length is a power of two, `unit` its roots of unity (the first half).
void transformPowerOfTwo(std::vector<Complex> &x, const std::vector<Complex> &unit) {
    size_t n = x.size();
    size_t j = 0;
    for (size_t i : cancellable(n)) { // j is i with its bits reversed
        if (i < j)
            std::swap(x[i], x[j]);
        size_t bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
    }
    CancelCountdown look;
    for (size_t half = 1; half < n; half *= 2) {
        size_t step = n / (2 * half);
        for (size_t begin = 0; begin < n; begin += 2 * half) {
            look.after(half);
            for (size_t k = 0; k < half; ++k) {
                Complex a = x[begin + k], b = times(unit[k * step], x[begin + k + half]);
                x[begin + k] = a + b;
                x[begin + k + half] = a - b;
            }
        }
    }
}

/// Transforms of one length.
class Transform {
  public:
    explicit Transform(size_t n) : n(n) {
        if (isPowerOfTwo())
            unit = roots(n / 2, n);
        else if (n <= kShort)
            unit = roots(n, n);
        else
            prepareConvolution();
    }

    void operator()(std::vector<Complex> &x) const {
        if (n <= 1)
            return;
        if (isPowerOfTwo())
            transformPowerOfTwo(x, unit);
        else if (n <= kShort)
            byDefinition(x);
        else
            convolve(x);
    }

  private:
    static constexpr size_t kShort = 32;
    bool isPowerOfTwo() const { return std::has_single_bit(n); }

    void byDefinition(std::vector<Complex> &x) const {
        std::vector<Complex> result(n);
        for (size_t k = 0; k < n; ++k)
            for (size_t j = 0; j < n; ++j)
                result[k] += times(x[j], unit[j * k % n]);
        x = std::move(result);
    }

    /// With w = e^(-pi i / n), jk = (j^2 + k^2 - (k - j)^2) / 2: X[k] = w[k^2] sum of (x[j] w[j^2]) / w[(k-j)^2].
    void prepareConvolution() {
        size_t length = std::bit_ceil(2 * n - 1);
        unit = roots(length / 2, length);
        chirp.resize(n);
        for (size_t k : cancellable(n))
            chirp[k] = root(static_cast<uint64_t>(static_cast<unsigned __int128>(k) * k % (2 * n)), 2 * n);
        kernel.resize(length);
        for (size_t k = 0; k < n; ++k)
            kernel[k] = kernel[(length - k) % length] = std::conj(chirp[k]);
        transformPowerOfTwo(kernel, unit);
    }

    void convolve(std::vector<Complex> &x) const {
        size_t length = kernel.size();
        std::vector<Complex> y(length);
        for (size_t k = 0; k < n; ++k)
            y[k] = times(x[k], chirp[k]);
        transformPowerOfTwo(y, unit);
        // The inverse transform is that of the conjugate.
        for (size_t k = 0; k < length; ++k)
            y[k] = std::conj(times(y[k], kernel[k]));
        transformPowerOfTwo(y, unit);
        for (size_t k = 0; k < n; ++k)
            x[k] = times(std::conj(y[k]) / static_cast<double>(length), chirp[k]);
    }

    size_t n;
    std::vector<Complex> unit, chirp, kernel;
};

enum class Direction { Forward, Back };

/// fft(re[, im]), ifft(re[, im])
template <Direction D> std::array<Value, 2> fourier(KernelCall &call, const Dense &re, std::span<const Value> rest) {
    ValueType type = re.type();
    if (!rest.empty() && !rest[0].isMatrix())
        wrongArgument(call, 1, "a matrix");
    if (!rest.empty())
        type = mostGeneral(type, rest[0].dense().type());
    if (type == ValueType::Str)
        wrongArgument(call, re.type() == ValueType::Str ? 0 : 1, "a numeric matrix");
    if (!rest.empty() && (rest[0].dense().rows() != re.rows() || rest[0].dense().cols() != re.cols()))
        throw executionError("needs real and imaginary parts of one shape, got " + re.shapeText() + " and " +
                             rest[0].dense().shapeText());
    Ref<Dense> reals = convertMatrix(re, ValueType::F64);
    Ref<Dense> imaginaries = rest.empty() ? Ref<Dense>() : convertMatrix(rest[0].dense(), ValueType::F64);
    size_t n = re.rows();
    auto a = Dense::create(ValueType::F64, n, re.cols()), b = Dense::create(ValueType::F64, n, re.cols());
    auto outRe = a->mutableView<double>(), outIm = b->mutableView<double>();
    auto inRe = reals->view<double>();
    Transform transform(n);
    std::vector<Complex> x(n);
    for (size_t c = 0; c < re.cols(); ++c) {
        throwIfCancelled();
        // The inverse transform exchanges real and imaginary parts before and afterwards.
        for (size_t r : cancellable(n)) {
            double real = inRe(r, c), imaginary = imaginaries ? imaginaries->view<double>()(r, c) : 0;
            x[r] = D == Direction::Forward ? Complex(real, imaginary) : Complex(imaginary, real);
        }
        transform(x);
        for (size_t r = 0; r < n; ++r) {
            outRe(r, c) = D == Direction::Forward ? x[r].real() : x[r].imag() / static_cast<double>(n);
            outIm(r, c) = D == Direction::Forward ? x[r].imag() : x[r].real() / static_cast<double>(n);
        }
    }
    ValueType result = type == ValueType::F32 ? type : ValueType::F64;
    return {Value(convertMatrix(*a, result)), Value(convertMatrix(*b, result))};
}

} // namespace

void addFourier(KernelTable &t) {
    t.add<&fourier<Direction::Forward>>("fft");
    t.add<&fourier<Direction::Back>>("ifft");
}

} // namespace daphne
