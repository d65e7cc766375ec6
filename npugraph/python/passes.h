// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace npugraph::python {

/// Adds register_pass(), remove_pass(), passes() and the match that guards are given.
void bind_passes(nanobind::module_& module);

}  // namespace npugraph::python
