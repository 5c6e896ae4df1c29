// SPDX-License-Identifier: Apache-2.0
#include "kernels/cells/CellTable.h"

#include <algorithm>

#include "base/Error.h"

namespace daphne {

#define DAPHNE_CELLS(name) void add##name(CellTable &);
#include "CellsList.inc"
#undef DAPHNE_CELLS

const CellTable &CellTable::get() {
    static const CellTable table = [] {
        CellTable t;
#define DAPHNE_CELLS(name) add##name(t);
#include "CellsList.inc"
#undef DAPHNE_CELLS
        std::ranges::sort(t.rows, {}, [](const CellFunction &f) -> std::string_view { return f.op->mnemonic; });
        return t;
    }();
    return table;
}

const CellFunction *CellTable::find(std::string_view name) const {
    auto nameOf = [](const CellFunction &f) -> std::string_view { return f.op->mnemonic; };
    auto it = std::ranges::lower_bound(rows, name, {}, nameOf);
    return it != rows.end() && nameOf(*it) == name ? &*it : nullptr;
}

void CellTable::add(ops::OpName name, CellFunction function) {
    function.op = ops::Registry::get().findOp(name);
    if (function.op->cells != function.op->mnemonic)
        throw internalError("the row of " + std::string(name) + " names another cell function");
    rows.push_back(function);
}

const CellFunction &cellFunction(ops::OpName name) {
    if (const CellFunction *f = CellTable::get().find(name))
        return *f;
    throw internalError("no cell function " + std::string(name));
}

} // namespace daphne
