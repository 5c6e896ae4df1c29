// SPDX-License-Identifier: Apache-2.0
/// Every op that takes matrices gives the same result, or the same error, for
/// every combination of representations of its operands. The list of ops is the
/// registry's: an op without a maker of operands (OperandMakers.h) fails here.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "data/Sequence.h"
#include "kernels/SameValue.h"

namespace daphne::test {
namespace {

using ops::OpInfo, ops::Registry;

/// How an operand is represented.
enum class Form : uint8_t {
    Plain,   ///< a Csr of its own
    Window,  ///< rows of a larger Csr
    Pattern, ///< without values, where all stored cells are 1
};

Ref<Csr> windowOf(const Dense &m) {
    auto big = Dense::create(m.type(), m.rows() + 3, m.cols(), Buffer::Init::Zero);
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        auto in = m.view<T>();
        auto out = big->mutableView<T>();
        for (size_t r = 0; r < big->rows(); ++r)
            for (size_t c = 0; c < m.cols(); ++c)
                out(r, c) = r >= 2 && r < m.rows() + 2 ? in(r - 2, c) : T(1);
    });
    return Csr::rowWindow(*toCsr(*big), 2, m.rows() + 2);
}

bool hasOnlyOnes(const Csr &m) {
    return withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        for (uint64_t k = m.offsets()[0]; k < m.offsets()[m.rows()]; ++k)
            if (m.values<T>()[k] != T(1))
                return false;
        return true;
    });
}

Ref<Csr> sparse(const Dense &m, Form form) {
    Ref<Csr> csr = form == Form::Window ? windowOf(m) : toCsr(m);
    if (form == Form::Pattern && hasOnlyOnes(*csr))
        csr = Csr::withStructureOf(*csr, csr->type(), BufferRef());
    csr->check();
    return csr;
}

bool isReplaceable(const Value &v) { return (v.isMatrix() || v.isList()) && isNumeric(v.valueType()); }

template <class F> Value mapMatrices(const Value &v, F f) {
    if (v.isMatrix())
        return f(v.dense());
    auto l = Ref<Sequence>::make();
    l->emptied = v.valueType();
    for (auto &e : sequenceOf(v).elements)
        l->elements.push_back(f(static_cast<const Dense &>(e.dense())));
    return makeList(std::move(l));
}

/// A Csr has no negative zeros: the same matrix as Dense.
Value withoutNegativeZeros(const Value &v) {
    return mapMatrices(v, [](const Dense &m) { return Ref<Matrix>(toDense(*toCsr(m))); });
}
Value asCsr(const Value &v, Form form) {
    return mapMatrices(v, [&](const Dense &m) { return Ref<Matrix>(sparse(m, form)); });
}
Value copyOf(const Value &v) {
    return isReplaceable(v) ? mapMatrices(v, [](const Dense &m) { return Ref<Matrix>(m.copy()); }) : v;
}

/// How a kernel is called.
struct Setting {
    Form form = Form::Plain;
    bool consumable = false; ///< all operands may be taken
    bool shared = true;      ///< ... but somebody else sees them
    bool wantsCsr = false;
    bool eager = false; ///< the policy prefers Csr for every result
};
constexpr Setting kSettings[] = {
    {},
    {.form = Form::Window, .eager = true},
    {.form = Form::Pattern, .consumable = true},
    {.form = Form::Plain, .consumable = true, .shared = false, .wantsCsr = true},
    {.form = Form::Window, .consumable = true, .shared = false, .eager = true},
};

struct Outcome {
    std::string error; ///< "" if it succeeded
    std::vector<Value> results;
    std::string written; ///< to standard output or a file
};

/// Gives an op with side effects a file to write to, and its text afterwards.
class Scratch {
  public:
    Scratch() : directory(std::filesystem::temp_directory_path() / ("daphne-test-" + std::to_string(getpid()))) {
        std::filesystem::create_directories(directory);
    }
    ~Scratch() { std::filesystem::remove_all(directory); }
    std::string file() const { return (directory / "written.csv").string(); }
    std::string text() const {
        std::ostringstream all;
        for (const char *name : {"written.csv", "written.csv.meta"})
            if (std::ifstream in(directory / name); in)
                all << in.rdbuf();
        std::error_code ignored;
        std::filesystem::remove(file(), ignored);
        return all.str();
    }

