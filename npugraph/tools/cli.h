// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace npugraph::tools {

/// The command line `npugraph`. Results go to stdout, errors and progress to stderr. Returns 0; 1
/// when check or compare ran and found fault; 2 for an error; 130 when the user interrupted.
int run_cli(int argc, char** argv);

}  // namespace npugraph::tools
