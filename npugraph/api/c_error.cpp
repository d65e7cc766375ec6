// SPDX-License-Identifier: Apache-2.0
#include "npugraph/api/c_handles.h"
#include "npugraph/base/text.h"

namespace npugraph::c_api {
namespace {

static_assert(NPUGRAPH_CODE_INVALID_ARGUMENT == static_cast<int>(Code::kInvalidArgument));
static_assert(NPUGRAPH_CODE_UNSUPPORTED == static_cast<int>(Code::kUnsupported));
static_assert(NPUGRAPH_CODE_NOT_FOUND == static_cast<int>(Code::kNotFound));
static_assert(NPUGRAPH_CODE_OUT_OF_MEMORY == static_cast<int>(Code::kOutOfMemory));
static_assert(NPUGRAPH_CODE_CORRUPT == static_cast<int>(Code::kCorrupt));
static_assert(NPUGRAPH_CODE_INCOMPATIBLE == static_cast<int>(Code::kIncompatible));
static_assert(NPUGRAPH_CODE_TIMEOUT == static_cast<int>(Code::kTimeout));
static_assert(NPUGRAPH_CODE_CANCELLED == static_cast<int>(Code::kCancelled));
static_assert(NPUGRAPH_CODE_INTERNAL == static_cast<int>(Code::kInternal));

/// The last failure of a thread. What a C caller asks for afterwards has to be kept somewhere, and
/// a thread's own memory is the only place that others cannot change.
struct LastError {
  npugraph_status id = NPUGRAPH_STATUS_OK;
  bool whole = false;  // the texts belong to id; else there was no memory for them
  std::string message, what, place, found, expected, fix;
};

LastError& last_error() noexcept {
  thread_local LastError last;
  return last;
}

/// The row of errors.inc; null for a number that none has.
const ErrorInfo* row_of(npugraph_status status) noexcept {
  for (const ErrorInfo& row : all_errors())
    if (static_cast<npugraph_status>(row.id) == status) return &row;
  return nullptr;
}

}  // namespace

npugraph_status record(const Error& error) noexcept {
  LastError& last = last_error();
  last.id = static_cast<npugraph_status>(error.id);
  last.whole = false;
  try {
    const ErrorInfo& row = error_info(error.id);
    last.message = error.message();
    last.what = error.what.empty() ? std::string(row.title) : error.what;
    last.place = error.place;
    last.found = error.found;
    last.expected = error.expected;
    last.fix = error.fix.empty() ? std::string(row.fix) : error.fix;
    last.whole = true;
  } catch (...) {  // no memory: the number and its row still tell what happened
  }
  return last.id;
}

npugraph_status record_exception(const char* what) noexcept {
  try {
    return record(fail(ErrorId::kInternal, "an exception reached the C interface", what,
                       "failures as results"));
  } catch (...) {  // no memory for its text
    return record(fail(ErrorId::kInternal, "internal error"));
  }
}

Status check_not_null(const void* pointer, std::string_view name) {
  if (pointer != nullptr) return ok();
  return fail(ErrorId::kNullArgument, text("argument '", name, "' is null"), "null",
              "a valid pointer");
}

Status check_index(std::string_view what, int64_t index, size_t count) {
  if (index >= 0 && static_cast<size_t>(index) < count) return ok();
  return fail(ErrorId::kBadOption, text("there is no ", what, " of this number"), text(index),
              count == 0 ? text("none: there is no ", what) : text("0..", count - 1));
}

Status bad_struct_size(std::string_view what, size_t found, size_t least) {
  return fail(ErrorId::kBadOption, text("'", what, "' has a struct_size that does not fit"),
              text(found, " bytes"),
              text("at least ", least, " bytes, and zeros in what this library does not know"),
              text("set struct_size to sizeof the struct, and the rest to zero first"));
}

}  // namespace npugraph::c_api

using namespace npugraph;         // NOLINT(google-build-using-namespace): the C functions below
using namespace npugraph::c_api;  // NOLINT(google-build-using-namespace)

extern "C" {

const char* npugraph_version(void) noexcept { return version().data(); }

int32_t npugraph_c_api_version(void) noexcept { return NPUGRAPH_C_API_VERSION; }

const char* npugraph_status_name(npugraph_status status) noexcept {
  if (status == NPUGRAPH_STATUS_OK) return "Ok";
  const ErrorInfo* row = row_of(status);
  return row == nullptr ? "" : row->name.data();  // made from literals, which end in zero
}

int32_t npugraph_status_code(npugraph_status status) noexcept {
  const ErrorInfo* row = row_of(status);
  return row == nullptr ? NPUGRAPH_CODE_NONE : static_cast<int32_t>(row->code);
}

npugraph_status npugraph_last_error_id(void) noexcept { return last_error().id; }

const char* npugraph_last_error(void) noexcept {
  const LastError& last = last_error();
  if (last.id == NPUGRAPH_STATUS_OK) return "";
  if (last.whole) return last.message.c_str();
  return error_info(static_cast<ErrorId>(last.id)).title.data();
}

npugraph_status npugraph_last_error_info(npugraph_error_info* info) noexcept {
  const LastError& last = last_error();
  const ErrorInfo* row = row_of(last.id);
  npugraph_error_info own = {sizeof(own),
                             last.id,
                             npugraph_status_code(last.id),
                             npugraph_status_name(last.id),
                             "",
                             "",
                             "",
                             "",
                             ""};
  if (last.whole) {
    own.what = last.what.c_str();
    own.place = last.place.c_str();
    own.found = last.found.c_str();
    own.expected = last.expected.c_str();
    own.fix = last.fix.c_str();
  } else if (row != nullptr) {
    own.what = row->title.data();
    own.fix = row->fix.data();
  }
  return guarded([&] { return write_struct(own, info, "info"); });
}

}  // extern "C"
