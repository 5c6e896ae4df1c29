// SPDX-License-Identifier: Apache-2.0
/// print and typeOf (language 5).
#include "base/Cancellable.h"
#include "data/Sequence.h"
#include "kernels/KernelTable.h"
#include "kernels/objects/CellText.h"
#include "ops/PrintDigits.h"

namespace daphne {

namespace {

/// Collects text and hands it to the output in large pieces.
class Printer {
  public:
    Printer(Output &output, Digits digits) : output(output), digits(digits) {}

    void add(std::string_view s) {
        text.append(s);
        if (text.size() >= kPiece)
            finish();
    }
    void add(char c) { text.push_back(c); }
    template <class T> void addCell(const T &x) {
        if constexpr (std::is_same_v<T, std::string>) {
            add(std::string_view(x));
        } else {
            char number[kMaxPrintedNumber];
            add(std::string_view(number, writeDigits(number, x, digits) - number));
        }
    }
    /// Must be called at the end.
    void finish() {
        output.write(text);
        text.clear();
    }

  private:
    static constexpr size_t kPiece = 1 << 15;
    Output &output;
    Digits digits;
    std::string text;
};

std::string header(const Matrix &m) {
    bool csr = m.isCsr() && static_cast<const Csr &>(m).isShownAsCsr();
    return (csr ? "CSRMatrix(" : "DenseMatrix(") + m.shapeText() + ", " + std::string(cppName(m.type())) + ")";
}

std::string header(const Frame &f) {
    std::string s = "Frame(" + f.shapeText() + ", [";
    for (size_t i = 0; i < f.cols(); ++i)
        s += (i ? ", " : "") + f.labels[i] + ":" + std::string(cppName(f.columns[i]->type()));
    return s + "])";
}

std::string header(const Sequence &l) {
    std::string size = "List(" + std::to_string(l.elements.size());
    ValueType type = l.matrixType();
    return type == ValueType::Unknown ? size + ")" : size + ", DenseMatrix, " + std::string(cppName(type)) + ")";
}

void printCells(Printer &out, const Dense &m) {
    withValueType(m.type(), [&]<class T>(TypeTag<T>) {
        auto view = m.view<T>();
        for (size_t r : cancellableRows(view)) {
            for (size_t c = 0; c < view.cols; ++c) {
                if (c)
                    out.add(' ');
                out.addCell(view(r, c));
            }
            out.add('\n');
        }
    });
}

/// Zeros are written out.
void printCells(Printer &out, const Csr &m) {
    withIndexType(m.hasWideIndex(), [&]<class I>(TypeTag<I>) {
        withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
            auto view = m.view<T, I>();
            for (size_t r : cancellableRows(view)) {
                uint64_t k = view.offsets[r], end = view.offsets[r + 1];
                for (size_t c = 0; c < view.cols; ++c) {
                    if (c)
                        out.add(' ');
                    bool stored = k < end && view.columns[k] == c;
                    out.addCell(stored ? view.value(k++) : T(0));
                }
                out.add('\n');
            }
        });
    });
}

void printMatrix(Printer &out, const Matrix &m) {
    out.add(header(m) + "\n");
    if (m.isCsr())
        printCells(out, static_cast<const Csr &>(m));
    else
        printCells(out, static_cast<const Dense &>(m));
}

void printFrame(Printer &out, const Frame &f) {
    out.add(header(f) + "\n");
    for (size_t r : cancellableRows(f)) {
        for (size_t c = 0; c < f.cols(); ++c) {
            if (c)
                out.add(' ');
            const Dense &column = *f.columns[c];
            withValueType(column.type(), [&]<class T>(TypeTag<T>) { out.addCell(column.view<T>()(r, 0)); });
        }
        out.add('\n');
    }
}

void printScalar(Printer &out, const Value &x) {
    if (x.isString())
        out.add(x.text());
    else
        withNumericType(x.scalarType(), [&]<class T>(TypeTag<T>) { out.addCell(x.as<T>()); });
}

void printValue(Printer &out, const Value &x, bool newline);

/// Lists inside of lists may be nested deeper than the stack allows.
void printList(Printer &out, const Sequence &list) {
    std::vector<std::pair<const Sequence *, size_t>> open{{&list, 0}};
    out.add(header(list) + "\n");
    while (!open.empty()) {
        auto &[current, next] = open.back();
        if (next == current->elements.size()) {
            open.pop_back();
            continue;
        }
        const Value &element = current->elements[next++];
        if (!element.isList()) {
            printValue(out, element, true);
            continue;
        }
        out.add(header(sequenceOf(element)) + "\n");
        open.emplace_back(&sequenceOf(element), 0);
    }
}

void printValue(Printer &out, const Value &x, bool newline) {
    if (isFunction(x)) {
        out.add(sequenceOf(x).elements[0].text());
        if (newline)
            out.add('\n');
        return;
    }
    switch (x.kind()) {
    case ValueKind::Scalar:
        printScalar(out, x);
        if (newline)
            out.add('\n');
        return;
    case ValueKind::Matrix: return printMatrix(out, x.matrix());
    case ValueKind::Frame: return printFrame(out, x.frame());
    case ValueKind::List: return printList(out, sequenceOf(x));
    case ValueKind::None: break;
    }
}

void print(KernelCall &call, AnyValue x, bool newline, bool toError) {
    Printer out(toError ? call.context.err : call.context.out, kPrintedDigits);
    printValue(out, x.value, newline);
    out.finish();
}

/// printValues(newline, err, sep, digits, values...): on one line, but what has lines of its own starts a new one.
void printValues(KernelCall &call, bool newline, bool toError, const std::string &sep, int64_t digits, AnyValues all) {
    if (digits < 0 || digits > ops::kMostDigits)
        throw executionError(ops::digitsText(static_cast<double>(digits)));
    Printer out(toError ? call.context.err : call.context.out, static_cast<Digits>(digits));
    bool inLine = false;
    for (const Value &x : all.values) {
        const bool isWord = x.isScalar() || isFunction(x);
        if (inLine && isWord)
            out.add(sep);
        else if (inLine)
            out.add('\n');
        printValue(out, x, false);
        inLine = isWord;
    }
    if (inLine && newline)
        out.add('\n');
    out.finish();
}

Value typeOf(KernelCall &call, AnyValue any) {
    const Value &x = any.value;
    if (isFunction(x))
        return sequenceOf(x).elements[0];
    switch (x.kind()) {
    case ValueKind::Scalar: return Value::string(std::string(cppScalarName(x.scalarType())));
    case ValueKind::Matrix: return Value::string(header(x.matrix()));
    case ValueKind::Frame: return Value::string(header(x.frame()));
    case ValueKind::List: return Value::string(header(sequenceOf(x)));
    case ValueKind::None: break;
    }
    wrongArgument(call, 0, "a value");
}

} // namespace

void addPrint(KernelTable &t) {
    t.add<&print>("print");
    t.add<&printValues>("printValues");
    t.add<&typeOf>("typeOf");
}

} // namespace daphne
