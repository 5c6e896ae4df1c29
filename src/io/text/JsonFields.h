// SPDX-License-Identifier: Apache-2.0
/// Members of JSON documents that describe data, with their checks. Errors have
/// status 3 and begin with what the document is.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/Error.h"
#include "base/ValueType.h"

namespace daphne::io {

class JsonFields {
  public:
    using Json = nlohmann::json;
    /// "invalid meta data file "x.meta"" for the messages.
    explicit JsonFields(std::string document) : document(std::move(document)) {}

    Error invalid(const std::string &what) const { return executionError(document + ": " + what); }

    Json parse(std::string_view text) const {
        Json object = Json::parse(text, nullptr, /*allow_exceptions=*/false);
        if (object.is_discarded())
            throw invalid("it is not valid JSON");
        if (!object.is_object())
            throw invalid("it is not a JSON object");
        return object;
    }

    size_t size(const Json &object, const char *key) const {
        auto it = object.find(key);
        if (it == object.end())
            throw invalid(std::string(key) + " is missing");
        bool fits = it->is_number_unsigned() && it->get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX);
        if (!fits)
            throw invalid(std::string(key) + " must be an integer >= 0, got " + shown(*it));
        return it->get<size_t>();
    }
    size_t size(const Json &object, const char *key, size_t otherwise) const {
        return object.contains(key) ? size(object, key) : otherwise;
    }

    ValueType valueType(const Json &text, const std::string &where) const {
        ValueType t = text.is_string() ? parseValueType(text.get<std::string>()) : ValueType::Unknown;
        if (t == ValueType::Unknown)
            throw invalid(where + " " + shown(text) + " is not a value type")
                .withHint("value types are si8 si32 si64 ui8 ui32 ui64 f32 f64 str bool date timestamp duration");
        return t;
    }

    /// For messages; what is nested may be nested deeply.
    static std::string shown(const Json &value) {
        return value.is_structured() ? std::string("an ") + value.type_name() : value.dump(-1, ' ', true);
    }

  private:
    std::string document;
};

} // namespace daphne::io
