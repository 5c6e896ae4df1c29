// SPDX-License-Identifier: Apache-2.0
#include "io/Metadata.h"

#include <algorithm>
#include <set>

#include "data/NullIndicator.h"
#include "io/CsvOptions.h"
#include "io/files/File.h"

namespace daphne::io {

using nlohmann::json;

namespace {

constexpr size_t kMostColumns = size_t(1) << 20; ///< of a frame: each needs its own label and matrix

class Reader : public JsonFields {
  public:
    explicit Reader(const std::string &path) : JsonFields("invalid meta data file \"" + path + "\""), path(path) {}

    Metadata read() {
        FileText file(path);
        json document = parse(file.text());
        Metadata meta;
        meta.saysRows = document.contains("numRows");
        meta.saysCols = document.contains("numCols");
        meta.rows = size(document, "numRows", 0);
        meta.cols = size(document, "numCols", 0);
        if (auto it = document.find("valueType"); it != document.end())
            meta.valueType = valueType(*it, "valueType");
        meta.allNullable = flag(document, "nullable", "nullable", false);
        if (auto it = document.find("schema"); it != document.end())
            readSchema(*it, meta);
        if (document.contains("numNonZeros"))
            meta.numNonZeros = size(document, "numNonZeros");
        if (auto it = document.find("csv"); it != document.end())
            meta.csv = csvOptionsFrom(*it, *this);
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
        if (!meta.saysCols)
            meta.cols = schema.size();
        meta.saysCols = true;
        if (schema.size() != meta.cols)
            throw invalid("schema has " + std::to_string(schema.size()) + " entries, numCols is " +
                          std::to_string(meta.cols));
        for (const json &column : schema) {
            std::string where = "schema entry " + std::to_string(meta.labels.size());
            bool fits = column.is_object() && (!column.contains("label") || column["label"].is_string());
            if (!fits)
                throw invalid(where + " must be an object with a label and a valueType");
            bool labelled = column.contains("label"), typed = column.contains("valueType");
            meta.labels.push_back(labelled ? column["label"].get<std::string>()
                                           : "col_" + std::to_string(meta.labels.size()));
            meta.unlabelled.push_back(!labelled);
            bool isDefault = typed && column["valueType"] == "";
            if (isDefault && meta.valueType == ValueType::Unknown)
                throw invalid(where + " has an empty valueType and there is no default");
            meta.types.push_back(!typed || isDefault ? meta.valueType
                                                     : valueType(column["valueType"], where + ": valueType"));
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

    std::string path;
};

std::string_view fileName(ValueType t) { return dslName(t == ValueType::Size ? ValueType::UI64 : t); }

} // namespace

std::string Metadata::missing() const {
    if (!saysRows || !saysCols)
        return std::string(saysRows ? "numCols" : "numRows") + " is missing";
    if (!hasSchema() && valueType == ValueType::Unknown)
        return "it has neither valueType nor schema";
    for (size_t c = 0; c < types.size(); ++c)
        if (types[c] == ValueType::Unknown || !isLabelled(c))
            return "schema entry " + std::to_string(c) + " needs a label and a valueType";
    return "";
}

bool Metadata::saysTypes() const {
    auto isKnown = [](ValueType t) { return t != ValueType::Unknown; };
    return isKnown(valueType) || std::any_of(types.begin(), types.end(), isKnown);
}

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
    if (!meta.csv.saysNothing())
        object["csv"] = csvOptionsObject(meta.csv);
    return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace daphne::io
