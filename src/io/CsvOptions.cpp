// SPDX-License-Identifier: Apache-2.0
#include "io/CsvOptions.h"

#include "base/FloatText.h"

namespace daphne::io {

using nlohmann::json;

namespace {

class Reader {
  public:
    Reader(const json &object, const JsonFields &fields) : object(object), fields(fields) {}

    CsvOptions read() const {
        if (!object.is_object())
            throw fields.invalid("csv must be an object");
        CsvOptions options;
        options.delimiter = character("delimiter", false);
        options.quote = character("quote", true);
        options.header = flag("header");
        options.lenient = flag("lenient");
        options.nulls = texts("nulls");
        options.digits = digits();
        if (options.delimiter.value_or(',') == options.quote.value_or('"'))
            throw fields.invalid("csv: delimiter and quote must be different characters");
        return options;
    }

  private:
    std::optional<char> character(const char *key, bool mayBeNone) const {
        auto it = object.find(key);
        if (it == object.end())
            return std::nullopt;
        std::string text = it->is_string() ? it->get<std::string>() : "";
        if (text.empty() && it->is_string() && mayBeNone)
            return '\0';
        if (text.size() != 1 || text == "\n" || text == "\r" || text[0] == '\0')
            throw fields.invalid(std::string("csv: ") + key + " must be one character, got " + JsonFields::shown(*it));
        return text[0];
    }
    std::optional<bool> flag(const char *key) const {
        auto it = object.find(key);
        if (it == object.end())
            return std::nullopt;
        if (!it->is_boolean())
            throw fields.invalid(std::string("csv: ") + key + " must be true or false, got " + JsonFields::shown(*it));
        return it->get<bool>();
    }
    std::optional<std::vector<std::string>> texts(const char *key) const {
        auto it = object.find(key);
        if (it == object.end())
            return std::nullopt;
        bool areStrings = it->is_array();
        std::vector<std::string> result;
        for (size_t i = 0; areStrings && i < it->size(); ++i) {
            areStrings = (*it)[i].is_string();
            if (areStrings)
                result.push_back((*it)[i].get<std::string>());
        }
        if (!areStrings)
            throw fields.invalid(std::string("csv: ") + key + " must be a list of strings");
        return result;
    }
    std::optional<int> digits() const {
        auto it = object.find("digits");
        if (it == object.end())
            return std::nullopt;
        bool fits = it->is_number_integer() && it->get<int64_t>() >= 0 && it->get<int64_t>() <= kMostFloatDigits;
        if (!fits)
            throw fields.invalid("csv: digits must be an integer from 0 to " + std::to_string(kMostFloatDigits) +
                                 ", got " + JsonFields::shown(*it));
        return it->get<int>();
    }

    const json &object;
    const JsonFields &fields;
};

} // namespace

CsvOptions csvOptionsFrom(const json &object, const JsonFields &fields) { return Reader(object, fields).read(); }

json csvOptionsObject(const CsvOptions &options) {
    json object = json::object();
    if (options.delimiter)
        object["delimiter"] = std::string(1, *options.delimiter);
    if (options.quote)
        object["quote"] = std::string(*options.quote != 0, *options.quote);
    if (options.header)
        object["header"] = *options.header;
    if (options.nulls)
        object["nulls"] = *options.nulls;
    if (options.lenient)
        object["lenient"] = *options.lenient;
    if (options.digits)
        object["digits"] = *options.digits;
    return object;
}

} // namespace daphne::io