  private:
    std::filesystem::path directory;
};

Outcome call(const OpInfo &op, std::vector<Value> args, Slot castTarget, const Setting &how) {
    Outcome o;
    o.results.resize(op.numResults);
    std::string path;
    static Scratch scratch;
    if (op.sideEffect)
        path = scratch.file();
    if (op.mnemonic == "write")
        args[1] = Value::string(path);
    try {
        RunContext context;
        auto sink = [&](std::string_view text) { std::ofstream(path, std::ios::app) << text; };
        if (op.mnemonic == "print" || op.mnemonic == "printValues") {
            context.out = Output(sink);
            context.err = Output(sink);
        }
        if (how.eager)
            context.representation = {.byEstimate = false, .threshold = 2, .largeBytes = 0};
        const Kernel &kernel = *KernelTable::get().find(op.mnemonic);
        KernelCall c{context,
                     kernel,
                     args,
                     o.results,
                     how.consumable ? (uint64_t(1) << args.size()) - 1 : 0,
                     castTarget,
                     how.wantsCsr ? ~uint64_t(0) : 0};
        kernel.run(c);
        context.out.flush();
        context.err.flush();
    } catch (const Error &e) {
        EXPECT_EQ(e.stage, Stage::Execute) << op.mnemonic << ": " << e.message;
        o.error = e.message.empty() ? "error without message" : e.message;
        o.results.clear();
    }
    if (op.sideEffect)
        o.written = scratch.text();
    return o;
}

double numCells(const std::vector<Value> &args) {
    double cells = 1;
    for (const Value &v : args)
        cells += v.isMatrix() ? double(v.matrix().cells()) : 0;
    return cells;
}

double largestSquare(const std::vector<Value> &args) {
    double largest = 1;
    for (const Value &v : args)
        if (v.isMatrix() && isNumeric(v.valueType()))
            withNumericType(v.valueType(), [&]<class T>(TypeTag<T>) {
                for (size_t i = 0; i < v.dense().cells(); ++i)
                    if (double x = std::fabs(double(v.dense().view<T>().data[i])); std::isfinite(x))
                        largest = std::max(largest, x);
            });
    return largest * largest;
}

Tolerance toleranceOf(Exactness exactness, const std::vector<Value> &args) {
    switch (exactness) {
    case Exactness::Exact: return {};
    case Exactness::Elementwise: return {.relative = 4};
    case Exactness::Sums: break;
    }
    return {.relative = 64 + 2 * numCells(args), .absolute = 64 * numCells(args) * largestSquare(args)};
}

std::string describeCall(const OpInfo &op, const std::vector<Value> &args, uint64_t csr, const Setting &how) {
    std::string text = std::string(op.mnemonic) + "(";
    for (size_t i = 0; i < args.size(); ++i) {
        text += (i ? ", " : "") + describe(args[i]);
        if (args[i].isScalar() && !args[i].isString())
            text += "=" + std::to_string(args[i].as<double>());
        if (csr >> i & 1)
            text += how.form == Form::Plain ? " as CSR" : how.form == Form::Window ? " as CSR window" : " as pattern";
    }
    return text + ")" + (how.consumable ? how.shared ? ", consumable but shared" : ", consumable" : "") +
           (how.wantsCsr ? ", wants CSR" : "") + (how.eager ? ", prefers CSR" : "");
}

/// Calls the op in one setting and compares with what the dense call gave. "" if all is well.
std::string compare(const OpInfo &op, const std::vector<Value> &denseArgs, Slot castTarget, uint64_t csr,
                    const Setting &how, const Outcome &expected, const Tolerance &tolerance) {
    std::vector<Value> args;
    for (size_t i = 0; i < denseArgs.size(); ++i)
        args.push_back(csr >> i & 1 ? asCsr(denseArgs[i], how.form) : copyOf(denseArgs[i]));
    std::vector<Value> kept = how.consumable && !how.shared ? std::vector<Value>() : args;
    Outcome actual = call(op, std::move(args), castTarget, how);
    if (actual.error != expected.error)
        return "expected " + (expected.error.empty() ? "success" : "the error: " + expected.error) + "\n  got " +
               (actual.error.empty() ? "success" : "the error: " + actual.error);
    if (actual.written != expected.written)
        return "expected the output:\n" + expected.written + "\n  got:\n" + actual.written;
    for (size_t k = 0; k < actual.results.size(); ++k)
        if (std::string d = difference(expected.results[k], actual.results[k], tolerance); !d.empty())
            return "result " + std::to_string(k) + ": " + d;
    for (size_t i = 0; i < kept.size(); ++i)
        if (std::string d = difference(denseArgs[i], kept[i], {}); !d.empty())
            return "argument " + std::to_string(i) + " was changed: " + d;
    return {};
}

