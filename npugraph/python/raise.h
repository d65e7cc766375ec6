// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

#include "npugraph/base/result.h"

namespace npugraph::python {

/// Carries an Error through nanobind to where it becomes npugraph.Error.
struct Raised {
  Error error;
};

/// The value of a result; throws Raised for an error.
template <class T>
T value_or_raise(Result<T> result) {
  if (!result) throw Raised{std::move(result).error()};
  return *std::move(result);
}

/// The same for work that calls Python: the exception that ended it passes.
template <class T>
T value_or_rethrow(Result<T> result) {
  if (!result && PyErr_Occurred() != nullptr) throw nanobind::python_error();
  return value_or_raise(std::move(result));
}

/// Makes nanobind turn Raised into npugraph.Error, and std::bad_alloc into the same of
/// kOutOfMemory.
void install_error_translator();

}  // namespace npugraph::python
