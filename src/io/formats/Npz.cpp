// SPDX-License-Identifier: Apache-2.0
/// Archives of NumPy arrays (numpy.savez, numpy.savez_compressed): ZIP files with
/// one .npy file per array. "x.npz:name" is one of them; without a name it is the
/// only one. Sparse matrices are five arrays, as scipy.sparse.save_npz writes them
/// (CSR). A frame is one array per column.
#include <algorithm>

#include <zlib.h>

#include "base/Cancellable.h"
#include "data/CopyCells.h"
#include "data/CsrEntries.h"
#include "io/NpyArray.h"

namespace daphne::io {

namespace {

// -------------------------------------------------------------------- reading

struct Member {
    std::string name; ///< without .npy
    uint16_t method;  ///< 0 stored, 8 deflated
    uint32_t checksum;
    uint64_t packedBytes, bytes, offset;
};

constexpr uint32_t kEndMark = 0x06054b50, kEntryMark = 0x02014b50, kMemberMark = 0x04034b50;
constexpr uint32_t kElsewhere = 0xffffffff; ///< a size that stands in the ZIP64 field

/// The 64-bit sizes of an entry whose 32-bit ones are full.
void readExtra(ByteCursor extra, Member &m) {
    while (extra.left() >= 4) {
        auto id = extra.number<uint16_t>("an entry");
        auto size = extra.number<uint16_t>("an entry");
        ByteCursor field = extra;
        extra.take(size, "an entry");
        if (id != 1)
            continue;
        for (uint64_t *value : {&m.bytes, &m.packedBytes, &m.offset})
            if (*value == kElsewhere)
                *value = field.number<uint64_t>("an entry");
    }
}

std::vector<Member> readDirectory(ReadJob &job) {
    std::string_view bytes = job.text();
    ByteCursor in(bytes, job.path);
    constexpr size_t kEndBytes = 22, kLongestComment = 0xffff;
    size_t at = bytes.size() < kEndBytes ? bytes.npos : bytes.size() - kEndBytes;
    size_t least = at > kLongestComment ? at - kLongestComment : 0;
    const std::string_view mark("PK\x05\x06", 4);
    while (at != bytes.npos && bytes.substr(at, 4) != mark)
        at = at == least ? bytes.npos : at - 1;
    if (at == bytes.npos)
        throw in.error("this is no ZIP archive");
    in.seek(at + 10);
    size_t count = in.number<uint16_t>("the directory");
    in.number<uint32_t>("the directory");
    in.seek(in.number<uint32_t>("the directory"));
    std::vector<Member> members;
    for (size_t i = 0; i < count; ++i) {
        Member m;
        if (in.number<uint32_t>("the directory") != kEntryMark)
            throw in.error("the directory of the archive is damaged");
        in.take(6, "the directory");
        m.method = in.number<uint16_t>("the directory");
        in.take(4, "the directory");
        m.checksum = in.number<uint32_t>("the directory");
        m.packedBytes = in.number<uint32_t>("the directory");
        m.bytes = in.number<uint32_t>("the directory");
        auto nameLength = in.number<uint16_t>("the directory");
        auto extraLength = in.number<uint16_t>("the directory");
        auto commentLength = in.number<uint16_t>("the directory");
        in.take(8, "the directory");
        m.offset = in.number<uint32_t>("the directory");
        m.name = in.take(nameLength, "the directory");
        readExtra(ByteCursor(in.take(extraLength, "the directory"), job.path), m);
        in.take(commentLength, "the directory");
        if (m.name.ends_with(".npy"))
            m.name.resize(m.name.size() - 4);
        members.push_back(std::move(m));
    }
    return members;
}

/// The bytes of a member; unpacked ones are kept in `unpacked`.
std::string_view contentOf(const Member &m, ReadJob &job, std::string &unpacked) {
    ByteCursor in(job.text(), job.path);
    in.seek(m.offset);
    if (in.number<uint32_t>("a member") != kMemberMark)
        throw in.error("the archive is damaged");
    in.take(22, "a member");
    auto nameLength = in.number<uint16_t>("a member");
    auto extraLength = in.number<uint16_t>("a member");
    in.take(size_t(nameLength) + extraLength, "a member");
    std::string_view packed = in.take(m.packedBytes, "a member");
    if (m.method == 0)
        return packed;
    constexpr uint64_t kMostGrowth = 1100;
    if (m.method != 8 || m.bytes > packed.size() * kMostGrowth + 1024)
        throw in.error(m.method != 8 ? "a member is compressed in an unknown way" : "a member has an impossible size");
    unpacked.resize(m.bytes);
    z_stream z{};
    if (inflateInit2(&z, -15) != Z_OK)
        throw std::bad_alloc();
    struct End {
        z_stream &z;
        ~End() { inflateEnd(&z); }
    } end{z};
    size_t from = 0, to = 0;
    int status = Z_OK;
    while (status == Z_OK) {
        constexpr size_t kStep = size_t(8) << 20;
        throwIfCancelled();
        z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(packed.data() + from));
        z.avail_in = static_cast<uInt>(std::min(kStep, packed.size() - from));
        z.next_out = reinterpret_cast<Bytef *>(unpacked.data() + to);
        z.avail_out = static_cast<uInt>(std::min(kStep, unpacked.size() - to));
        uInt in0 = z.avail_in, out0 = z.avail_out;
        status = inflate(&z, Z_NO_FLUSH);
        from += in0 - z.avail_in;
        to += out0 - z.avail_out;
    }
    if (status != Z_STREAM_END || to != unpacked.size() ||
        crc32_z(0, reinterpret_cast<const Bytef *>(unpacked.data()), unpacked.size()) != m.checksum)
        throw in.error("the compressed data of \"" + shownWord(m.name) + "\" are damaged");
    return unpacked;
}

const Member *find(const std::vector<Member> &members, std::string_view name) {
    auto it = std::ranges::find(members, name, &Member::name);
    return it == members.end() ? nullptr : &*it;
}

Ref<Dense> readArray(const Member &m, ReadJob &job) {
    std::string unpacked;
    ByteCursor in(contentOf(m, job, unpacked), job.path);
    NpyHeader h = readNpyHeader(in);
    return readNpyMatrix(in, h, job);
}

bool isSparse(const std::vector<Member> &members) {
    return find(members, "indptr") && find(members, "indices") && find(members, "data") && find(members, "shape");
}

/// Entry by entry: everything in the file is checked on the way.
Value readSparse(const std::vector<Member> &members, ReadJob &job) {
    auto numbers = [&](const char *name) { return converted(*readArray(*find(members, name), job), ValueType::SI64); };
    if (const Member *format = find(members, "format")) {
        auto name = readArray(*format, job);
        bool isCsr = name->type() == ValueType::Str && name->cells() == 1 && *name->view<std::string>().data == "csr";
        if (!isCsr)
            throw job.error("it holds a sparse matrix that is not in CSR form").withHint("save it with M.tocsr()");
    }
    auto shape = numbers("shape"), offsets = numbers("indptr"), columns = numbers("indices");
    auto values = readArray(*find(members, "data"), job);
    const int64_t *size = shape->view<int64_t>().data, *o = offsets->view<int64_t>().data;
    bool fits = shape->cells() == 2 && size[0] >= 0 && size[1] >= 0 && columns->cells() == values->cells() &&
                offsets->cells() == static_cast<size_t>(size[0]) + 1 && o[0] == 0 && isNumeric(values->type());
    if (!fits)
        throw job.error("the arrays of the sparse matrix do not fit together");
    auto rows = static_cast<size_t>(size[0]), cols = static_cast<size_t>(size[1]);
    auto m = withNumericType(values->type(), [&]<class T>(TypeTag<T>) {
        Entries<T> entries;
        const T *x = values->template view<T>().data;
        const int64_t *c = columns->view<int64_t>().data;
        for (size_t r : cancellable(rows, values->cells() / std::max<size_t>(1, rows))) {
            if (o[r + 1] < o[r] || static_cast<size_t>(o[r + 1]) > values->cells())
                throw job.error("the row offsets of the sparse matrix do not ascend");
            for (int64_t k = o[r]; k < o[r + 1]; ++k) {
                if (c[k] < 0 || static_cast<size_t>(c[k]) >= cols)
                    throw job.error("column " + std::to_string(c[k]) + " of the sparse matrix is outside of it");
                entries.add(r, static_cast<size_t>(c[k]), x[k]);
            }
        }
        return csrFromEntries(entries, values->type(), rows, cols, SamePlace::Add);
    });
    return inWantedForm(withType(std::move(m), resultType(job, values->type())), job.request);
}

Value readMatrix(ReadJob &job) {
    auto members = readDirectory(job);
    if (job.part.empty() && isSparse(members))
        return readSparse(members, job);
    const Member *m = job.part.empty() && members.size() == 1 ? &members[0] : find(members, job.part);
    if (!m) {
        std::string names;
        for (const Member &other : members)
            names += (names.empty() ? "" : ", ") + shownWord(other.name);
        throw job
            .error(job.part.empty() ? "it holds " + std::to_string(members.size()) + " arrays"
                                    : "it holds no array \"" + shownWord(job.part) + "\"")
            .withHint("name one as \"file.npz:name\"; there are: " + names);
    }
    auto cells = readArray(*m, job);
    return inWantedForm(converted(*cells, resultType(job, cells->type())), job.request);
}

Value readFrame(ReadJob &job) {
    auto members = readDirectory(job);
    if (!job.part.empty())
        return frameOf(readMatrix(job).matrix(), job);
    Ref<Frame> frame;
    for (const Member &m : members) {
        auto column = readArray(m, job);
        if (members.size() == 1 && column->cols() != 1)
            return frameOf(*column, job);
        if (!frame)
            frame = Ref<Frame>::make(column->rows());
        frame->addColumn(m.name, column);
    }
    return frame ? frame : Ref<Frame>::make(0);
}

// -------------------------------------------------------------------- writing

/// Members are stored, not compressed; columns have one dimension, as SciPy and pandas expect. All sizes are 32-bit:
/// larger archives are refused.
class Archive {
  public:
    explicit Archive(WriteJob &job) : job(job) {}