/// All settings for one set of operands held as Csr.
std::string compareAll(const OpInfo &op, const Operands &operands, uint64_t csr, Exactness exactness) {
    std::vector<Value> args = operands.args;
    for (size_t i = 0; i < args.size(); ++i)
        if (csr >> i & 1)
            args[i] = withoutNegativeZeros(args[i]);
    Outcome expected = call(op, args, operands.castTarget, {});
    Tolerance tolerance = toleranceOf(exactness, args);
    for (const Setting &how : kSettings)
        if (std::string problem = compare(op, args, operands.castTarget, csr, how, expected, tolerance);
            !problem.empty())
            return describeCall(op, args, csr, how) + "\n  " + problem;
    return {};
}

std::vector<const OpInfo *> opsWithKernels() {
    std::vector<const OpInfo *> result;
    for (const OpInfo *op : Registry::get().ops())
        if (KernelTable::get().find(op->mnemonic))
            result.push_back(op);
    return result;
}

TEST(Representation, KnowsOperandsForEveryOp) {
    for (const OpInfo *op : opsWithKernels()) {
        bool exempt = opsWithoutMatrices().contains(op->mnemonic);
        EXPECT_TRUE(exempt || operandMaker(*op).make)
            << op->mnemonic << " needs a row in callOperandMakers(), or in opsWithoutMatrices() with a reason";
        EXPECT_FALSE(exempt && callOperandMakers().contains(op->mnemonic)) << op->mnemonic;
    }
    for (auto &[mnemonic, maker] : callOperandMakers())
        EXPECT_TRUE(Registry::get().findOp(mnemonic)) << "operands for " << mnemonic << ", which does not exist";
}

class Representation : public testing::TestWithParam<const OpInfo *> {};

TEST_P(Representation, NeverChangesAResult) {
    const OpInfo &op = *GetParam();
    OperandMaker maker = operandMaker(op);
    ASSERT_TRUE(maker.make) << op.mnemonic;
    RandomMatrices random(7);
    size_t successes = 0, sparseCalls = 0, failures = 0;
    for (int round = 0; round < 240 && failures < 5; ++round) {
        random.allowSpecialValues(round % 3 == 2);
        random.allowNegative(round % 2 == 1);
        Operands operands = maker.make(random);
        uint64_t replaceable = 0;
        for (size_t i = 0; i < operands.args.size(); ++i)
            replaceable |= uint64_t(isReplaceable(operands.args[i])) << i;
        for (uint64_t csr = 0; csr <= replaceable && failures < 5; ++csr) {
            if (csr & ~replaceable)
                continue;
            sparseCalls += csr != 0;
            std::string problem = compareAll(op, operands, csr, maker.exactness);
            EXPECT_EQ(problem, "") << "in round " << round << (round % 3 == 2 ? ", special values" : "");
            failures += !problem.empty();
        }
        successes += call(op, operands.args, operands.castTarget, {}).error.empty();
    }
    EXPECT_GT(successes, 20u) << "the operands hardly ever fit";
    EXPECT_GT(sparseCalls, 20u) << "no operand could be held as CSR";
}

std::vector<const OpInfo *> opsWithMatrices() {
    std::vector<const OpInfo *> result;
    for (const OpInfo *op : opsWithKernels())
        if (!opsWithoutMatrices().contains(op->mnemonic))
            result.push_back(op);
    return result;
}

INSTANTIATE_TEST_SUITE_P(Ops, Representation, testing::ValuesIn(opsWithMatrices()),
                         [](const auto &info) { return std::string(info.param->mnemonic); });

} // namespace

} // namespace daphne::test
