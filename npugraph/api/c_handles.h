// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "npugraph/api/npugraph.h"
#include "npugraph/api/npugraph_c.h"

/// What the handles of npugraph_c.h are, and how its functions turn failures into numbers.

struct npugraph_library {
  npugraph::Library library;
  std::vector<npugraph::DeviceDescription> devices;
};

struct npugraph_compile_options {
  npugraph::CompileOptions options;
};

namespace npugraph::c_api {

/// A port with what npugraph_port points to.
struct PortRow {
  std::string name;
  std::string shape;
  int32_t dtype = 0;
  int32_t rank = 0;
  std::vector<int64_t> dims;  // -1 where only running can tell
};

}  // namespace npugraph::c_api

struct npugraph_engine {
  explicit npugraph_engine(npugraph::Engine made);

  npugraph::Engine engine;
  std::vector<npugraph::c_api::PortRow> inputs, outputs;
  mutable std::mutex mutex;
  mutable std::string json;  // guarded by mutex; made when it is first asked for
};

struct npugraph_session {
  npugraph::Session session;
  // Kept between runs, so that a warm run allocates nothing.
  std::vector<npugraph::Dims> input_dims = {};
  std::vector<npugraph::TensorView> inputs = {}, outputs = {};
  bool ran = false;
};

namespace npugraph::c_api {

/// Keeps `error` as the last one of this thread and returns its number.
npugraph_status record(const Error& error) noexcept;

/// The same for an exception that should not exist.
npugraph_status record_exception(const char* what) noexcept;

/// Runs `body`, which returns a Status, as the body of a C function.
template <class Body>
npugraph_status guarded(Body&& body) noexcept {
  try {
    const Status status = body();
    return status ? NPUGRAPH_STATUS_OK : record(status.error());
  } catch (const std::bad_alloc&) {
    return record(fail(ErrorId::kOutOfMemory, "memory ran out"));
  } catch (const std::exception& error) {
    return record_exception(error.what());
  } catch (...) {
    return record(fail(ErrorId::kInternal, "internal error"));
  }
}

/// Errors: kNullArgument naming the argument.
Status check_not_null(const void* pointer, std::string_view name);
/// Errors: kBadOption unless 0 <= index < count.
Status check_index(std::string_view what, int64_t index, size_t count);
Status bad_struct_size(std::string_view what, size_t found, size_t least);

// No version of a struct will be that large: such a size was never set.
inline constexpr size_t kLargestStruct = 4096;

/// How many bytes of a caller's struct this library knows. `least`: bytes that every version has.
/// Errors: kBadOption for a struct that is shorter than that, or that is longer than ours and not
/// zero there: it asks for what this library does not know.
template <class T>
Result<size_t> known_bytes(const T* given, std::string_view what, size_t least) {
  const size_t size = given->struct_size;
  if (size < least || size > kLargestStruct) {
    NPU_TRY(bad_struct_size(what, size, least));
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  for (size_t i = sizeof(T); i < size; ++i)
    if (bytes[i] != 0) NPU_TRY(bad_struct_size(what, size, sizeof(T)));
  return std::min(size, sizeof(T));
}

/// Copies what the caller passes in; fields beyond its size are zero. `given` may be null: all are.
template <class T>
Result<T> read_struct(const T* given, std::string_view what, size_t least = sizeof(size_t)) {
  T own = {};
  own.struct_size = sizeof(T);
  if (given == nullptr) return own;
  NPU_LET(const size_t bytes, known_bytes(given, what, least));
  std::memcpy(reinterpret_cast<char*>(&own) + sizeof(size_t),
              reinterpret_cast<const char*>(given) + sizeof(size_t), bytes - sizeof(size_t));
  return own;
}

/// Fills a struct of the caller with as much of `own` as it has room for.
template <class T>
Status write_struct(const T& own, T* given, std::string_view what) {
  NPU_TRY(check_not_null(given, what));
  const size_t size = given->struct_size;
  if (size < sizeof(size_t) || size > kLargestStruct)
    return bad_struct_size(what, size, sizeof(size_t));
  std::memcpy(reinterpret_cast<char*>(given) + sizeof(size_t),
              reinterpret_cast<const char*>(&own) + sizeof(size_t),
              std::min(size, sizeof(T)) - sizeof(size_t));
  return ok();
}

}  // namespace npugraph::c_api
