// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tools/cli.h"

int main(int argc, char** argv) { return npugraph::tools::run_cli(argc, argv); }
