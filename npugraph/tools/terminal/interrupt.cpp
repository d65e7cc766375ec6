// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tools/terminal/interrupt.h"

#include <unistd.h>
#include <csignal>

#include <atomic>
#include <string_view>

namespace npugraph::tools {
namespace {

// A signal handler can reach nothing but globals.
std::atomic<int> pending_signal{0};
std::atomic<int> deferrals{0};
static_assert(std::atomic<int>::is_always_lock_free, "used by a signal handler");

[[noreturn]] void stop_now(int signal) noexcept {
  constexpr std::string_view kMessage = "\nnpugraph: interrupted\n";
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  ::_exit(128 + signal);
}

extern "C" void on_signal(int signal) {
  const bool again = pending_signal.exchange(signal) != 0;
  if (again || deferrals.load() == 0) stop_now(signal);
}

}  // namespace

void install_interrupt_handlers() noexcept {
  struct sigaction action{};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  // System calls that were interrupted start again, so that no reader sees EINTR.
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A file size limit becomes an error of the write, which then removes what it began.
  std::signal(SIGXFSZ, SIG_IGN);
}

int interrupted() noexcept { return pending_signal.load(); }

DeferInterrupts::DeferInterrupts() noexcept { deferrals.fetch_add(1); }

DeferInterrupts::~DeferInterrupts() {
  if (deferrals.fetch_sub(1) == 1 && pending_signal.load() != 0) stop_now(pending_signal.load());
}

}  // namespace npugraph::tools
