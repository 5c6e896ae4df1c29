// SPDX-License-Identifier: Apache-2.0
/// HDF5 files. "x.h5:/a/b" is one data set of up to two dimensions; without a name
/// it is the only one of the root group, or "data". A frame is a group with one
/// data set per column, in the order they were made. Writing to a named place
/// keeps what else is in the file.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include <hdf5.h>

#include "base/Cancellable.h"
#include "data/CopyCells.h"
#include "io/files/Bytes.h"
#include "io/files/SharedLibrary.h"

namespace daphne::io {

namespace {

// The names of native types, property classes and ways to open a file are macros that call the library. So the
// variables behind them are looked up by name, and these stand for the others.
constexpr unsigned kReadOnly = 0, kReadWrite = 1, kTruncate = 2;

struct Library {
    SharedLibrary lib{"HDF5", {"libhdf5_serial.so.103", "libhdf5_serial.so", "libhdf5.so.103", "libhdf5.so"}};
#define DAPHNE_FUNCTION(name) decltype(::name) *name = lib.get<decltype(::name)>(#name)
    DAPHNE_FUNCTION(H5open);
    DAPHNE_FUNCTION(H5Eset_auto2);
    DAPHNE_FUNCTION(H5Fopen);
    DAPHNE_FUNCTION(H5Fcreate);
    DAPHNE_FUNCTION(H5Fclose);
    DAPHNE_FUNCTION(H5Oopen);
    DAPHNE_FUNCTION(H5Oclose);
    DAPHNE_FUNCTION(H5Iget_type);
    DAPHNE_FUNCTION(H5Dget_space);
    DAPHNE_FUNCTION(H5Dget_type);
    DAPHNE_FUNCTION(H5Dget_storage_size);
    DAPHNE_FUNCTION(H5Dget_create_plist);
    DAPHNE_FUNCTION(H5Dread);
    DAPHNE_FUNCTION(H5Dwrite);
    DAPHNE_FUNCTION(H5Dcreate2);
    DAPHNE_FUNCTION(H5Dvlen_reclaim);
    DAPHNE_FUNCTION(H5Dclose);
    DAPHNE_FUNCTION(H5Sget_simple_extent_ndims);
    DAPHNE_FUNCTION(H5Sget_simple_extent_dims);
    DAPHNE_FUNCTION(H5Screate_simple);
    DAPHNE_FUNCTION(H5Sselect_hyperslab);
    DAPHNE_FUNCTION(H5Sclose);
    DAPHNE_FUNCTION(H5Tget_class);
    DAPHNE_FUNCTION(H5Tget_size);
    DAPHNE_FUNCTION(H5Tget_sign);
    DAPHNE_FUNCTION(H5Tis_variable_str);
    DAPHNE_FUNCTION(H5Tcopy);
    DAPHNE_FUNCTION(H5Tset_size);
    DAPHNE_FUNCTION(H5Tset_cset);
    DAPHNE_FUNCTION(H5Tget_cset);
    DAPHNE_FUNCTION(H5Tclose);
    DAPHNE_FUNCTION(H5Pcreate);
    DAPHNE_FUNCTION(H5Pclose);
    DAPHNE_FUNCTION(H5Pset_create_intermediate_group);
    DAPHNE_FUNCTION(H5Pset_link_creation_order);
    DAPHNE_FUNCTION(H5Pset_elink_cb);
    DAPHNE_FUNCTION(H5Pget_external_count);
    DAPHNE_FUNCTION(H5Pget_layout);
    DAPHNE_FUNCTION(H5Gcreate2);
    DAPHNE_FUNCTION(H5Gclose);
    DAPHNE_FUNCTION(H5Gget_info);
    DAPHNE_FUNCTION(H5Lget_name_by_idx);
    DAPHNE_FUNCTION(H5Lexists);
    DAPHNE_FUNCTION(H5Ldelete);
#undef DAPHNE_FUNCTION
    hid_t variable(const char *name) const { return *lib.get<hid_t>(name); }
    hid_t cString() const { return variable("H5T_C_S1_g"); }
    /// The type in memory; bool is stored as a byte.
    hid_t nativeType(ValueType type) const {
        switch (type) {
        case ValueType::SI8: return variable("H5T_NATIVE_INT8_g");
        case ValueType::Bool:
        case ValueType::UI8: return variable("H5T_NATIVE_UINT8_g");
        case ValueType::SI32: return variable("H5T_NATIVE_INT32_g");
        case ValueType::UI32: return variable("H5T_NATIVE_UINT32_g");
        case ValueType::SI64: return variable("H5T_NATIVE_INT64_g");
        case ValueType::F32: return variable("H5T_NATIVE_FLOAT_g");
        case ValueType::F64: return variable("H5T_NATIVE_DOUBLE_g");
        default: return variable("H5T_NATIVE_UINT64_g");
        }
    }
    Library() {
        H5open();
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); // we report ourselves
    }
    static const Library &get() {
        static const Library library;
        return library;
    }
};

/// The library serves one thread at a time; workers may be threads of one process.
std::mutex &libraryMutex() {
    static std::mutex mutex;
    return mutex;
}

/// An identifier of the library, closed at the end of its scope.
class Handle {
  public:
    Handle(hid_t id, herr_t (*close)(hid_t), const std::string &path, const std::string &what) : id(id), close(close) {
        if (id < 0)
            throw executionError("file \"" + path + "\": " + what);
    }
    ~Handle() { close(id); }
    Handle(const Handle &) = delete;
    Handle &operator=(const Handle &) = delete;
    operator hid_t() const { return id; }

