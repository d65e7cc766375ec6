// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "npugraph/api/npugraph.h"
#include "npugraph/passes/pass.h"

namespace npugraph {

/// The passes that were registered with a library. Thread-safe.
class UserPasses {
 public:
  /// Errors: as Library::register_pass().
  Status add(UserPass pass);
  /// False when there is none of this name.
  bool remove(std::string_view name);
  /// The built-in passes with these between them.
  std::vector<Pass> table() const;
  bool has(std::string_view name) const;

 private:
  std::vector<Pass> locked_table() const;

  struct Row {
    Pass pass;
    std::string before;
  };
  mutable std::mutex mutex_;
  std::vector<Row> rows_;  // guarded by mutex_
};

}  // namespace npugraph
