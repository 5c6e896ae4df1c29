// SPDX-License-Identifier: Apache-2.0
#include "dist/protocol/Message.h"

#include <algorithm>

namespace daphne::dist {

namespace {

void write(ByteWriter &w, const MemoryOffer &m) { w.number(m.process).number(m.address).raw(m.challenge); }
MemoryOffer readOffer(ByteReader &r) {
    MemoryOffer m;
    m.process = r.number<uint64_t>();
    m.address = r.number<uint64_t>();
    std::ranges::copy(r.raw(m.challenge.size()), m.challenge.begin());
    return m;
}

void write(ByteWriter &w, const ObjectBegin &m) {
    w.number(m.object).number(m.version).number(m.kind).number(m.first).number(m.count).number(m.totalBytes);
}
ObjectBegin readBegin(ByteReader &r) {
    ObjectBegin m;
    m.object = r.number<uint64_t>();
    m.version = r.number<uint64_t>();
    m.kind = r.enumerator(ObjectBegin::Kind::Result);
    m.first = r.number<uint64_t>();
    m.count = r.number<uint64_t>();
    m.totalBytes = r.number<uint64_t>();
    return m;
}

} // namespace

void writeEnvelope(ByteWriter &w, const Envelope &e, uint64_t bodyBytes) {
    w.number(kMagic).number(kProtocolVersion).number(e.type).number(e.request).number(e.pipeline).number(bodyBytes);
}

Bytes frameOf(const Envelope &e, const Bytes &body) {
    ByteWriter w;
    w.out.reserve(kEnvelopeBytes + body.size());
    writeEnvelope(w, e, body.size());
    w.raw(body);
    return std::move(w.out);
}

std::span<const std::byte> takeFrame(std::span<const std::byte> &delivered) {
    size_t size = delivered.size();
    if (size >= kEnvelopeBytes) {
        uint64_t body;
        std::memcpy(&body, delivered.data() + kEnvelopeBytes - sizeof body, sizeof body);
        if (body <= size - kEnvelopeBytes)
            size = kEnvelopeBytes + static_cast<size_t>(body);
    }
    auto frame = delivered.first(size);
    delivered = delivered.subspan(size);
    return frame;
}

Envelope openFrame(std::span<const std::byte> frame, std::span<const std::byte> &body) {
    ByteReader r(frame);
    if (r.number<uint32_t>() != kMagic)
        throw WireError("no message of this protocol");
    if (auto version = r.number<uint16_t>(); version != kProtocolVersion)
        throw WireError("version " + std::to_string(version) + " of the protocol, " + std::to_string(kProtocolVersion) +
                        " is needed");
    Envelope e;
    e.type = r.enumerator(MessageType::Detach);
    e.request = r.number<uint64_t>();
    e.pipeline = r.number<uint64_t>();
    auto length = r.number<uint64_t>();
    if (length != frame.size() - kEnvelopeBytes)
        throw WireError("a body of " + std::to_string(length) + " bytes is announced, " +
                        std::to_string(frame.size() - kEnvelopeBytes) + " came");
    body = r.rest();
    return e;
}

// ---- bodies: bodyOf and read mirror each other

Bytes bodyOf(const Hello &m) {
    ByteWriter w;
    w.text(m.build).text(m.token).number(m.chunkBytes).number(m.heartbeatMs).number(m.workerId);
    w.number(static_cast<uint32_t>(m.options.size()));
    for (const std::string &option : m.options)
        w.text(option);
    write(w, m.memory);
    return std::move(w.out);
}
template <> Hello read(std::span<const std::byte> body) {
    ByteReader r(body);
    Hello m;
    m.build = r.text(256);
    m.token = r.text(4096);
    m.chunkBytes = r.number<uint64_t>();
    m.heartbeatMs = r.number<uint32_t>();
    m.workerId = r.number<uint32_t>();
    for (size_t n = r.count(4); n-- > 0;)
        m.options.push_back(r.text(4096));
    m.memory = readOffer(r);
    r.end();
    return m;
}

Bytes bodyOf(const Welcome &m) {
    ByteWriter w;
    w.text(m.host).text(m.build).number(m.process).number(m.memoryBytes).number(m.threads);
    w.text(m.seat.machine).number(static_cast<uint32_t>(m.seat.cpus.size()));
    for (uint32_t cpu : m.seat.cpus)
        w.number(cpu);
    write(w, m.memory);
    w.text(m.blas);
    return std::move(w.out);
}
template <> Welcome read(std::span<const std::byte> body) {
    ByteReader r(body);
    Welcome m;
    m.host = r.text(1024);
    m.build = r.text(256);
    m.process = r.number<uint64_t>();
    m.memoryBytes = r.number<uint64_t>();
    m.threads = r.number<uint32_t>();
    m.seat.machine = r.text(1024);
    m.seat.cpus.resize(r.count(sizeof(uint32_t)));
    for (uint32_t &cpu : m.seat.cpus)
        cpu = r.number<uint32_t>();
    m.memory = readOffer(r);
    m.blas = r.text(256);
    r.end();
    return m;
}

static MemoryFile readMemoryFile(ByteReader &r) {
    auto file = r.number<int32_t>();
    return {file, r.number<uint64_t>()};
}

Bytes bodyOf(const Neighbourhood &m) {
    ByteWriter w;
    w.number(static_cast<uint8_t>(m.canRead)).number(m.leastBytes).number(m.cpus.first).number(m.cpus.count);
    w.number(m.board.file).number(m.board.inode);
    return std::move(w.out);
}
template <> Neighbourhood read(std::span<const std::byte> body) {
    ByteReader r(body);
    Neighbourhood m;
    m.canRead = r.flag();
    m.leastBytes = r.number<uint64_t>();
    m.cpus.first = r.number<uint32_t>();
    m.cpus.count = r.number<uint32_t>();
    m.board = readMemoryFile(r);
    r.end();
    return m;
}

Bytes bodyOf(const ObjectBegin &m) {
    ByteWriter w;
    write(w, m);
    return std::move(w.out);
}
template <> ObjectBegin read(std::span<const std::byte> body) {
    ByteReader r(body);
    ObjectBegin m = readBegin(r);
    r.end();
    return m;
}

Bytes bodyOf(const ObjectLent &m) {
    ByteWriter w;
    write(w, m.begin);
    w.number(static_cast<uint32_t>(m.pieces.size()));
    for (const LentPiece &piece : m.pieces)
        w.number(piece.address)
            .number(piece.bytes)
            .number(piece.ownObject)
            .number(piece.in.file)
            .number(piece.in.inode)
            .number(piece.offset);
    return std::move(w.out);
}
template <> ObjectLent read(std::span<const std::byte> body) {
    ByteReader r(body);
    ObjectLent m;
    m.begin = readBegin(r);
    for (size_t n = r.count(44); n-- > 0;) {
        LentPiece piece;
        piece.address = r.number<uint64_t>();
        piece.bytes = r.number<uint64_t>();
        piece.ownObject = r.number<uint64_t>();
        piece.in = readMemoryFile(r);
        piece.offset = r.number<uint64_t>();
        m.pieces.push_back(piece);
    }
    r.end();
    return m;
}

Bytes headOf(const ObjectPiece &m) {
    ByteWriter w;
    w.number(m.object).number(m.type).number(m.rows).number(m.cols).number(m.first).number(m.count).number(m.crc);
    return std::move(w.out);
}
template <> ObjectPiece read(std::span<const std::byte> body) {
    ByteReader r(body);
    ObjectPiece m;
    m.object = r.number<uint64_t>();
    m.type = r.enumerator(ValueType::Duration);
    if (m.type == ValueType::Unknown)
        throw WireError("an object without a value type");
    m.rows = r.number<uint64_t>();
    m.cols = r.number<uint64_t>();
    m.first = r.number<uint64_t>();
    m.count = r.number<uint64_t>();
    m.crc = r.number<uint32_t>();
    m.payload = r.rest();
    constexpr uint64_t kMostCells = uint64_t(1) << 60;
    uint64_t cells = 0;
    bool isPossible = isNumeric(m.type) && m.type != ValueType::Bool &&
                      !__builtin_mul_overflow(m.rows, m.cols, &cells) && cells < kMostCells;
    if (!isPossible || m.count == 0 || m.first > cells || m.count > cells - m.first ||
        m.payload.size() != m.count * cellSize(m.type))
        throw WireError("a piece that does not fit");
    return m;
}

Bytes headOf(const ObjectChunk &m) {
    ByteWriter w;
    w.number(m.object).number(m.sequence).number(static_cast<uint8_t>(m.isLast)).number(m.crc);
    return std::move(w.out);
}
template <> ObjectChunk read(std::span<const std::byte> body) {
    ByteReader r(body);
    ObjectChunk m;
    m.object = r.number<uint64_t>();
    m.sequence = r.number<uint32_t>();
    m.isLast = r.flag();
    m.crc = r.number<uint32_t>();
    m.payload = r.rest();
    return m;
}

Bytes bodyOf(const ObjectAck &m) {
    ByteWriter w;
    w.number(m.object).number(m.version).number(m.rows).number(m.cols).number(m.bytes);
    return std::move(w.out);
}
template <> ObjectAck read(std::span<const std::byte> body) {
    ByteReader r(body);
    ObjectAck m;
    m.object = r.number<uint64_t>();
    m.version = r.number<uint64_t>();
    m.rows = r.number<uint64_t>();
    m.cols = r.number<uint64_t>();
    m.bytes = r.number<uint64_t>();
    r.end();
    return m;
}

Bytes bodyOf(const Compute &m) {
    ByteWriter w;
    w.number(m.hash).text(m.program).number(m.rows).number(m.cols).number(m.serialNs).number(m.nsPerStored);
    w.text(m.site).number(static_cast<uint32_t>(m.operands.size()));
    for (const Compute::Operand &operand : m.operands)
        w.number(operand.role).number(operand.number).number(operand.whole).number(operand.fold);
    w.number(static_cast<uint8_t>(m.isOffered)).number(static_cast<uint8_t>(m.isFollowed));
    w.number(m.allRows).number(static_cast<uint32_t>(m.audience.size()));
    for (uint32_t worker : m.audience)
        w.number(worker);
    w.number(m.firstRow);
    return std::move(w.out);
}
template <> Compute read(std::span<const std::byte> body) {
    ByteReader r(body);
    Compute m;
    m.hash = r.number<uint64_t>();
    m.program = r.text();
    m.rows = r.number<uint64_t>();
    m.cols = r.number<uint64_t>();
    m.serialNs = r.number<double>();
    m.nsPerStored = r.number<double>();
    m.site = r.text(4096);
    for (size_t n = r.count(18); n-- > 0;) {
        Compute::Operand operand;
        operand.role = r.enumerator(Compute::Role::Kept);
        operand.number = r.number<uint64_t>();
        operand.whole = r.number<uint64_t>();
        operand.fold = r.enumerator(Reduce::DotSparse);
        m.operands.push_back(operand);
    }
    m.isOffered = r.flag();
    m.isFollowed = r.flag();
    m.allRows = r.number<uint64_t>();
    for (size_t n = r.count(4); n-- > 0;)
        m.audience.push_back(r.number<uint32_t>());
    m.firstRow = r.number<uint64_t>();
    r.end();
    return m;
}

Bytes bodyOf(const Ready &m) {
    ByteWriter w;
    w.number(static_cast<uint8_t>(m.fault)).number(m.computeNs).number(m.waitNs).number(m.compileNs);
    w.number(m.objects)
        .number(m.objectBytes)
        .number(m.rows)
        .number(m.residentBytes)
        .number(m.load)
        .number(m.bytesToWorkers);
    return std::move(w.out);
}
template <> Ready read(std::span<const std::byte> body) {
    ByteReader r(body);
    Ready m;
    m.fault = r.flag();
    m.computeNs = r.number<double>();
    m.waitNs = r.number<double>();
    m.compileNs = r.number<double>();
    m.objects = r.number<uint64_t>();
    m.objectBytes = r.number<uint64_t>();
    m.rows = r.number<uint64_t>();
    m.residentBytes = r.number<uint64_t>();
    m.load = r.number<double>();
    m.bytesToWorkers = r.number<uint64_t>();
    r.end();
    return m;
}

Bytes bodyOf(const Failure &m) {
    ByteWriter w;
    w.number(m.code).text(m.message);
    return std::move(w.out);
}
template <> Failure read(std::span<const std::byte> body) {
    ByteReader r(body);
    Failure m;
    m.code = r.enumerator(Failure::Code::Execution);
    m.message = r.text();
    r.end();
    return m;
}

Bytes bodyOf(const Transfer &m) {
    ByteWriter w;
    w.number(m.object);
    return std::move(w.out);
}
template <> Transfer read(std::span<const std::byte> body) {
    ByteReader r(body);
    Transfer m{r.number<uint64_t>()};
    r.end();
    return m;
}

Bytes bodyOf(const FileQuery &m) {
    ByteWriter w;
    w.number(static_cast<uint32_t>(m.paths.size()));
    for (const std::string &path : m.paths)
        w.text(path);
    return std::move(w.out);
}
template <> FileQuery read(std::span<const std::byte> body) {
    ByteReader r(body);
    FileQuery m;
    for (size_t n = r.count(4); n-- > 0;)
        m.paths.push_back(r.text(kMostPath));
    r.end();
    return m;
}

Bytes bodyOf(const FileAnswer &m) {
    ByteWriter w;
    w.number(static_cast<uint32_t>(m.files.size()));
    for (const SeenFile &file : m.files) {
        w.number(file.access).number(file.state.bytes).number(file.state.changedNs);
        w.number(file.rows).number(file.cols).number(file.type);
    }
    return std::move(w.out);
}
template <> FileAnswer read(std::span<const std::byte> body) {
    ByteReader r(body);
    FileAnswer m;
    for (size_t n = r.count(34); n-- > 0;) {
        SeenFile file;
        file.access = r.enumerator(SeenFile::Access::Whole);
        file.state.bytes = r.number<uint64_t>();
        file.state.changedNs = r.number<int64_t>();
        file.rows = r.number<uint64_t>();
        file.cols = r.number<uint64_t>();
        file.type = r.enumerator(ValueType::F64);
        m.files.push_back(file);
    }
    r.end();
    return m;
}

Bytes bodyOf(const ReadRows &m) {
    ByteWriter w;
    w.number(m.object).number(m.version).number(m.cols).number(m.first).number(m.count);
    w.number(static_cast<uint32_t>(m.pieces.size()));
    for (const FilePiece &piece : m.pieces) {
        w.text(piece.path).number(piece.state.bytes).number(piece.state.changedNs);
        w.number(piece.row).number(piece.col);
    }
    w.number(static_cast<uint8_t>(m.isSparse)).number(m.type).number(static_cast<uint8_t>(m.isPattern));
    w.number(m.stored).number(m.storedInAll);
    return std::move(w.out);
}
template <> ReadRows read(std::span<const std::byte> body) {
    ByteReader r(body);
    ReadRows m;
    m.object = r.number<uint64_t>();
    m.version = r.number<uint64_t>();
    m.cols = r.number<uint64_t>();
    m.first = r.number<uint64_t>();
    m.count = r.number<uint64_t>();
    for (size_t n = r.count(36); n-- > 0;) {
        FilePiece piece;
        piece.path = r.text(kMostPath);
        piece.state.bytes = r.number<uint64_t>();
        piece.state.changedNs = r.number<int64_t>();
        piece.row = r.number<uint64_t>();
        piece.col = r.number<uint64_t>();
        m.pieces.push_back(std::move(piece));
    }
    m.isSparse = r.flag();
    m.type = r.enumerator(ValueType::F64);
    m.isPattern = r.flag();
    m.stored = r.number<uint64_t>();
    m.storedInAll = r.number<uint64_t>();
    r.end();
    return m;
}

Bytes bodyOf(const Free &m) {
    ByteWriter w;
    w.number(static_cast<uint32_t>(m.objects.size()));
    for (uint64_t object : m.objects)
        w.number(object);
    return std::move(w.out);
}
template <> Free read(std::span<const std::byte> body) {
    ByteReader r(body);
    Free m;
    for (size_t n = r.count(8); n-- > 0;)
        m.objects.push_back(r.number<uint64_t>());
    r.end();
    return m;
}

uint64_t hashOf(std::string_view text) {
    uint64_t h = 0xcbf29ce484222325; // FNV-1a
    for (char c : text)
        h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return h;
}

} // namespace daphne::dist