  private:
    hid_t id;
    herr_t (*close)(hid_t);
};

// -------------------------------------------------------------------- reading

std::vector<std::string> namesIn(hid_t group) {
    const Library &h5 = Library::get();
    H5G_info_t info{};
    std::vector<std::string> names;
    if (h5.H5Gget_info(group, &info) < 0)
        return names;
    for (hsize_t i = 0; i < info.nlinks; ++i) {
        char name[1024];
        // The order of creation where the file keeps it, else that of the names.
        ssize_t n =
            h5.H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
        if (n < 0)
            n = h5.H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
        if (n > 0)
            names.emplace_back(name);
    }
    return names;
}

ValueType typeOf(hid_t type) {
    const Library &h5 = Library::get();
    size_t size = h5.H5Tget_size(type);
    bool isSigned = h5.H5Tget_sign(type) == H5T_SGN_2;
    switch (h5.H5Tget_class(type)) {
    case H5T_STRING: return ValueType::Str;
    case H5T_FLOAT: return size <= 4 ? ValueType::F32 : ValueType::F64;
    case H5T_ENUM: return size == 1 ? ValueType::Bool : ValueType::Unknown; // as h5py stores bool
    case H5T_INTEGER:
        if (size == 1)
            return isSigned ? ValueType::SI8 : ValueType::UI8;
        if (size <= 4)
            return isSigned ? ValueType::SI32 : ValueType::UI32;
        return isSigned ? ValueType::SI64 : ValueType::UI64;
    default: return ValueType::Unknown;
    }
}

void readStrings(hid_t data, hid_t space, hid_t stored, Dense &m, const std::string &path) {
    const Library &h5 = Library::get();
    std::string *out = m.mutableView<std::string>().data;
    Handle type(h5.H5Tcopy(h5.cString()), h5.H5Tclose, path, "out of memory");
    h5.H5Tset_cset(type, h5.H5Tget_cset(stored));
    if (h5.H5Tis_variable_str(stored) > 0) {
        h5.H5Tset_size(type, H5T_VARIABLE);
        std::vector<char *> texts(m.cells());
        if (h5.H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()) < 0)
            throw executionError("file \"" + path + "\": the strings cannot be read");
        for (size_t i : cancellable(texts.size()))
            out[i] = texts[i] ? texts[i] : "";
        h5.H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts.data());
        return;
    }
    size_t size = h5.H5Tget_size(stored);
    h5.H5Tset_size(type, size + 1); // room for the zero at the end
    std::string bytes(m.cells() * (size + 1), '\0');
    if (h5.H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0)
        throw executionError("file \"" + path + "\": the strings cannot be read");
    for (size_t i : cancellable(m.cells()))
        out[i] = std::string(bytes.data() + i * (size + 1), strnlen(bytes.data() + i * (size + 1), size));
}

