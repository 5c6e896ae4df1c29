// SPDX-License-Identifier: Apache-2.0
#include "kernels/times/TimeCells.h"

#include "kernels/RawCells.h"
#include "kernels/elementwise/Convert.h"

namespace daphne {

TimeCells::TimeCells(const Value &v, MatrixShape result, Dates dates) : kept(v) {
    ValueType type = v.valueType();
    isNarrow = type == ValueType::Date;
    scale = isNarrow && dates == Dates::AsMicros ? calendar::kMicrosPerDay : 1;
    if (!isTime(type))
        kept = v.isScalar() ? convertScalar(v, ValueType::SI64) : Value(convertMatrix(v.dense(), ValueType::SI64));
    if (kept.isScalar()) {
        storeScalar(kept, kept.scalarType(), single);
        cells = single;
        return;
    }
    cells = rawCells(kept.dense()).data;
    steps = {kept.dense(), kept.dense().skip(), result};
}

int64_t checkedTime(int64_t x, ValueType type) {
    bool fits = x == calendar::kNat || (type == ValueType::Date        ? calendar::isDay(x)
                                        : type == ValueType::Timestamp ? calendar::isTimestamp(x)
                                                                       : true);
    if (!fits)
        throw executionError("the " + std::string(dslName(type)) + " lies outside of the years 1 to 9999");
    return x;
}

Value timeScalar(int64_t x, ValueType type) {
    if (type != ValueType::Date)
        return Value::scalar(x, type);
    return Value::scalar(x == calendar::kNat ? calendar::kNatDate : static_cast<int32_t>(x), type);
}

} // namespace daphne
