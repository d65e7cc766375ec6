// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace npugraph::python {

/// Adds the class Session to the module.
void bind_session(nanobind::module_& module);

}  // namespace npugraph::python