/// A data set of up to two dimensions whose cells the file can hold.
class DataSet {
  public:
    DataSet(hid_t data, const std::string &name, const ReadJob &job)
        : data(data), name(name), job(job),
          space(h5.H5Dget_space(data), h5.H5Sclose, job.path, "a data set is damaged"),
          stored(h5.H5Dget_type(data), h5.H5Tclose, job.path, "a data set is damaged"),
          dimensions(h5.H5Sget_simple_extent_ndims(space)) {
        if (dimensions < 0 || dimensions > 2)
            throw problem("has " + std::to_string(dimensions) + " dimensions");
        h5.H5Sget_simple_extent_dims(space, size, nullptr);
        type = typeOf(stored);
        if (type == ValueType::Unknown)
            throw problem("is of a type that is not supported");
        // Compressed data are larger than the file, but not without limit.
        size_t cells, most = static_cast<size_t>(h5.H5Dget_storage_size(data)) * 1100 + (size_t(64) << 20);
        if (__builtin_mul_overflow(rows(), cols(), &cells) ||
            cells > most / std::max(cellSize(type), h5.H5Tget_size(stored)))
            throw problem("promises more cells than the file holds");
        InForeignCode::expect(cells * cellSize(type)); // they may be in other files
    }
    size_t rows() const { return size[0]; }
    size_t cols() const { return size[1]; }

    Ref<Dense> read() const {
        auto m = Dense::create(type, rows(), cols());
        if (m->cells() > 0 && type == ValueType::Str)
            readStrings(data, space, stored, *m, job.path);
        else if (m->cells() > 0)
            readNumbers(*m, H5S_ALL, H5S_ALL);
        return m;
    }
    /// Numbers only.
    Ref<Dense> read(size_t first, size_t count) const {
        auto m = Dense::create(type, count, cols());
        if (m->cells() == 0)
            return m;
        hsize_t start[2] = {first, 0}, extent[2] = {count, cols()};
        Handle memory(h5.H5Screate_simple(dimensions, extent, nullptr), h5.H5Sclose, job.path, "out of memory");
        if (h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, extent, nullptr) < 0)
            throw problem("cannot be read");
        readNumbers(*m, memory, space);
        return m;
    }

    ValueType type = ValueType::Unknown;

  private:
    Error problem(const std::string &what) const { return job.error("the data set \"" + name + "\" " + what); }
    void readNumbers(Dense &m, hid_t memorySpace, hid_t fileSpace) const {
        // An enumeration is read as it is stored: one byte.
        hid_t memory = type == ValueType::Bool ? static_cast<hid_t>(stored) : h5.nativeType(type);
        withNumericType(type, [&]<class T>(TypeTag<T>) {
            T *cells = m.mutableView<T>().data;
            if (h5.H5Dread(data, memory, memorySpace, fileSpace, H5P_DEFAULT, cells) < 0)
                throw problem("cannot be read");
            if constexpr (std::is_same_v<T, bool>) {
                auto *bytes = reinterpret_cast<uint8_t *>(cells);
                std::transform(bytes, bytes + m.cells(), bytes, [](uint8_t b) { return uint8_t(b != 0); });
            }
        });
    }

    const Library &h5 = Library::get();
    hid_t data;
    const std::string name;
    const ReadJob &job;
    Handle space, stored;
    int dimensions;
    hsize_t size[2] = {1, 1};
};

class ReadFile {
  public:
    explicit ReadFile(const std::string &path)
        : file(Library::get().H5Fopen(path.c_str(), kReadOnly, H5P_DEFAULT), Library::get().H5Fclose, path,
               "this is no HDF5 file") {}
    Handle file;
};

/// The named object, or what the file holds if there is no doubt.
std::string placeOf(const ReadFile &f, const ReadJob &job, bool frame) {
    if (!job.part.empty())
        return job.part;
    auto names = namesIn(f.file);
    if (std::ranges::find(names, "data") != names.end())
        return "data";
    if (frame)
        return "/";
    if (names.size() == 1)
        return names[0];
    std::string list;
    for (const std::string &name : names)
        list += (list.empty() ? "/" : ", /") + name;
    throw job.error("it holds " + std::to_string(names.size()) + " objects")
        .withHint("name one as \"file.h5:/path\"; there are: " + list);
}

