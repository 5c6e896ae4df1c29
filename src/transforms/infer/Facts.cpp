// SPDX-License-Identifier: Apache-2.0
#include "transforms/infer/Facts.h"

#include "base/Error.h"
#include "ops/InternalOps.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;
using ops::TypeDesc;

namespace {

TypeDesc typeOf(mlir::Value v) { return ir::toTypeDesc(v.getType()); }

/// Operations of the IR itself have no inference rule.
bool isInternal(DaphneOp op) {
    auto internal = ops::internalOps();
    return &op.info() >= internal.data() && &op.info() < internal.data() + internal.size();
}

/// No value fits both.
bool contradicts(const TypeDesc &a, const TypeDesc &b) {
    auto differ = [](int64_t m, int64_t n) { return m >= 0 && n >= 0 && m != n; };
    return !a.compatible(b) || differ(a.rows, b.rows) || differ(a.cols, b.cols);
}

/// Undefined values are never looked at: they weaken nothing.
bool isUndefined(mlir::Value v) { return bool(ir::asOp(v.getDefiningOp(), "undef")); }

/// A constant stays one behind daphne.adapt, which will disappear.
mlir::Value behindAdapt(mlir::Value v) {
    DaphneOp op = ir::asOp(v.getDefiningOp(), "adapt");
    return op && ir::constantOf(op->getOperand(0)) ? op->getOperand(0) : v;
}

} // namespace

TypeDesc meet(const TypeDesc &a, const TypeDesc &b) {
    if (a.isUnknown())
        return b;
    if (!a.compatible(b) || b.isUnknown())
        return a;
    TypeDesc r = a;
    if (r.valueType == ValueType::Unknown)
        r.valueType = b.valueType;
    if (r.rows < 0)
        r.rows = b.rows;
    if (r.cols < 0)
        r.cols = b.cols;
    if (r.sparsity < 0)
        r.sparsity = b.sparsity;
    if (!r.schema)
        r.schema = b.schema;
    return r;
}

Facts::Facts(ModuleOp module) : module(module), symbols(module) {
    if (auto threshold = module->getAttrOfType<FloatAttr>(ir::kCsrThreshold))
        csrThreshold = threshold.getValueAsDouble();
    for (auto f : module.getOps<func::FuncOp>()) {
        Signature &s = signatures[f];
        s.results.resize(f.getNumResults());
        s.fixedParameters |= !f.isPrivate();
    }
    module.walk([&](DaphneOp op) {
        if (auto callee = op->getAttrOfType<FlatSymbolRefAttr>(ir::kCallee))
            if (auto f = symbols.lookup<func::FuncOp>(callee.getValue()))
                signatures[f].fixedParameters = true;
    });
}

void Facts::run() {
    for (auto f : module.getOps<func::FuncOp>())
        if (signatures[f].fixedParameters)
            enqueue(f);
    drain();
    // Code behind calls that never return and functions nobody calls must still fit the others' new types.
    pessimistic = true;
    for (auto f : module.getOps<func::FuncOp>())
        if (!signatures[f].complete)
            enqueue(f);
    drain();
}

void Facts::enqueue(func::FuncOp f) {
    Signature &s = signatures[f];
    s.reached = true;
    if (!s.queued) {
        s.queued = true;
        work.push_back(f);
    }
}

void Facts::drain() {
    while (!work.empty()) {
        func::FuncOp f = work.pop_back_val();
        signatures[f].queued = false;
        sweep(f);
    }
}

// ---- facts

Facts::Fact Facts::get(mlir::Value v) const {
    auto it = facts.find(v);
    if (it != facts.end())
        return it->second;
    return pessimistic ? Fact(typeOf(v)) : Fact();
}

TypeDesc Facts::of(mlir::Value v) const {
    auto it = facts.find(v);
    return it != facts.end() ? it->second : typeOf(v);
}

std::vector<TypeDesc> Facts::resultsOf(func::FuncOp f) const {
    std::vector<TypeDesc> types;
    for (auto [fact, type] : llvm::zip(signatures.find(f)->second.results, f.getFunctionType().getResults()))
        types.push_back(fact && f.isPrivate() ? *fact : ir::toTypeDesc(type));
    return types;
}

void Facts::set(mlir::Value v, const TypeDesc &fact) { facts[v] = represented(meet(fact, typeOf(v))); }

TypeDesc Facts::represented(TypeDesc fact) const {
    bool candidate = fact.isMatrix() && isNumeric(fact.valueType) && fact.valueType != ValueType::Bool;
    bool sparse = candidate && fact.sparsity >= 0 && fact.sparsity < csrThreshold;
    fact.representation = sparse ? ops::Representation::Csr : ops::Representation::Dense;
    return fact;
}

bool Facts::weaken(mlir::Value merged, const Fact &incoming) {
    if (!incoming)
        return false;
    auto [it, isNew] = facts.try_emplace(merged);
    TypeDesc joined = isNew ? *incoming : ops::join(it->second, *incoming);
    // Whatever comes in, the type of the merged value holds as well.
    joined = represented(meet(joined, typeOf(merged)));
    if (!isNew && joined == it->second)
        return false;
    it->second = joined;
    return true;
}

// ---- sweeps