    void add(const std::string &name, const Dense &array, Dimensions dimensions = Dimensions::One) {
        // The header of a member holds its checksum, so its content is made first.
        std::string path = job.file.targetPath();
        FileReplacement content(path + ".npy");
        writeNpy(array, content, dimensions);
        content.finish();
        FileText bytes(content.temporaryPath());
        std::string_view text = bytes.text();
        constexpr size_t kMost = 0xfffffff0;
        if (text.size() > kMost - size)
            throw executionError("cannot write file \"" + path + "\": archives over 4 GiB are not supported")
                .withHint("use .npy or .h5");
        auto checksum = static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef *>(text.data()), text.size()));
        std::string fields;
        appendRaw<uint16_t>(fields, 20);
        appendRaw<uint16_t>(fields, 0x0800); // names are UTF-8
        appendRaw<uint16_t>(fields, 0);
        appendRaw<uint32_t>(fields, 0x00210000); // 1 January 1980: equal content gives equal files
        appendRaw(fields, checksum);
        appendRaw(fields, static_cast<uint32_t>(text.size()));
        appendRaw(fields, static_cast<uint32_t>(text.size()));
        appendRaw(fields, static_cast<uint16_t>(name.size() + 4));
        appendRaw<uint16_t>(fields, 0);
        std::string head;
        appendRaw(head, kMemberMark);
        head += fields + name + ".npy";
        appendRaw(directory, kEntryMark);
        appendRaw<uint16_t>(directory, 20);
        directory += fields;
        directory.append(10, '\0');
        appendRaw(directory, static_cast<uint32_t>(size));
        directory += name + ".npy";
        ++count;
        size += head.size() + text.size();
        job.file.write(head);
        job.file.write(text);
    }
    void finish() {
        std::string end;
        appendRaw(end, kEndMark);
        appendRaw<uint32_t>(end, 0);
        appendRaw(end, count);
        appendRaw(end, count);
        appendRaw(end, static_cast<uint32_t>(directory.size()));
        appendRaw(end, static_cast<uint32_t>(size));
        appendRaw<uint16_t>(end, 0);
        job.file.write(directory);
        job.file.write(end);
    }

  private:
    WriteJob &job;
    std::string directory;
    size_t size = 0;
    uint16_t count = 0;
};