/// Calls use(data set) for the named matrix. Without access to other files, links to them lead nowhere.
enum class OtherFiles : uint8_t { Read, Refused };
template <class Use> auto withMatrix(const ReadJob &job, OtherFiles others, Use &&use) {
    std::lock_guard lock(libraryMutex());
    const Library &h5 = Library::get();
    ReadFile f(job.path);
    std::string place = placeOf(f, job, false);
    Handle access(h5.H5Pcreate(h5.variable("H5P_CLS_LINK_ACCESS_ID_g")), h5.H5Pclose, job.path, "out of memory");
    if (others == OtherFiles::Refused)
        h5.H5Pset_elink_cb(
            access,
            [](const char *, const char *, const char *, const char *, unsigned *, hid_t, void *) -> herr_t {
                return -1;
            },
            nullptr);
    Handle object(h5.H5Oopen(f.file, place.c_str(), access), h5.H5Oclose, job.path,
                  "it holds no \"" + shownWord(place) + "\"");
    if (h5.H5Iget_type(object) != H5I_DATASET)
        throw job.error("\"" + shownWord(place) + "\" is a group, not a data set");
    if (others == OtherFiles::Refused) {
        Handle made(h5.H5Dget_create_plist(object), h5.H5Pclose, job.path, "a data set is damaged");
        if (h5.H5Pget_external_count(made) != 0 || h5.H5Pget_layout(made) == H5D_VIRTUAL)
            throw job.error("the cells of \"" + shownWord(place) + "\" are in other files");
    }
    return use(DataSet(object, place, job));
}

Value readMatrix(ReadJob &job) {
    Ref<Dense> m = withMatrix(job, OtherFiles::Read, [](const DataSet &data) { return data.read(); });
    return inWantedForm(converted(*m, resultType(job, m->type())), job.request);
}

/// For others, who may be allowed to see this file only.
std::optional<Metadata> describeRows(ReadJob &job) {
    Metadata meta;
    withMatrix(job, OtherFiles::Refused, [&](const DataSet &data) {
        meta.rows = data.rows();
        meta.cols = data.cols();
        meta.valueType = data.type;
    });
    if (!isNumeric(meta.valueType) || meta.rows == 0 || meta.cols == 0)
        return std::nullopt;
    meta.valueType = resultType(job, meta.valueType);
    return meta;
}

Ref<Dense> readRows(ReadJob &job, size_t first, size_t count) {
    Ref<Dense> m = withMatrix(job, OtherFiles::Refused, [&](const DataSet &data) {
        if (!isNumeric(data.type) || first > data.rows() || count > data.rows() - first)
            throw job.error("it does not have the rows that are wanted");
        return data.read(first, count);
    });
    return converted(*m, resultType(job, m->type()));
}

Value readFrame(ReadJob &job) {
    std::lock_guard lock(libraryMutex());
    const Library &h5 = Library::get();
    ReadFile f(job.path);
    std::string place = placeOf(f, job, true);
    Handle object(h5.H5Oopen(f.file, place.c_str(), H5P_DEFAULT), h5.H5Oclose, job.path,
                  "it holds no \"" + shownWord(place) + "\"");
    if (h5.H5Iget_type(object) == H5I_DATASET)
        return frameOf(*DataSet(object, place, job).read(), job);
    Ref<Frame> frame;
    for (const std::string &name : namesIn(object)) {
        Handle column(h5.H5Oopen(object, name.c_str(), H5P_DEFAULT), h5.H5Oclose, job.path, "a column is damaged");
        if (h5.H5Iget_type(column) != H5I_DATASET)
            continue;
        auto cells = DataSet(column, name, job).read();
        if (!frame)
            frame = Ref<Frame>::make(cells->rows());
        frame->addColumn(name, cells);
    }
    if (!frame)
        throw job.error("\"" + shownWord(place) + "\" holds no data sets");
    if (!job.meta || !job.meta->hasSchema() || job.meta->cols != frame->cols())
        return frame;
    auto typed = Ref<Frame>::make(frame->rows());
    for (size_t c = 0; c < frame->cols(); ++c)
        typed->addColumn(job.meta->labels[c], converted(*frame->columns[c], job.meta->types[c]));
    return typed;
}

// -------------------------------------------------------------------- writing

/// The file to write to: a new one, or a copy of the old one if only a part of it changes.
hid_t openForWriting(WriteJob &job) {
    const Library &h5 = Library::get();
    const std::string &temporary = job.file.temporaryPath();
    if (!job.part.empty() && std::filesystem::exists(job.file.targetPath())) {
        std::filesystem::copy_file(job.file.targetPath(), temporary, std::filesystem::copy_options::overwrite_existing);
        return h5.H5Fopen(temporary.c_str(), kReadWrite, H5P_DEFAULT);
    }
    return h5.H5Fcreate(temporary.c_str(), kTruncate, H5P_DEFAULT, H5P_DEFAULT);
}

