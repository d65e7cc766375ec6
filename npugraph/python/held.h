// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

namespace npugraph::python {

/// A Python object in a std::shared_ptr of this: any thread may copy and let go of that, with the
/// GIL or without. object() wants the GIL.
class HeldObject {
 public:
  explicit HeldObject(nanobind::object object) : object_(std::move(object)) {}
  HeldObject(const HeldObject&) = delete;
  HeldObject& operator=(const HeldObject&) = delete;
  ~HeldObject() {
    if (Py_IsInitialized() == 0) {
      object_.release();  // the process ends
      return;
    }
    const nanobind::gil_scoped_acquire gil;
    object_.reset();
  }
  const nanobind::object& object() const { return object_; }

 private:
  nanobind::object object_;
};

}  // namespace npugraph::python