template <class T> Ref<Dense> column(const T *cells, size_t n, ValueType type) {
    auto m = Dense::create(type, n, 1);
    std::copy_n(cells, n, m->template mutableView<T>().data);
    return m;
}

void addSparse(Archive &archive, const Csr &matrix) {
    auto m = withValues(matrix);
    size_t n = m->nonZeros();
    uint64_t first = m->offsets()[0];
    std::vector<int64_t> numbers;
    for (size_t r = 0; r <= m->rows(); ++r)
        numbers.push_back(static_cast<int64_t>(m->offsets()[r] - first));
    archive.add("indptr", *column(numbers.data(), numbers.size(), ValueType::SI64));
    withIndexType(m->hasWideIndex(), [&]<class I>(TypeTag<I>) {
        numbers.assign(m->template columns<I>() + first, m->template columns<I>() + first + n);
    });
    archive.add("indices", *column(numbers.data(), n, ValueType::SI64));
    auto format = Dense::create(ValueType::Str, 1, 1);
    *format->mutableView<std::string>().data = "csr";
    archive.add("format", *format);
    numbers = {static_cast<int64_t>(m->rows()), static_cast<int64_t>(m->cols())};
    archive.add("shape", *column(numbers.data(), 2, ValueType::SI64));
    withNumericType(m->type(), [&]<class T>(TypeTag<T>) {
        archive.add("data", *column(m->template values<T>() + first, n, m->type()));
    });
}

void writeMatrix(const Matrix &m, WriteJob &job) {
    Archive archive(job);
    if (m.isCsr() && job.part.empty())
        addSparse(archive, static_cast<const Csr &>(m));
    else
        archive.add(job.part.empty() ? "arr_0" : job.part, *denseOf(m), Dimensions::Two);
    archive.finish();
}

void writeFrame(const Frame &f, WriteJob &job) {
    Archive archive(job);
    for (size_t c = 0; c < f.cols(); ++c)
        archive.add(f.labels[c], *f.columns[c]);
    archive.finish();
}

} // namespace

void addNpz(FormatTable &t) {
    t.add({.extension = "npz",
           .title = "NumPy archive",
           .readMatrix = readMatrix,
           .readFrame = readFrame,
           .writeMatrix = writeMatrix,
           .writeFrame = writeFrame,
           .hasParts = true,
           .compressible = false});
}

} // namespace daphne::io
