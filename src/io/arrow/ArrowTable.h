// SPDX-License-Identifier: Apache-2.0
/// A table that comes as a stream of Arrow's C stream interface. Its batches stay
/// until the table goes. A missing value is NaN (which makes a column of integers
/// or bool f64) or the empty string; where nulls are kept, 0 in a column of
/// integers. Dates and times are integers as stored.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/Error.h"
#include "data/Value.h"
#include "io/arrow/Interface.h"

namespace daphne::io {

/// A structure of the C data interface that is released at the end of its scope.
template <class T> struct OwnedByUs : T {
    OwnedByUs() : T{} {}
    ~OwnedByUs() {
        if (this->release)
            this->release(this);
    }
    OwnedByUs(OwnedByUs &&other) noexcept : T(other) { other.release = nullptr; }
    OwnedByUs(const OwnedByUs &) = delete;
    OwnedByUs &operator=(const OwnedByUs &) = delete;
};

/// The type of a column's cells if none is null; nothing if it is one that matrices and frames do not have.
std::optional<ValueType> cellTypeOf(const ArrowSchema &column);
/// What the type of a column is called in messages, from its code.
std::string arrowTypeName(const ArrowSchema &column);

class ArrowTable {
  public:
    using MakeError = std::function<Error(const std::string &what)>;
    /// Takes all batches out of the stream.
    ArrowTable(ArrowArrayStream &stream, const MakeError &error, const std::function<bool(size_t column)> &keepsNulls);

    size_t cols() const { return types.size(); }
    std::string label(size_t c) const { return schema.children[c]->name ? schema.children[c]->name : ""; }
    bool hasNulls(size_t c) const;

    /// The cells of a column, from `out` on, each so many cells further. T is the cell type of types[c], or one that
    /// it converts to.
    template <class T> void copyColumn(size_t c, T *out, size_t step) const;
    /// Which cells of a column are there.
    void copyThere(size_t c, bool *out) const;
    /// The cells themselves, if they lie one after another as ours do; else null.
    const void *cellsOf(size_t c) const;

    size_t rows = 0;
    std::vector<ValueType> types;

  private:
    ValueType typeOf(int64_t c, const MakeError &error, bool keepNulls) const;

    OwnedByUs<ArrowSchema> schema;
    std::vector<OwnedByUs<ArrowArray>> batches;
};

/// The code of a column's type.
const char *arrowCodeOf(ValueType type);
constexpr int64_t kArrowNullable = 2; ///< a flag of Arrow's C data interface

/// One bit per cell, from the lowest to the highest of each byte.
std::string arrowBitsOf(const DenseView<const bool> &cells, size_t column, size_t begin, size_t end);

} // namespace daphne::io