/// Removes what stands at the place; true groups on the way to it stay.
void clearPlace(hid_t file, const std::string &place) {
    const Library &h5 = Library::get();
    for (size_t slash = place.find('/', 1); slash != place.npos; slash = place.find('/', slash + 1))
        if (h5.H5Lexists(file, place.substr(0, slash).c_str(), H5P_DEFAULT) <= 0)
            return;
    if (h5.H5Lexists(file, place.c_str(), H5P_DEFAULT) > 0)
        h5.H5Ldelete(file, place.c_str(), H5P_DEFAULT);
}

void writeDataSet(hid_t where, const std::string &name, const Dense &matrix, int dimensions, const std::string &path) {
    const Library &h5 = Library::get();
    auto m = matrix.contiguous() ? denseOf(matrix) : matrix.copy();
    hsize_t size[2] = {m->rows(), m->cols()};
    Handle space(h5.H5Screate_simple(dimensions, size, nullptr), h5.H5Sclose, path, "out of memory");
    Handle links(h5.H5Pcreate(h5.variable("H5P_CLS_LINK_CREATE_ID_g")), h5.H5Pclose, path, "out of memory");
    h5.H5Pset_create_intermediate_group(links, 1);
    bool text = m->type() == ValueType::Str;
    Handle type(h5.H5Tcopy(text ? h5.cString() : h5.nativeType(m->type())), h5.H5Tclose, path, "out of memory");
    if (text) {
        h5.H5Tset_size(type, H5T_VARIABLE);
        h5.H5Tset_cset(type, H5T_CSET_UTF8);
    }
    Handle data(h5.H5Dcreate2(where, name.c_str(), type, space, links, H5P_DEFAULT, H5P_DEFAULT), h5.H5Dclose, path,
                "the data set \"" + name + "\" cannot be made");
    if (m->cells() == 0)
        return;
    std::vector<const char *> texts;
    const void *cells = nullptr;
    if (text) {
        for (size_t i : cancellable(m->cells()))
            texts.push_back(m->view<std::string>().data[i].c_str());
        cells = texts.data();
    } else {
        withNumericType(m->type(), [&]<class T>(TypeTag<T>) { cells = m->template view<T>().data; });
    }
    if (h5.H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells) < 0)
        throw executionError("cannot write file \"" + path + "\": the data set \"" + name + "\" cannot be written");
}

void writeMatrix(const Matrix &m, WriteJob &job) {
    std::lock_guard lock(libraryMutex());
    const Library &h5 = Library::get();
    const std::string &path = job.file.targetPath();
    Handle file(openForWriting(job), h5.H5Fclose, path, "it cannot be written");
    std::string place = job.part.empty() ? "/data" : job.part;
    clearPlace(file, place);
    writeDataSet(file, place, *denseOf(m), 2, path);
}

void writeFrame(const Frame &f, WriteJob &job) {
    std::lock_guard lock(libraryMutex());
    const Library &h5 = Library::get();
    const std::string &path = job.file.targetPath();
    Handle file(openForWriting(job), h5.H5Fclose, path, "it cannot be written");
    std::string place = job.part.empty() ? "/data" : job.part;
    clearPlace(file, place);
    Handle links(h5.H5Pcreate(h5.variable("H5P_CLS_LINK_CREATE_ID_g")), h5.H5Pclose, path, "out of memory");
    h5.H5Pset_create_intermediate_group(links, 1);
    Handle order(h5.H5Pcreate(h5.variable("H5P_CLS_GROUP_CREATE_ID_g")), h5.H5Pclose, path, "out of memory");
    h5.H5Pset_link_creation_order(order, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    Handle group(h5.H5Gcreate2(file, place.c_str(), links, order, H5P_DEFAULT), h5.H5Gclose, path,
                 "the group \"" + place + "\" cannot be made");
    for (size_t c = 0; c < f.cols(); ++c)
        writeDataSet(group, f.labels[c], *f.columns[c], 1, path);
}

} // namespace

void addHdf5(FormatTable &t) {
    for (const char *extension : {"h5", "hdf5"})
        t.add({.extension = extension,
               .title = "HDF5",
               .readMatrix = readMatrix,
               .readFrame = readFrame,
               .writeMatrix = writeMatrix,
               .writeFrame = writeFrame,
               .describeRows = describeRows,
               .readRows = readRows,
               .hasParts = true,
               .compressible = false,
               .library = "HDF5",
               .mayHang = true});
}

} // namespace daphne::io
