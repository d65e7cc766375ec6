// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tools/terminal/progress.h"

#include <unistd.h>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "npugraph/base/text.h"
#include "npugraph/tools/terminal/interrupt.h"

namespace npugraph::tools {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kRefresh_ms{100};
constexpr double kLongWork_s = 1;
constexpr int kBarCells = 30;

std::string seconds_str(double seconds) {
  std::ostringstream stream;
  stream << std::fixed << std::setprecision(1) << seconds << " s";
  return std::move(stream).str();
}

int percent_of(double fraction) { return static_cast<int>(std::clamp(fraction, 0.0, 1.0) * 100); }

}  // namespace

ProgressBar::ProgressBar()
    : terminal_(::isatty(STDERR_FILENO) != 0),
      begin_(steady_clock::now()),
      watcher_([this](const std::stop_token& stop) { watch(stop); }) {}

ProgressBar::~ProgressBar() {
  watcher_.request_stop();
  watcher_.join();
  if (drawn_) std::cerr << "\r\033[K" << std::flush;
}

Progress ProgressBar::callback() {
  return [this](std::string_view stage, double fraction) {
    const std::scoped_lock lock(mutex_);
    stage_ = stage;
    fraction_ = fraction;
    return interrupted() == 0;
  };
}

void ProgressBar::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, stop, kRefresh_ms, [&] { return stop.stop_requested(); })) {
    if (stop.stop_requested()) return;
    const double seconds = duration<double>(steady_clock::now() - begin_).count();
    if (seconds < kLongWork_s || stage_.empty()) continue;
    if (terminal_)
      show_bar(seconds);
    else
      show_line(seconds);
  }
}

void ProgressBar::show_bar(double seconds) {
  const int full = percent_of(fraction_) * kBarCells / 100;
  std::cerr << "\r[" << std::string(static_cast<size_t>(full), '#')
            << std::string(static_cast<size_t>(kBarCells - full), ' ') << "] "
            << percent_of(fraction_) << " % " << stage_ << " " << seconds_str(seconds) << "\033[K"
            << std::flush;
  drawn_ = true;
}

void ProgressBar::show_line(double seconds) {
  if (stage_ == shown_stage_) return;
  shown_stage_ = stage_;
  std::cerr << "npugraph: " << stage_ << " (" << percent_of(fraction_) << " %, "
            << seconds_str(seconds) << ")\n"
            << std::flush;
}

}  // namespace npugraph::tools
