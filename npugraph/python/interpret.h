// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace npugraph::python {

/// Adds interpret() to the module.
void bind_interpret(nanobind::module_& module);

}  // namespace npugraph::python
