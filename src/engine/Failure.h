// SPDX-License-Identifier: Apache-2.0
/// What the engine throws: the errors of one compilation or run together with the
/// texts that their positions refer to. It outlives program and engine.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "base/Error.h"
#include "base/Source.h"

namespace daphne::engine {

class Failure : public std::exception {
  public:
    /// errors: at least one. The parser reports several, everybody else one.
    Failure(std::vector<Error> errors, std::shared_ptr<const SourceManager> sources);
    const char *what() const noexcept override { return all.front().what(); }

    const std::vector<Error> &errors() const { return all; }
    const Error &first() const { return all.front(); }
    Stage stage() const { return all.front().stage; }
    const SourceManager &sources() const { return *texts; }
    /// As people read it: message, place, source line, labels, hint; one error after another.
    std::string rendered(Colour colour = Colour::No) const;

  private:
    std::vector<Error> all;
    std::shared_ptr<const SourceManager> texts;
};

} // namespace daphne::engine
