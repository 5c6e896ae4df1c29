// SPDX-License-Identifier: Apache-2.0
/// NetCDF files of any kind. "x.nc:name" is one variable of one or two dimensions;
/// without a name it is the only one, or "data". A frame is all variables of one
/// dimension. Written as NetCDF-4.
#include <algorithm>
#include <sys/stat.h>

#include <netcdf.h>

#include "data/CopyCells.h"
#include "io/files/Bytes.h"
#include "io/files/SharedLibrary.h"

namespace daphne::io {

namespace {

struct Library {
    SharedLibrary lib{"NetCDF", {"libnetcdf.so.19", "libnetcdf.so"}};
#define DAPHNE_FUNCTION(name) decltype(::name) *name = lib.get<decltype(::name)>(#name)
    DAPHNE_FUNCTION(nc_strerror);
    DAPHNE_FUNCTION(nc_open);
    DAPHNE_FUNCTION(nc_create);
    DAPHNE_FUNCTION(nc_close);
    DAPHNE_FUNCTION(nc_enddef);
    DAPHNE_FUNCTION(nc_inq_nvars);
    DAPHNE_FUNCTION(nc_inq_var);
    DAPHNE_FUNCTION(nc_inq_varid);
    DAPHNE_FUNCTION(nc_inq_dimlen);
    DAPHNE_FUNCTION(nc_inq_varndims);
    DAPHNE_FUNCTION(nc_def_dim);
    DAPHNE_FUNCTION(nc_def_var);
    DAPHNE_FUNCTION(nc_get_var);
    DAPHNE_FUNCTION(nc_put_var);
    DAPHNE_FUNCTION(nc_free_string);
#undef DAPHNE_FUNCTION
    static const Library &get() {
        static const Library library;
        return library;
    }
};

struct StoredType {
    nc_type code;
    ValueType type;
};
constexpr StoredType kTypes[] = {
    {NC_BYTE, ValueType::SI8},   {NC_UBYTE, ValueType::UI8},   {NC_INT, ValueType::SI32},
    {NC_UINT, ValueType::UI32},  {NC_INT64, ValueType::SI64},  {NC_UINT64, ValueType::UI64},
    {NC_FLOAT, ValueType::F32},  {NC_DOUBLE, ValueType::F64},  {NC_STRING, ValueType::Str},
    {NC_UBYTE, ValueType::Bool}, {NC_UINT64, ValueType::Size},
};

class File {
  public:
    File(const std::string &path, bool create, const std::string &shown) : shown(shown) {
        check(create ? nc.nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, &id)
                     : nc.nc_open(path.c_str(), NC_NOWRITE, &id));
        open = true;
    }
    ~File() {
        if (open)
            nc.nc_close(id);
    }
    File(const File &) = delete;
    File &operator=(const File &) = delete;
    void check(int status) const {
        if (status != NC_NOERR)
            throw executionError("file \"" + shown + "\": " + nc.nc_strerror(status));
    }
    void close() {
        open = false;
        check(nc.nc_close(id));
    }
    const Library &nc = Library::get();
    int id = -1;

