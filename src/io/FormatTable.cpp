// SPDX-License-Identifier: Apache-2.0
#include "io/FormatTable.h"

#include "base/Error.h"
#include "base/Progress.h"

namespace daphne::io {

#define DAPHNE_FORMATS(name) void add##name(FormatTable &);
#include "FormatsList.inc"
#undef DAPHNE_FORMATS

const FormatTable &FormatTable::get() {
    static const FormatTable table = [] {
        FormatTable t;
#define DAPHNE_FORMATS(name) add##name(t);
#include "FormatsList.inc"
#undef DAPHNE_FORMATS
        return t;
    }();
    return table;
}

const Format *FormatTable::find(std::string_view extension) const {
    for (const Format &f : rows)
        if (f.extension == extension)
            return &f;
    return nullptr;
}

Ref<Dense> denseOf(const Matrix &m) {
    if (m.isCsr())
        return toDense(static_cast<const Csr &>(m));
    return Ref<Dense>::share(const_cast<Dense *>(static_cast<const Dense *>(&m)));
}

const FileText &ReadJob::file() {
    if (!opened) {
        opened = std::make_unique<FileText>(path);
        setProgress(0, opened->text().size());
    }
    return *opened;
}

Error ReadJob::error(const std::string &what) const { return executionError("file \"" + path + "\": " + what); }

} // namespace daphne::io
