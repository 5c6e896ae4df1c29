// SPDX-License-Identifier: Apache-2.0
#include "base/ValueType.h"

#include <array>

namespace daphne {

namespace {
struct Names {
    std::string_view dsl, cpp, scalar;
    size_t bytes;
};
constexpr std::array<Names, 15> kNames = {{
    {"bool", "bool", "bool", sizeof(bool)},
    {"si8", "int8_t", "int8_t", 1},
    {"ui8", "uint8_t", "uint8_t", 1},
    {"si32", "int32_t", "int32_t", 4},
    {"ui32", "uint32_t", "uint32_t", 4},
    {"size", "uint64_t", "uint64_t", 8},
    {"si64", "int64_t", "int64_t", 8},
    {"ui64", "uint64_t", "uint64_t", 8},
    {"f32", "float", "float", 4},
    {"f64", "double", "double", 8},
    {"str", "std::string", "const char*", sizeof(std::string)},
    {"?", "?", "?", 0},
    {"date", "date", "date", 4},
    {"timestamp", "timestamp", "timestamp", 8},
    {"duration", "duration", "duration", 8},
}};
const Names &namesOf(ValueType t) { return kNames[static_cast<size_t>(t)]; }
} // namespace

std::string_view dslName(ValueType t) { return namesOf(t).dsl; }
std::string_view cppName(ValueType t) { return namesOf(t).cpp; }
std::string_view cppScalarName(ValueType t) { return namesOf(t).scalar; }
size_t cellSize(ValueType t) { return namesOf(t).bytes; }

ValueType parseValueType(std::string_view word) {
    for (size_t i = 0; i < kNames.size(); ++i)
        if (kNames[i].dsl == word && static_cast<ValueType>(i) != ValueType::Size)
            return static_cast<ValueType>(i);
    return ValueType::Unknown;
}

} // namespace daphne
