// SPDX-License-Identifier: Apache-2.0
/// Cells of a buffer that are not in it: another machine or a device has them, or
/// they are still in a file. A buffer without a residency has all of its cells.
///
/// The one who puts cells elsewhere derives from this class and gives it to the
/// buffer (Buffer::setResidency). It holds a reference to the buffer, so that
/// nobody overwrites it, and takes its residency back before it lets go. All
/// windows of a buffer share its residency.
#pragma once

namespace daphne {

class Residency {
  public:
    /// Returns when all cells are in the buffer; the buffer has no residency any more. Throws Error if cells are lost.
    /// For the thread that runs the program.
    virtual void bringHere() = 0;
    /// How long that would take, as far as it is known.
    virtual double nsToBringHere() const = 0;

  protected:
    ~Residency() = default;
};

} // namespace daphne