  private:
    const std::string &shown;
    bool open = false;
};

struct Variable {
    int id;
    std::string name;
    nc_type code;
    size_t rows = 1, cols = 1;
    int dimensions;
    ValueType type() const {
        if (code == NC_SHORT || code == NC_USHORT)
            return code == NC_SHORT ? ValueType::SI32 : ValueType::UI32;
        for (const StoredType &t : kTypes)
            if (t.code == code)
                return t.type;
        return ValueType::Unknown;
    }
};

std::vector<Variable> variablesOf(const File &f) {
    int count = 0;
    f.check(f.nc.nc_inq_nvars(f.id, &count));
    std::vector<Variable> all;
    for (int i = 0; i < count; ++i) {
        Variable v{};
        v.id = i;
        f.check(f.nc.nc_inq_varndims(f.id, i, &v.dimensions));
        if (v.dimensions > 2)
            continue;
        char name[NC_MAX_NAME + 1] = {};
        int dims[2];
        f.check(f.nc.nc_inq_var(f.id, i, name, &v.code, nullptr, dims, nullptr));
        v.name = name;
        v.rows = v.cols = 1;
        if (v.dimensions > 0)
            f.check(f.nc.nc_inq_dimlen(f.id, dims[0], &v.rows));
        if (v.dimensions > 1)
            f.check(f.nc.nc_inq_dimlen(f.id, dims[1], &v.cols));
        all.push_back(v);
    }
    return all;
}

Ref<Dense> readVariable(const File &f, const Variable &v, const ReadJob &job) {
    ValueType type = v.type();
    if (type == ValueType::Unknown)
        throw job.error("the type of variable \"" + v.name + "\" is not supported");
    // Compressed variables are larger than the file, but not without limit.
    struct stat info{};
    ::stat(job.path.c_str(), &info);
    size_t cells, most = static_cast<size_t>(info.st_size) * 1100 + (size_t(64) << 20);
    if (__builtin_mul_overflow(v.rows, v.cols, &cells) || cells > most / cellSize(type))
        throw job.error("it is too short for a variable of " + std::to_string(v.rows) + "x" + std::to_string(v.cols));
    InForeignCode::expect(cells * cellSize(type));
    if (v.code == NC_SHORT || v.code == NC_USHORT) {
        std::vector<int16_t> raw(cells);
        f.check(f.nc.nc_get_var(f.id, v.id, raw.data()));
        auto m = Dense::create(ValueType::SI32, v.rows, v.cols);
        for (size_t i = 0; i < cells; ++i)
            m->mutableView<int32_t>().data[i] = v.code == NC_SHORT ? raw[i] : static_cast<uint16_t>(raw[i]);
        return converted(*m, type);
    }
    auto m = Dense::create(type, v.rows, v.cols);
    if (cells == 0)
        return m;
    if (type == ValueType::Str) {
        std::vector<char *> texts(cells);
        f.check(f.nc.nc_get_var(f.id, v.id, texts.data()));
        for (size_t i = 0; i < cells; ++i)
            if (texts[i])
                m->mutableView<std::string>().data[i] = texts[i];
        f.check(f.nc.nc_free_string(cells, texts.data()));
        return m;
    }
    withNumericType(
        type, [&]<class T>(TypeTag<T>) { f.check(f.nc.nc_get_var(f.id, v.id, m->template mutableView<T>().data)); });
    return m;
}

Value readMatrix(ReadJob &job) {
    File f(job.path, false, job.path);
    auto all = variablesOf(f);
    std::string name = job.part;
    name.erase(0, name.starts_with('/'));
    auto it = std::ranges::find(all, name.empty() ? "data" : name, &Variable::name);
    if (it == all.end() && name.empty() && all.size() == 1)
        it = all.begin();
    if (it == all.end()) {
        std::string names;
        for (const Variable &v : all)
            names += (names.empty() ? "" : ", ") + v.name;
        throw job
            .error(name.empty() ? "it holds " + std::to_string(all.size()) + " variables"
                                : "it holds no variable \"" + shownWord(name) + "\" of up to two dimensions")
            .withHint("name one as \"file.nc:name\"; there are: " + names);
    }
    auto m = readVariable(f, *it, job);
    return inWantedForm(converted(*m, resultType(job, m->type())), job.request);
}

Value readFrame(ReadJob &job) {
    if (!job.part.empty())
        return frameOf(readMatrix(job).matrix(), job);
    File f(job.path, false, job.path);
    Ref<Frame> frame;
    for (const Variable &v : variablesOf(f)) {
        if (v.dimensions != 1)
            continue;
        auto column = readVariable(f, v, job);
        if (!frame)
            frame = Ref<Frame>::make(column->rows());
        frame->addColumn(v.name, column);
    }
    if (!frame)
        return frameOf(readMatrix(job).matrix(), job);
    return frame;
}

int codeOf(ValueType type) { return std::ranges::find(kTypes, type, &StoredType::type)->code; }

void putVariable(const File &f, int id, const Dense &matrix) {
    auto m = matrix.contiguous() ? denseOf(matrix) : matrix.copy();
    if (m->cells() == 0)
        return;
    if (isNumeric(m->type())) {
        withNumericType(m->type(),
                        [&]<class T>(TypeTag<T>) { f.check(f.nc.nc_put_var(f.id, id, m->template view<T>().data)); });
        return;
    }
    std::vector<const char *> texts;
    for (size_t i = 0; i < m->cells(); ++i)
        texts.push_back(m->view<std::string>().data[i].c_str());
    f.check(f.nc.nc_put_var(f.id, id, texts.data()));
}

void writeMatrix(const Matrix &matrix, WriteJob &job) {
    auto m = denseOf(matrix);
    File f(job.file.temporaryPath(), true, job.file.targetPath());
    int dims[2], id;
    f.check(f.nc.nc_def_dim(f.id, "row", m->rows(), &dims[0]));
    f.check(f.nc.nc_def_dim(f.id, "column", m->cols(), &dims[1]));
    std::string name = job.part.empty() ? "data" : job.part;
    name.erase(0, name.starts_with('/'));
    f.check(f.nc.nc_def_var(f.id, name.c_str(), codeOf(m->type()), 2, dims, &id));
    f.check(f.nc.nc_enddef(f.id));
    putVariable(f, id, *m);
    f.close();
}

void writeFrame(const Frame &frame, WriteJob &job) {
    File f(job.file.temporaryPath(), true, job.file.targetPath());
    int dim;
    f.check(f.nc.nc_def_dim(f.id, "row", frame.rows(), &dim));
    std::vector<int> ids(frame.cols());
    for (size_t c = 0; c < frame.cols(); ++c)
        f.check(f.nc.nc_def_var(f.id, frame.labels[c].c_str(), codeOf(frame.columns[c]->type()), 1, &dim, &ids[c]));
    f.check(f.nc.nc_enddef(f.id));
    for (size_t c = 0; c < frame.cols(); ++c)
        putVariable(f, ids[c], *frame.columns[c]);
    f.close();
}

} // namespace

void addNetCdf(FormatTable &t) {
    t.add({.extension = "nc",
           .title = "NetCDF",
           .readMatrix = readMatrix,
           .readFrame = readFrame,
           .writeMatrix = writeMatrix,
           .writeFrame = writeFrame,
           .hasParts = true,
           .compressible = false,
           .library = "NetCDF",
           .mayHang = true});
}

} // namespace daphne::io
