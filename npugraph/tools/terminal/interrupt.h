// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace npugraph::tools {

/// Makes SIGINT and SIGTERM end the program with status 128 + signal (130 for Ctrl-C): at once, as
/// nothing but files that are not yet in their place can be lost, or, while a DeferInterrupts
/// lives, as soon as the work looks at interrupted(). A second signal always ends it at once.
void install_interrupt_handlers() noexcept;

/// The signal that asked to stop, or 0.
int interrupted() noexcept;

/// While one lives, a signal is only noted: for writing files and for what must be tidied up.
class DeferInterrupts {
 public:
  DeferInterrupts() noexcept;
  ~DeferInterrupts();
  DeferInterrupts(const DeferInterrupts&) = delete;
  DeferInterrupts& operator=(const DeferInterrupts&) = delete;
};

}  // namespace npugraph::tools
