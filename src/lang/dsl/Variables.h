// SPDX-License-Identifier: Apache-2.0
/// The variables visible at one point of a script or function body: nested
/// scopes, and regions (branches, loop bodies) whose assignments to outer
/// variables can be taken back and merged. Costs are proportional to the
/// number of assignments, not of variables.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/Source.h"
#include "ops/FunctionKind.h"
#include "ops/TypeDesc.h"

namespace daphne::lang {

/// What is known of a value while parsing (language 3.3): its type without shape, and its value if it is a
/// parse-time constant.
struct Known {
    ops::TypeDesc type;
    std::optional<ops::Constant> constant = std::nullopt;
    bool isFunction = false;                        ///< certainly; the type is unknown then
    std::optional<size_t> numParams = std::nullopt; ///< of a function, if it takes as many arguments, no fewer

    bool mayBeFunction() const { return isFunction || type.isUnknown(); }

    static Known nothing() { return {}; }
};

/// The type of a value where a call chooses among definitions, and what is known of a parameter of such a type.
inline ops::TypeDesc typeAsArgument(const Known &value) { return value.isFunction ? ops::functionType() : value.type; }
inline Known knownOf(const ops::TypeDesc &param) {
    bool isFunction = param.kind == ops::kFunctionKind;
    return {.type = isFunction ? ops::TypeDesc::unknown() : param, .isFunction = isFunction};
}

struct Variable {
    std::string_view name;
    Known value;
    SourceSpan assignedAt; ///< the last assignment
    bool readOnly = false;
};

class Variables {
  public:
    enum class Access : uint8_t { Writable, ReadOnly };

    /// Null if there is none; valid until the next change.
    const Variable *find(std::string_view name) const;
    /// Names must outlive the object.
    void assign(std::string_view name, Known value, SourceSpan at);
    /// A new variable in the innermost scope, whether or not it hides another one.
    void define(std::string_view name, Known value, SourceSpan at, Access access = Access::Writable);
    /// Keeps the type but forgets the value, if there is such a variable.
    void forgetConstant(std::string_view name);

    void openScope() { scopeStarts.push_back(static_cast<uint32_t>(slots.size())); }
    void closeScope();

    /// Text that may or may not run, or run repeatedly.
    struct Region {
        size_t journalStart;
        uint32_t numOuterSlots; ///< variables that are older than the region
        uint32_t numSlots;      ///< that were older than the region around it
        uint32_t outerId;
    };
    struct Change {
        uint32_t slot;
        Variable after;
    };
    Region openRegion();
    /// The outer variables assigned in the region so far, as they are now.
    std::vector<Change> changesSince(const Region &region) const;
    /// The outer variables assigned in the region, ordered by slot, with their last values; takes the assignments back.
    std::vector<Change> closeRegion(const Region &region);
    const Variable &at(uint32_t slot) const { return slots[slot].variable; }
    void set(uint32_t slot, Known value, SourceSpan at);

    /// Every visible name.
    std::vector<std::string_view> names() const;
    /// Where a variable of a scope that has ended was assigned.
    std::optional<SourceSpan> findEnded(std::string_view name) const;

  private:
    static constexpr uint32_t kNone = UINT32_MAX;
    struct Slot {
        Variable variable;
        uint32_t hidden;    ///< slot of the outer variable of the same name
        uint32_t journaled; ///< region that has saved the old value
    };
    struct Saved {
        uint32_t slot;
        Variable before;
    };

    std::unordered_map<std::string_view, uint32_t> slotOf;
    std::unordered_map<std::string_view, SourceSpan> ended;
    std::vector<Slot> slots;
    std::vector<uint32_t> scopeStarts;
    std::vector<Saved> journal;
    uint32_t regionId = 0, lastRegionId = 0, regionSlots = 0;
};

} // namespace daphne::lang
