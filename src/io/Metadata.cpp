// SPDX-License-Identifier: Apache-2.0
#include "io/Metadata.h"

#include <algorithm>
#include <set>

#include "data/NullIndicator.h"
#include "io/files/File.h"
#include "io/text/JsonFields.h"

namespace daphne::io {

using nlohmann::json;

namespace {

constexpr size_t kMostColumns = size_t(1) << 20; ///< of a frame: each needs its own label and matrix

class Reader : JsonFields {
  public:
    explicit Reader(const std::string &path) : JsonFields("invalid meta data file \"" + path + "\""), path(path) {}

    Metadata read() {
        FileText file(path);
        json document = parse(file.text());
        Metadata meta;
        meta.rows = size(document, "numRows");
        meta.cols = size(document, "numCols");
        if (auto it = document.find("valueType"); it != document.end())
            meta.valueType = valueType(*it, "valueType");
        meta.allNullable = flag(document, "nullable", "nullable", false);
        if (auto it = document.find("schema"); it != document.end())
            readSchema(*it, meta);
        else if (meta.valueType == ValueType::Unknown)
            throw invalid("it has neither valueType nor schema");
        if (document.contains("numNonZeros"))
            meta.numNonZeros = size(document, "numNonZeros");
        if (auto it = document.find("csv"); it != document.end())
            readStyle(*it, meta.csv);
        return meta;
    }

  private:
    bool flag(const json &object, const char *key, const std::string &where, bool otherwise) const {
        auto it = object.find(key);
        if (it == object.end())
            return otherwise;
        if (!it->is_boolean())
            throw invalid(where + " must be true or false, got " + shown(*it));
        return it->get<bool>();
    }

    void readSchema(const json &schema, Metadata &meta) const {
        if (!schema.is_array())
            throw invalid("schema must be an array");
        if (schema.size() != meta.cols)
            throw invalid("schema has " + std::to_string(schema.size()) + " entries, numCols is " +
                          std::to_string(meta.cols));
        for (const json &column : schema) {
            std::string where = "schema entry " + std::to_string(meta.labels.size());
            bool complete = column.is_object() && column.contains("label") && column["label"].is_string() &&
                            column.contains("valueType");
            if (!complete)
                throw invalid(where + " needs a label and a valueType");
            meta.labels.push_back(column["label"].get<std::string>());
            bool isDefault = column["valueType"] == "";
            if (isDefault && meta.valueType == ValueType::Unknown)
                throw invalid(where + " has an empty valueType and there is no default");
            meta.types.push_back(isDefault ? meta.valueType : valueType(column["valueType"], where + ": valueType"));
            meta.nullable.push_back(flag(column, "nullable", where + ": nullable", meta.allNullable));
        }
        needNoIndicators(meta);
        if (meta.types.empty() && meta.valueType == ValueType::Unknown)
            meta.valueType = ValueType::F64; // no column has a type
    }

    /// A label stands for one column only, also that of an indicator.
    void needNoIndicators(const Metadata &meta) const {
        std::set<std::string_view> nullable;
        for (size_t c = 0; c < meta.labels.size(); ++c)
            if (meta.nullable[c])
                nullable.insert(meta.labels[c]);
        for (const std::string &label : meta.labels)
            if (std::string_view column = columnOfIndicator(label); !column.empty() && nullable.contains(column))
                throw invalid("the column \"" + label + "\" is called like the null indicator of the column \"" +
                              std::string(column) + "\"");
    }

    /// {"delimiter": ";", "header": true, "quote": "'", "nulls": ["NA"]}; all optional.
    void readStyle(const json &object, CsvStyle &style) const {
        if (!object.is_object())
            throw invalid("csv must be an object");
        auto character = [&](const char *key, char &target) {
            auto it = object.find(key);
            if (it == object.end())
                return;
            std::string text = it->is_string() ? it->get<std::string>() : "";
            bool none = text.empty() && it->is_string() && std::string_view(key) == "quote";
            if (!none && (text.size() != 1 || text == "\n" || text == "\r"))
                throw invalid(std::string("csv: ") + key + " must be one character, got " + shown(*it));
            target = none ? '\0' : text[0];
        };
        character("delimiter", style.delimiter);
        character("quote", style.quote);
        style.header = flag(object, "header", "csv: header", false);
        if (auto it = object.find("nulls"); it != object.end()) {
            if (!it->is_array())
                throw invalid("csv: nulls must be a list of strings");
            for (const json &text : *it) {
                if (!text.is_string())
                    throw invalid("csv: nulls must be a list of strings");
                style.nulls.push_back(text.get<std::string>());
            }
        }
    }

    std::string path;
};

std::string_view fileName(ValueType t) { return dslName(t == ValueType::Size ? ValueType::UI64 : t); }

} // namespace

double Metadata::sparsity() const {
    if (!numNonZeros || rows == 0 || cols == 0)
        return -1;
    return static_cast<double>(*numNonZeros) / (static_cast<double>(rows) * static_cast<double>(cols));
}

bool Metadata::hasNullable() const {
    return nullable.empty() ? allNullable : std::find(nullable.begin(), nullable.end(), true) != nullable.end();
}

std::vector<ValueType> Metadata::columnTypes() const {
    if (hasSchema())
        return types;
    if (cols > kMostColumns)
        throw executionError("a frame cannot have " + std::to_string(cols) + " columns");
    return std::vector<ValueType>(cols, valueType);
}

std::vector<std::string> Metadata::columnLabels() const {
    if (hasSchema())
        return labels;
    std::vector<std::string> defaults(columnTypes().size());
    for (size_t c = 0; c < defaults.size(); ++c)
        defaults[c] = "col_" + std::to_string(c);
    return defaults;
}

std::string metadataPath(const std::string &dataPath) { return dataPath + ".meta"; }

std::optional<Metadata> readMetadata(const std::string &dataPath) {
    std::string path = metadataPath(dataPath);
    if (!fileExists(path))
        return std::nullopt;
    return Reader(path).read();
}

std::string metadataText(const Metadata &meta) {
    json object = {{"numRows", meta.rows}, {"numCols", meta.cols}};
    if (meta.valueType != ValueType::Unknown)
        object["valueType"] = fileName(meta.valueType);
    if (meta.hasSchema() || meta.valueType == ValueType::Unknown) {
        json schema = json::array();
        for (size_t c = 0; c < meta.types.size(); ++c) {
            schema.push_back({{"label", meta.labels[c]}, {"valueType", fileName(meta.types[c])}});
            if (meta.isNullable(c))
                schema.back()["nullable"] = true;
        }
        object["schema"] = std::move(schema);
    }
    if (meta.numNonZeros)
        object["numNonZeros"] = *meta.numNonZeros;
    return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace daphne::io
