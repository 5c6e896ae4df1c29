// SPDX-License-Identifier: Apache-2.0
#include "io/text/NumberText.h"

#include "io/text/NearestDouble.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace daphne::io {

namespace {

using detail::ScannedDouble;

/// What the fast ways cannot do.
[[gnu::noinline, gnu::cold]] ScannedDouble scanAnyDouble(const char *p, const char *end) {
    double value = 0;
    auto [last, error] = std::from_chars(p, end, value);
    return {error == std::errc() ? last : nullptr, value};
}

/// Larger than any number of digits, so that the fraction's cannot make up for what is cut off.
constexpr int64_t kMostExponent = int64_t(1) << 58;

/// Whether all but 19 of the digits at p are zeros in front; so many always fit.
[[gnu::noinline, gnu::cold]] bool fitsWithoutZeros(const char *p, int64_t count) {
    for (; count > 19 && (*p == '0' || *p == '.'); ++p)
        count -= *p == '0';
    return count <= 19;
}

/// Appends the digits at p to w, modulo 2^64.
struct EightDigits {
    const char *operator()(const char *p, const char *end, uint64_t &w) const { return detail::digits(p, end, w); }
};

#if defined(__x86_64__) && defined(__GNUC__)
/// From byte n on: moves n bytes to the end of sixteen, with zeros in front.
alignas(16) constexpr signed char kToTheEnd[32] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                                   0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15};

struct SixteenDigits {
    [[gnu::target("avx2,bmi,bmi2")]] const char *operator()(const char *p, const char *end, uint64_t &w) const {
        while (end - p > 16) [[likely]] {
            __m128i chars = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p));
            __m128i digits = _mm_sub_epi8(chars, _mm_set1_epi8('0'));
            __m128i areDigits = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
            unsigned n = _tzcnt_u32(~static_cast<unsigned>(_mm_movemask_epi8(areDigits))); // at most 16
            digits = _mm_shuffle_epi8(digits, _mm_loadu_si128(reinterpret_cast<const __m128i *>(kToTheEnd + n)));
            // Pairs, then fours, then eights.
            __m128i pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(1 << 8 | 10));
            __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(1 << 16 | 100));
            __m128i eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(1 << 16 | 10000));
            auto both = static_cast<uint64_t>(_mm_cvtsi128_si64(eights));
            w = w * detail::kPowersOfTen[n] + (both & 0xFFFFFFFF) * 100000000 + (both >> 32);
            p += n;
            if (n < 16)
                return p;
            // Numbers often have sixteen digits or one more: no branch for that.
            auto next = static_cast<unsigned char>(*p - '0');
            bool isDigit = next < 10;
            w = isDigit ? w * 10 + next : w;
            p += isDigit;
            if (!isDigit)
                return p;
        }
        return detail::digits(p, end, w);
    }
};
#else
using SixteenDigits = EightDigits;
#endif

template <class ReadDigits>
[[gnu::always_inline]] inline ScannedDouble scanDecimal(const char *p, const char *end, ReadDigits readDigits) {
    const char *begin = p;
    bool negative = p != end && *p == '-';
    p += negative;
    const char *first = p;
    uint64_t w = 0;
    if (end - p > 2 && p[1] == '.' && isDigit(*p)) // as most: the place of the point need not be computed
        w = static_cast<uint64_t>(*p++ - '0');
    else
        p = detail::digits(p, end, w);
    int64_t count = p - first, q = 0;
    if (p != end && *p == '.') {
        const char *fraction = ++p;
        p = readDigits(p, end, w);
        q = fraction - p;
        count -= q;
    }
    if (count == 0) [[unlikely]]
        return {nullptr, 0};
    if (p != end && (*p | 0x20) == 'e') {
        const char *e = p + 1;
        bool down = e != end && *e == '-';
        e += down || (e != end && *e == '+');
        const char *digit = e;
        int64_t exponent = 0;
        for (; e != end && isDigit(*e); ++e)
            exponent = exponent < kMostExponent ? exponent * 10 + (*e - '0') : exponent;
        if (e != digit) {
            q += down ? -exponent : exponent;
            p = e;
        }
    }
    double value;
    if ((count > 19 && !fitsWithoutZeros(first, count)) || !nearestDouble(w, q, value)) [[unlikely]]
        return scanAnyDouble(begin, end);
    return {p, negative ? -value : value};
}

template <class T, class ReadDigits>
[[gnu::always_inline]] inline size_t scanAll(const char *&p, const char *end, char delimiter, T *cells, size_t count,
                                             ReadDigits readDigits) {
    const char *at = p;
    size_t n = 0;
    for (; n < count; ++n) {
        auto [last, value] = scanDecimal(at, end, readDigits);
        if (!last)
            break;
        bool isLast = n + 1 == count;
        bool endsLine = last == end || *last == '\n' || (*last == '\r' && (last + 1 == end || last[1] == '\n'));
        if (isLast ? !endsLine && *last != delimiter : last == end || *last != delimiter) [[unlikely]]
            break;
        if constexpr (std::is_same_v<T, float>)
            if (!roundsToFloat(value)) [[unlikely]]
                break;
        cells[n] = static_cast<T>(value);
        at = last + !isLast;
    }
    p = at;
    return n;
}

template <class T> size_t scan(const char *&p, const char *end, char delimiter, T *cells, size_t count) {
    if (daphne::detail::useWideVectors)
        return daphne::detail::runWide([&] { return scanAll(p, end, delimiter, cells, count, SixteenDigits()); });
    return scanAll(p, end, delimiter, cells, count, EightDigits());
}

} // namespace

ScannedDouble detail::scanDoubleWide(const char *p, const char *end) {
    return daphne::detail::runWide([=] { return scanDecimal(p, end, SixteenDigits()); });
}
ScannedDouble detail::scanDoubleNarrow(const char *p, const char *end) { return scanDecimal(p, end, EightDigits()); }

size_t scanDoubles(const char *&p, const char *end, char delimiter, double *cells, size_t count) {
    return scan(p, end, delimiter, cells, count);
}
size_t scanDoubles(const char *&p, const char *end, char delimiter, float *cells, size_t count) {
    return scan(p, end, delimiter, cells, count);
}

} // namespace daphne::io
