// SPDX-License-Identifier: Apache-2.0
/// Recursive descent over the grammar of queries. Binding, tightest first: calls,
/// sign, * / %, + - ||, comparison, BETWEEN IN LIKE IS, NOT, AND, OR.
#pragma once

#include "lang/sql/Ast.h"
#include "lang/sql/QueryText.h"

namespace daphne::lang::sql {

/// Throws Error (status 2) with its place for the first mistake.
std::shared_ptr<Query> parse(const QueryText &query);

} // namespace daphne::lang::sql
