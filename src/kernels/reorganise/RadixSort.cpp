// SPDX-License-Identifier: Apache-2.0
#include "kernels/reorganise/RadixSort.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "base/Cancellable.h"
#include "data/Dense.h"
#include "kernels/RowBlocks.h"

namespace daphne {

namespace {

template <size_t Bytes> struct UnsignedOf;
template <> struct UnsignedOf<1> {
    using Type = uint8_t;
};
template <> struct UnsignedOf<4> {
    using Type = uint32_t;
};
template <> struct UnsignedOf<8> {
    using Type = uint64_t;
};
template <class T> using KeyOf = typename UnsignedOf<sizeof(T)>::Type;
template <class K> constexpr K kTopBit = K(K(1) << (8 * sizeof(K) - 1));

/// Key of a number that is not NaN; -0 comes before 0.
template <class T> KeyOf<T> keyOfNumber(T x, bool ascending) {
    using K = KeyOf<T>;
    K key = std::bit_cast<K>(x);
    if constexpr (std::is_floating_point_v<T>)
        key = key & kTopBit<K> ? ~key : key | kTopBit<K>;
    else if constexpr (std::is_signed_v<T>)
        key ^= kTopBit<K>;
    return ascending ? key : static_cast<K>(~key);
}

/// Inverse of keyOfNumber.
template <class T> T numberOfKey(KeyOf<T> key, bool ascending) {
    using K = KeyOf<T>;
    if (!ascending)
        key = static_cast<K>(~key);
    if constexpr (std::is_floating_point_v<T>)
        key = key & kTopBit<K> ? key ^ kTopBit<K> : ~key;
    else if constexpr (std::is_signed_v<T>)
        key ^= kTopBit<K>;
    return std::bit_cast<T>(key);
}

template <class T> KeyOf<T> keyOf(T x, bool ascending) {
    if constexpr (std::is_floating_point_v<T>) {
        if (x != x)
            return std::numeric_limits<KeyOf<T>>::max();
        x += T(0); // -0 becomes 0
    }
    return keyOfNumber(x, ascending);
}

/// Temporary numbers from the pool of large buffers.
template <class T> class Scratch {
  public:
    explicit Scratch(size_t n) : cells(Dense::create(valueTypeOf<T>(), n, 1)) {}
    T *data() { return cells->mutableView<T>().data; }

  private:
    Ref<Dense> cells;
};

/// How many keys have which value in each of their digits.
template <class K> class Digits {
  public:
    /// Eight bits: the 256 places that are written to stay in the first-level cache (eleven took 2.6 times as long).
    static constexpr size_t kBits = 8, kValues = size_t(1) << kBits;
    static constexpr size_t kCount = (8 * sizeof(K) + kBits - 1) / kBits;
    static size_t digit(K key, size_t i) { return static_cast<size_t>(key >> (i * kBits)) & (kValues - 1); }

    void count(K key) {
        for (size_t i = 0; i < kCount; ++i)
            ++counts[i * kValues + digit(key, i)];
    }
    void add(const Digits &other) {
        std::transform(counts.begin(), counts.end(), other.counts.begin(), counts.begin(), std::plus<>());
    }
    /// The digits, from the lowest to the highest, in which not all of n keys agree.
    std::vector<size_t> distinguishing(K anyKey, size_t n) const {
        std::vector<size_t> result;
        for (size_t i = 0; i < kCount; ++i)
            if (counts[i * kValues + digit(anyKey, i)] != n)
                result.push_back(i);
        return result;
    }
    /// How many keys have which value of digit i.
    const size_t *of(size_t i) const { return counts.data() + i * kValues; }

  private:
    std::vector<size_t> counts = std::vector<size_t>(kCount * kValues);
};

/// Keys [0, n) in equal parts, one for each worker if they are worth sharing.
struct Parts {
    RunContext &context;
    size_t n;
    uint32_t count;

