// SPDX-License-Identifier: Apache-2.0
/// Regular expressions in the syntax of RE2, which search in time proportional to
/// the text. Patterns and texts are UTF-8. RE2 is seen by Regex.cpp only.
/// Immutable; any number of threads may use one at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace daphne {

class Regex {
  public:
    /// Throws Error (status 3) with the pattern and what is wrong with it.
    explicit Regex(std::string_view pattern);
    ~Regex();
    Regex(const Regex &) = delete;
    Regex &operator=(const Regex &) = delete;

    /// The compiled pattern. Each thread keeps those of its last calls, so the one that was asked for last stays valid.
    static std::shared_ptr<const Regex> of(std::string_view pattern);

    size_t numGroups() const;
    bool fitsWhole(std::string_view text) const;
    /// The first match from `begin` on, with what stands before it taken into account: ^ is the beginning of the text.
    /// Group 0 is the whole match. Returns false if there is none; a group that took no part is empty.
    bool find(std::string_view text, size_t begin, size_t group, std::string_view &found) const;
    /// Every match replaced: $0 to $9 in `to` stand for groups, $$ for a dollar. Appends to `out`.
    /// checkReplacement() must have accepted `to`.
    void replaceAll(std::string &out, std::string_view text, std::string_view to) const;

    /// Throws Error (status 3) if a group is named that the pattern does not have.
    void checkGroup(int64_t group) const;
    void checkReplacement(std::string_view to) const;

  private:
    struct Compiled;
    std::unique_ptr<Compiled> compiled;
};

} // namespace daphne
