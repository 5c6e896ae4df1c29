// SPDX-License-Identifier: Apache-2.0
#include "kernels/RadixSort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <vector>

#include "data/Dense.h"

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
    /// The digits, from the lowest to the highest, in which not all of n keys agree.
    std::vector<size_t> distinguishing(K anyKey, size_t n) const {
        std::vector<size_t> result;
        for (size_t i = 0; i < kCount; ++i)
            if (counts[i * kValues + digit(anyKey, i)] != n)
                result.push_back(i);
        return result;
    }
    /// Where the first key with each value of digit i belongs.
    std::vector<size_t> firstPlaces(size_t i) const {
        std::vector<size_t> places(kValues);
        size_t at = 0;
        for (size_t v = 0; v < kValues; ++v) {
            places[v] = at;
            at += counts[i * kValues + v];
        }
        return places;
    }

  private:
    std::vector<size_t> counts = std::vector<size_t>(kCount * kValues);
};

/// One pass: move(from, to) for all keys in order.
template <class K, class Move> void distribute(const Digits<K> &digits, size_t i, const K *keys, size_t n, Move move) {
    std::vector<size_t> places = digits.firstPlaces(i);
    size_t *place = places.data();
    for (size_t from = 0; from < n; ++from)
        move(from, place[Digits<K>::digit(keys[from], i)]++);
}

/// Writes with emit(k, i) that the i-th key (they are given by key(i)) is the k-th in order.
template <class Index, class K, class GetKey, class Emit> void orderKeys(size_t n, GetKey key, Emit emit) {
    Scratch<K> firstKeys(n), secondKeys(n);
    Scratch<Index> firstIndex(n), secondIndex(n);
    K *keys = firstKeys.data(), *otherKeys = secondKeys.data();
    Index *index = firstIndex.data(), *otherIndex = secondIndex.data();
    Digits<K> digits;
    bool isSorted = true;
    for (size_t i = 0; i < n; ++i) {
        keys[i] = key(i);
        isSorted &= i == 0 || keys[i - 1] <= keys[i];
        digits.count(keys[i]);
    }
    if (isSorted) {
        for (size_t i = 0; i < n; ++i)
            emit(i, i);
        return;
    }
    std::vector<size_t> passes = digits.distinguishing(keys[0], n);
    if (passes.size() == 1)
        return distribute(digits, passes[0], keys, n, [=](size_t from, size_t to) { emit(to, from); });
    distribute(digits, passes[0], keys, n, [=](size_t from, size_t to) {
        otherKeys[to] = keys[from];
        otherIndex[to] = static_cast<Index>(from);
    });
    for (size_t p = 1; p + 1 < passes.size(); ++p) {
        std::swap(keys, otherKeys);
        std::swap(index, otherIndex);
        distribute(digits, passes[p], keys, n, [=](size_t from, size_t to) {
            otherKeys[to] = keys[from];
            otherIndex[to] = index[from];
        });
    }
    distribute(digits, passes.back(), otherKeys, n, [=](size_t from, size_t to) { emit(to, otherIndex[from]); });
}

template <class T, class GetCell, class Emit> void orderCells(size_t n, bool ascending, GetCell cell, Emit emit) {
    auto key = [=](size_t i) { return keyOf<T>(cell(i), ascending); };
    if (n <= std::numeric_limits<uint32_t>::max())
        orderKeys<uint32_t, KeyOf<T>>(n, key, emit);
    else
        orderKeys<uint64_t, KeyOf<T>>(n, key, emit);
}

/// Sorts keys[0, n), a place of its own being given as well; the result is in either.
template <class K> K *sortKeys(K *keys, K *other, size_t n, const Digits<K> &digits) {
    if (n == 0)
        return keys;
    for (size_t pass : digits.distinguishing(keys[0], n)) {
        distribute(digits, pass, keys, n, [=](size_t from, size_t to) { other[to] = keys[from]; });
        std::swap(keys, other);
    }
    return keys;
}

/// Zeros of both signs are equal and stay in the order they had; they are adjacent in `sorted`.
template <class T> void restoreZeros(const T *data, size_t n, T *sorted) {
    T *at = std::find(sorted, sorted + n, T(0));
    for (size_t i = 0; i < n; ++i)
        if (data[i] == T(0))
            *at++ = data[i];
}

template <class T> void sortCells(const T *data, size_t n, bool ascending, T *sorted) {
    using K = KeyOf<T>;
    Scratch<K> first(n), second(n);
    K *keys = first.data();
    Digits<K> digits;
    size_t numKeys = 0, numNegativeZeros = 0;
    for (size_t i = 0; i < n; ++i) {
        T x = data[i];
        K key = keyOfNumber(x, ascending);
        if (x != x)
            continue;
        numNegativeZeros += std::is_floating_point_v<T> && std::bit_cast<K>(x) == kTopBit<K>;
        digits.count(key);
        keys[numKeys++] = key;
    }
    keys = sortKeys(keys, second.data(), numKeys, digits);
    for (size_t i = 0; i < numKeys; ++i)
        sorted[i] = numberOfKey<T>(keys[i], ascending);
    if (numNegativeZeros)
        restoreZeros(data, n, sorted);
    if (numKeys < n)
        std::copy_if(data, data + n, sorted + numKeys, [](T x) { return x != x; });
}

} // namespace

void radixOrder(ValueType type, const void *data, size_t skip, size_t n, bool ascending, uint64_t *positions) {
    withNumericType(type, [&]<class T>(TypeTag<T>) {
        const T *cells = static_cast<const T *>(data);
        orderCells<T>(
            n, ascending, [=](size_t i) { return cells[i * skip]; }, [=](size_t k, size_t i) { positions[k] = i; });
    });
}

void radixReorder(ValueType type, const void *data, size_t skip, bool ascending, uint64_t *positions, size_t n) {
    Scratch<uint64_t> before(n);
    uint64_t *old = before.data();
    std::copy_n(positions, n, old);
    withNumericType(type, [&]<class T>(TypeTag<T>) {
        const T *cells = static_cast<const T *>(data);
        orderCells<T>(
            n, ascending, [=](size_t i) { return cells[old[i] * skip]; },
            [=](size_t k, size_t i) { positions[k] = old[i]; });
    });
}

void radixSort(ValueType type, const void *data, size_t n, bool ascending, void *sorted) {
    withNumericType(type, [&]<class T>(TypeTag<T>) {
        sortCells<T>(static_cast<const T *>(data), n, ascending, static_cast<T *>(sorted));
    });
}

} // namespace daphne
