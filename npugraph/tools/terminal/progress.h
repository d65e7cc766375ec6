// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "npugraph/api/npugraph.h"

namespace npugraph::tools {

/// Shows on stderr how far long work is: on a terminal a bar with the seconds so far, elsewhere one
/// line a stage. Work shorter than a second shows nothing. Thread-safe.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// For CompileOptions::progress and the like; false once the user has interrupted. The bar must
  /// outlive it.
  Progress callback();

 private:
  void watch(const std::stop_token& stop);
  void show_bar(double seconds);
  void show_line(double seconds);

  const bool terminal_;
  const std::chrono::steady_clock::time_point begin_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any wake_;
  std::string stage_;
  std::string shown_stage_;
  double fraction_ = 0;
  bool drawn_ = false;
  std::jthread watcher_;  // last: it uses the rest
};

}  // namespace npugraph::tools