void Facts::sweep(func::FuncOp f) {
    if (f.isExternal())
        return;
    current = f;
    if (signatures[f].fixedParameters || pessimistic)
        for (BlockArgument arg : f.getArguments())
            if (signatures[f].fixedParameters || !facts.contains(arg))
                facts[arg] = typeOf(arg);
    do {
        again = skipped = false;
        visitBlock(f.getBody().front());
    } while (again);
    signatures[f].complete = !skipped;
}

void Facts::visitBlock(Block &block) {
    for (Operation &op : block)
        visit(&op);
}

void Facts::visit(Operation *op) {
    if (auto daphne = dyn_cast<DaphneOp>(op))
        visitDaphne(daphne);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
        visitIf(branch);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
        visitFor(loop);
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
        visitWhile(loop);
    else if (auto call = dyn_cast<func::CallOp>(op))
        visitCall(call);
    else if (auto ret = dyn_cast<func::ReturnOp>(op))
        visitReturn(ret);
}

void Facts::visitDaphne(DaphneOp op) {
    if (op.is("undef"))
        return;
    std::vector<ops::Arg> args;
    for (mlir::Value v : op->getOperands()) {
        Fact fact = get(v);
        if (!fact && !isUndefined(v)) {
            skipped = true;
            return;
        }
        args.push_back({fact ? *fact : typeOf(v), ir::constantOf(behindAdapt(v))});
    }
    rejected.erase(op);
    if (op.is("adapt")) {
        TypeDesc declared = typeOf(op->getResult(0));
        if (contradicts(args[0].type, declared))
            rejected.insert(op);
        else
            declared = meet(args[0].type, declared);
        facts[op->getResult(0)] = represented(declared);
        return;
    }
    if (op.is("map")) {
        TypeDesc result = typeOf(op->getResult(0));
        set(op->getResult(0), TypeDesc::matrix(result.valueType, args[0].type.rows, args[0].type.cols));
        return;
    }
    std::vector<TypeDesc> types;
    if (!isInternal(op) && !op->hasAttr(ir::kCells)) {
        ops::InferCall call{op.info(), args, {}};
        if (op.is("cast"))
            call.castTarget = ir::castTargetOf(op);
        try {
            types = op.info().resultTypes(call);
        } catch (const Error &) {
            rejected.insert(op);
        }
    }
    for (auto [i, result] : llvm::enumerate(op->getResults()))
        set(result, i < types.size() ? types[i] : typeOf(result));
}

bool Facts::flow(ValueRange targets, ValueRange values) {
    bool changed = false;
    for (auto [target, v] : llvm::zip(targets, values))
        if (!isUndefined(v))
            changed |= weaken(target, get(v));
    return changed;
}

void Facts::visitIf(scf::IfOp op) {
    for (Region *region : {&op.getThenRegion(), &op.getElseRegion()})
        if (!region->empty()) {
            visitBlock(region->front());
            flow(op.getResults(), region->front().getTerminator()->getOperands());
        }
}

void Facts::visitFor(scf::ForOp op) {
    // Argument and result of an iteration have one type: both see the initial value and what is yielded.
    facts[op.getInductionVar()] = typeOf(op.getInductionVar());
    flow(op.getRegionIterArgs(), op.getInitArgs());
    flow(op.getResults(), op.getInitArgs());
    visitBlock(*op.getBody());
    again |= flow(op.getRegionIterArgs(), op.getBody()->getTerminator()->getOperands());
    flow(op.getResults(), op.getBody()->getTerminator()->getOperands());
}

void Facts::visitWhile(scf::WhileOp op) {
    flow(op.getBeforeArguments(), op.getInits());
    visitBlock(*op.getBeforeBody());
    flow(op.getAfterArguments(), op.getConditionOp().getArgs());
    flow(op.getResults(), op.getConditionOp().getArgs());
    visitBlock(*op.getAfterBody());
    again |= flow(op.getBeforeArguments(), op.getYieldOp().getOperands());
}

void Facts::visitCall(func::CallOp op) {
    func::FuncOp callee = calleeOf(op);
    if (callee.isExternal() || !callee.isPrivate()) { // their types are fixed
        for (mlir::Value result : op.getResults())
            facts[result] = typeOf(result);
        return;
    }
    Signature &s = signatures[callee];
    if (!llvm::is_contained(s.callers, current))
        s.callers.push_back(current);
    bool changed = !s.reached;
    if (!s.fixedParameters)
        for (auto [param, v] : llvm::zip(callee.getArguments(), op.getOperands())) {
            if (!get(v) && !isUndefined(v)) {
                skipped = true;
                return;
            }
            changed |= weaken(param, isUndefined(v) ? Fact(typeOf(v)) : get(v));
        }
    if (changed)
        enqueue(callee);
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
        skipped |= !s.results[i];
        if (s.results[i])
            set(result, *s.results[i]);
    }
}

void Facts::visitReturn(func::ReturnOp op) {
    Signature &s = signatures[current];
    bool changed = false;
    for (auto [i, v] : llvm::enumerate(op.getOperands())) {
        Fact fact = isUndefined(v) ? Fact() : get(v);
        if (!fact)
            continue;
        TypeDesc joined = s.results[i] ? ops::join(*s.results[i], *fact) : *fact;
        joined = represented(meet(joined, ir::toTypeDesc(current.getFunctionType().getResult(i))));
        changed |= !s.results[i] || !(*s.results[i] == joined);
        s.results[i] = joined;
    }
    if (!changed)
        return;
    for (func::FuncOp caller : s.callers)
        enqueue(caller);
}

} // namespace daphne::transforms
