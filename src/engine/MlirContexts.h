// SPDX-License-Identifier: Apache-2.0
/// MLIR contexts for compilations that may run at the same time. Making one takes
/// longer than compiling a small program, so they are used again; a context never
/// forgets a type or an attribute, so each is dropped after some uses. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace mlir {
class MLIRContext;
}

namespace daphne::engine {

class MlirContexts {
  public:
    MlirContexts();
    ~MlirContexts();

    /// A context for one compilation, given back at the end of the scope.
    class Loan {
      public:
        explicit Loan(MlirContexts &owner);
        ~Loan();
        Loan(const Loan &) = delete;
        Loan &operator=(const Loan &) = delete;
        mlir::MLIRContext &context() const;
        /// Memory ran out inside of the compiler: the context is in no state to be used or destroyed.
        void abandon();

      private:
        MlirContexts &owner;
        struct Entry;
        friend class MlirContexts;
        std::unique_ptr<Entry> entry;
    };

  private:
    std::mutex mutex;
    std::vector<std::unique_ptr<Loan::Entry>> free;
};

} // namespace daphne::engine
