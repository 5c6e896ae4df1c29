// SPDX-License-Identifier: Apache-2.0
/// Types as the parser knows them (language 3.3): results of operations by the
/// rules of the registry, without shapes. Operands that the rules reject are
/// no matter of the parser; the result is unknown then and the compiler
/// reports them, if the operation is certain to run.
#pragma once

#include <unordered_map>
#include <vector>

#include "lang/dsl/Ast.h"
#include "lang/dsl/Variables.h"
#include "ops/Registry.h"

namespace daphne::lang {

/// The constant a literal stands for; nothing for other expressions. Script arguments count if they hold an unsigned
/// literal.
std::optional<ops::Constant> literalConstant(const Expr *e);

/// 0 or 1.
bool isAxis(const ops::Constant &c);

/// The theme of builtins that take a function.
constexpr std::string_view kSecondOrder = "SecondOrder";

class ParseTypes {
  public:
    /// Result types of an op, one per result; unknown ones if the op does not exist or rejects the operands.
    std::vector<ops::TypeDesc> infer(const ops::OpInfo *op, const std::vector<ops::Arg> &args);
    ops::TypeDesc binary(std::string_view token, const ops::TypeDesc &lhs, const ops::TypeDesc &rhs);
    ops::TypeDesc unary(UnaryOp op, const ops::TypeDesc &operand);
    ops::TypeDesc cast(const TypeSpec &target, const ops::TypeDesc &operand);
    /// Type of x[rows, cols]; constants of the column part select columns of a frame.
    ops::TypeDesc index(const ops::TypeDesc &base, const IndexPart &cols, const Known &lo, const Known &hi);

  private:
    ops::TypeDesc inferBinary(std::string_view token, const ops::TypeDesc &lhs, const ops::TypeDesc &rhs);
    /// Results of operators on scalars and matrices: long expressions repeat the same few combinations.
    std::unordered_map<uint64_t, ops::TypeDesc> binaryResults;
};

} // namespace daphne::lang