    /// Calls f(part, begin, end) for all of them.
    template <class F> void forEach(F f) const {
        forParts(context, "order", count,
                 [&](uint32_t k) { f(k, beginOfPart(n, count, k), beginOfPart(n, count, k + 1)); });
    }
};
template <class K> Parts partsOf(RunContext &context, size_t n) {
    return {context, n, numParts(context, n, 2.5 * sizeof(K) * static_cast<double>(n))};
}

/// One pass: move(from, to) for all keys, whose digits are known. Equal ones stay in order: those of a part go behind
/// those of the parts before.
template <class K, class Move>
void distribute(const Parts &parts, const Digits<K> &digits, size_t i, const K *keys, Move move) {
    constexpr size_t kValues = Digits<K>::kValues;
    std::vector<size_t> places(parts.count * kValues);
    if (parts.count == 1)
        std::copy_n(digits.of(i), kValues, places.data());
    else
        parts.forEach([&](uint32_t part, size_t begin, size_t end) {
            size_t *count = places.data() + part * kValues;
            for (size_t k : cancellable(end - begin))
                ++count[Digits<K>::digit(keys[begin + k], i)];
        });
    size_t at = 0;
    for (size_t v = 0; v < kValues; ++v)
        for (uint32_t part = 0; part < parts.count; ++part)
            at += std::exchange(places[part * kValues + v], at);
    parts.forEach([&](uint32_t part, size_t begin, size_t end) {
        size_t *place = places.data() + part * kValues;
        for (size_t k : cancellable(end - begin))
            move(begin + k, place[Digits<K>::digit(keys[begin + k], i)]++);
    });
}

/// Digits of the keys of all parts: count(part, begin, end, digits) for each.
template <class K, class Count> Digits<K> countDigits(const Parts &parts, Count count) {
    std::vector<Digits<K>> digits(parts.count);
    parts.forEach([&](uint32_t part, size_t begin, size_t end) { count(part, begin, end, digits[part]); });
    for (uint32_t part = 1; part < parts.count; ++part)
        digits[0].add(digits[part]);
    return std::move(digits[0]);
}

/// Keys in their order: positions[k] is the number of the k-th key, or what `names` has at that place if it is given.
template <class Index, class K>
void orderKeys(const Parts &parts, K *keys, const Digits<K> &digits, const uint64_t *names, uint64_t *positions) {
    Scratch<K> moreKeys(parts.n);
    Scratch<Index> firstIndex(parts.n), secondIndex(parts.n);
    K *otherKeys = moreKeys.data();
    Index *index = firstIndex.data(), *otherIndex = secondIndex.data();
    std::vector<size_t> passes = digits.distinguishing(keys[0], parts.n);
    for (size_t p = 0; p < passes.size(); ++p) {
        bool isFirst = p == 0, isLast = p + 1 == passes.size();
        distribute(parts, digits, passes[p], keys, [=](size_t from, size_t to) {
            size_t i = isFirst ? from : index[from];
            if (isLast) {
                positions[to] = names ? names[i] : i;
            } else {
                otherKeys[to] = keys[from];
                otherIndex[to] = static_cast<Index>(i);
            }
        });
        std::swap(keys, otherKeys);
        std::swap(index, otherIndex);
    }
}

/// Sorts the cells data[i * skip] for i in [0, n), or in names[0, n) if these are given.
template <class T>
void orderCells(const Parts &parts, const T *data, size_t skip, bool ascending, const uint64_t *names,
                uint64_t *positions) {
    using K = KeyOf<T>;
    Scratch<K> scratch(parts.n);
    K *keys = scratch.data();
    auto key = [=](size_t i) { return keyOf<T>(data[(names ? names[i] : i) * skip], ascending); };
    std::atomic<bool> isSorted = true;
    auto digits = countDigits<K>(parts, [&](uint32_t, size_t begin, size_t end, Digits<K> &counts) {
        bool ascends = true;
        K last = key(begin > 0 ? begin - 1 : 0);
        for (size_t k : cancellable(end - begin)) {
            size_t i = begin + k;
            K here = key(i);
            ascends &= last <= here;
            last = here;
            counts.count(here);
            keys[i] = here;
        }
        if (!ascends)
            isSorted = false;
    });
    if (isSorted)
        parts.forEach([&](uint32_t, size_t begin, size_t end) {
            for (size_t k : cancellable(end - begin))
                positions[begin + k] = names ? names[begin + k] : begin + k;
        });
    else if (parts.n <= std::numeric_limits<uint32_t>::max())
        orderKeys<uint32_t>(parts, keys, digits, names, positions);
    else
        orderKeys<uint64_t>(parts, keys, digits, names, positions);
}

/// Sorts the keys, a place of its own being given as well; the result is in either.
template <class K> K *sortKeys(const Parts &parts, K *keys, K *other, const Digits<K> &digits) {
    if (parts.n == 0)
        return keys;
    for (size_t pass : digits.distinguishing(keys[0], parts.n)) {
        distribute(parts, digits, pass, keys, [=](size_t from, size_t to) { other[to] = keys[from]; });
        std::swap(keys, other);
    }
    return keys;
}

/// Zeros of both signs are equal and stay in the order they had; they are adjacent in `sorted`.
template <class T> void restoreZeros(const T *data, size_t n, T *sorted) {
    T *at = std::find(sorted, sorted + n, T(0));
    for (size_t i : cancellable(n))
        if (data[i] == T(0))
            *at++ = data[i];
}

/// Where the numbers of each part go if there is no room for NaNs.
template <class T> std::vector<size_t> placesOfNumbers(const Parts &parts, const T *data) {
    std::vector<size_t> places(parts.count);
    if (parts.count == 1)
        return places;
    parts.forEach([&](uint32_t part, size_t begin, size_t end) {
        places[part] = static_cast<size_t>(std::count_if(data + begin, data + end, [](T x) { return x == x; }));
    });
    std::exclusive_scan(places.begin(), places.end(), places.begin(), size_t(0));
    return places;
}

template <class T> void sortCells(RunContext &context, const T *data, size_t n, bool ascending, T *sorted) {
    using K = KeyOf<T>;
    Parts parts = partsOf<K>(context, n);
    Scratch<K> first(n), second(n);
    K *keys = first.data();
    std::vector<size_t> places = placesOfNumbers(parts, data);
    std::atomic<bool> hasNegativeZeros = false;
    auto digits = countDigits<K>(parts, [&](uint32_t part, size_t begin, size_t end, Digits<K> &counts) {
        size_t at = places[part], numNegativeZeros = 0;
        for (size_t k : cancellable(end - begin)) {
            T x = data[begin + k];
            if (x != x)
                continue;
            K key = keyOfNumber(x, ascending);
            numNegativeZeros += std::is_floating_point_v<T> && std::bit_cast<K>(x) == kTopBit<K>;
            counts.count(key);
            keys[at++] = key;
        }
        places[part] = at;
        if (numNegativeZeros > 0)
            hasNegativeZeros = true;
    });
    Parts numbers{context, places.back(), parts.count};
    keys = sortKeys(numbers, keys, second.data(), digits);
    numbers.forEach([&](uint32_t, size_t begin, size_t end) {
        for (auto [from, to] : cancellablePieces(end - begin))
            for (size_t i = begin + from; i < begin + to; ++i)
                sorted[i] = numberOfKey<T>(keys[i], ascending);
    });
    if (hasNegativeZeros)
        restoreZeros(data, n, sorted);
    if (numbers.n < n)
        std::copy_if(data, data + n, sorted + numbers.n, [](T x) { return x != x; });
}

void orderAny(RunContext &context, ValueType type, const void *data, size_t skip, size_t n, bool ascending,
              const uint64_t *names, uint64_t *positions) {
    if (n == 0)
        return;
    withNumericType(type, [&]<class T>(TypeTag<T>) {
        orderCells(partsOf<KeyOf<T>>(context, n), static_cast<const T *>(data), skip, ascending, names, positions);
    });
}

} // namespace

void radixOrder(RunContext &context, ValueType type, const void *data, size_t skip, size_t n, bool ascending,
                uint64_t *positions) {
    orderAny(context, type, data, skip, n, ascending, nullptr, positions);
}

void radixReorder(RunContext &context, ValueType type, const void *data, size_t skip, bool ascending,
                  uint64_t *positions, size_t n) {
    Scratch<uint64_t> before(n);
    std::copy_n(positions, n, before.data());
    orderAny(context, type, data, skip, n, ascending, before.data(), positions);
}

void radixSort(RunContext &context, ValueType type, const void *data, size_t n, bool ascending, void *sorted) {
    withNumericType(type, [&]<class T>(TypeTag<T>) {
        sortCells<T>(context, static_cast<const T *>(data), n, ascending, static_cast<T *>(sorted));
    });
}

} // namespace daphne
