// SPDX-License-Identifier: Apache-2.0
/// The one table of everything that can be set from outside: command-line
/// options, their configuration keys and environment variables. The command
/// line, the configuration file, --help and --print-config all read it; a new
/// option is a new row. Rows are constant data: no work before main().
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace daphne::engine {

enum class OptionKind : uint8_t {
    Flag,
    Integer,
    IntegerOrAuto, ///< an integer or the word "auto"
    Number,
    Text,
    OneOf,
    FlagOrOneOf, ///< a flag that may have a value instead
    IntegerList,
    NumberList,
    TextList,
    ExplainLevels,
    Structured, ///< a JSON object or list of the configuration file with a reader of its own
};

enum class OptionGroup : uint8_t {
    General,
    Optimisation,
    Scheduling,
    Distributed,
    Accelerators,
    Properties,
    Compatibility, ///< options of the published system that change nothing here; checked like all others
};
std::string_view groupTitle(OptionGroup group);
constexpr int kNumOptionGroups = 7;

/// What using an option means in this version.
enum class Availability : uint8_t {
    Works,
    Warns,   ///< goes on without, with a warning
    Missing, ///< its engine comes with a later version: an error when used
};

/// One value of an enumeration option. Names are matched without regard to case.
struct Choice {
    std::string_view name, doc, alias = {};
};

struct OptionRow {
    std::string_view flag;          ///< without dashes; empty: only in the configuration file
    std::string_view negation = {}; ///< flag that sets false ("no-vec")
    std::string_view alias = {};    ///< further spelling of the flag
    OptionKind kind = OptionKind::Flag;
    std::string_view fallback = {}; ///< the default as text; empty: none
    std::string_view configKey = {};
    std::string_view environment = {};
    OptionGroup group = OptionGroup::General;
    std::string_view doc;
    Availability availability = Availability::Works;
    std::string_view engine =
        {}; ///< Warns and Missing: what is absent, completing "<engine> is not part of this version"
    std::span<const Choice> choices = {};
    std::span<const Choice> (*listChoices)() = nullptr; ///< instead, where another layer has the list
    bool pluginsAddChoices = false;
    bool choicesAreFlags = false; ///< early spelling: --GSS for --partitioning=GSS
    bool valueIsOptional = false; ///< --inter-op alone means --inter-op=1; a text is - then
    int64_t minimum = INT64_MIN, maximum = INT64_MAX;
    bool aboveMinimum = false; ///< of a Number: the minimum itself is too small

    std::span<const Choice> allChoices() const { return listChoices ? listChoices() : choices; }
    bool isList() const {
        return kind == OptionKind::IntegerList || kind == OptionKind::NumberList || kind == OptionKind::TextList ||
               kind == OptionKind::ExplainLevels;
    }
    /// How messages and listings call it: "option --vec" or "configuration key 'cuda_devices'".
    std::string title() const;
    /// "--vec", "--no-obj-ref-mgnt" or the configuration key.
    std::string spelling() const;
};

std::span<const OptionRow> optionTable();
/// Index of the row whose flag, negation or configuration key this is; an internal error if there is none.
size_t optionIndex(std::string_view name);

/// Environment variables that are not the value of one option.
struct EnvironmentRow {
    std::string_view name, doc;
};
std::span<const EnvironmentRow> environmentTable();

/// Checks one textual value of a row (of a list: one element) and returns its canonical spelling: choices as in the
/// table, flags as true/false. `subject` starts the message of the Error (status 1). `added` are choices of plug-ins.
std::string checkedValue(const OptionRow &row, std::string_view text, const std::string &subject,
                         std::span<const Choice> added = {});
/// Splits at commas and checks every element.
std::vector<std::string> checkedList(const OptionRow &row, std::string_view text, const std::string &subject);

/// Case-insensitive comparison of ASCII words.
bool sameWord(std::string_view a, std::string_view b);

} // namespace daphne::engine
