// SPDX-License-Identifier: Apache-2.0
#include "npugraph/python/arrays.h"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "npugraph/base/text.h"

namespace nb = nanobind;

namespace npugraph::python {
namespace {

Error bad(const std::string& name, std::string what, std::string found, std::string expected) {
  return at(text("'", name, "'"),
            fail(ErrorId::kBadTensor, std::move(what), std::move(found), std::move(expected)));
}

/// What is known of somebody's array before it is trusted.
struct Seen {
  std::optional<DType> dtype;
  std::string dtype_str;  // for messages
  Dims dims;
  std::vector<int64_t> strides_bytes;  // empty: dense
  int64_t item_bytes = 1;
  void* data = nullptr;
  bool read_only = false;
};

/// A buffer of Python's buffer protocol, let go when the object goes.
struct Buffer {
  Py_buffer held{};

  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    const nb::gil_scoped_acquire gil;
    PyBuffer_Release(&held);  // does nothing for one that was never filled
  }
};

/// Null where the object has no buffer that describes itself (numpy extension dtypes have none).
std::shared_ptr<Buffer> get_buffer(nb::handle object) {
  if (PyObject_CheckBuffer(object.ptr()) == 0) return nullptr;
  auto buffer = std::make_shared<Buffer>();
  if (PyObject_GetBuffer(object.ptr(), &buffer->held, PyBUF_STRIDES | PyBUF_FORMAT) == 0)
    return buffer;
  PyErr_Clear();
  return nullptr;
}

/// The dtype of a struct-module format with one item. Native and little-endian alike.
std::optional<DType> dtype_of_format(std::string_view format, int64_t item_bytes) {
  if (!format.empty() && (format.front() == '<' || format.front() == '=' || format.front() == '@'))
    format.remove_prefix(1);
  if (format.empty()) return DType::kU8;
  if (format.size() != 1) return std::nullopt;
  const char kind = format.front();
  if (kind == '?') return DType::kBool;
  if (kind == 'e' || kind == 'f' || kind == 'd')
    return item_bytes == 2 ? DType::kF16 : item_bytes == 4 ? DType::kF32 : DType::kF64;
  const bool is_signed = std::string_view("bhilqn").find(kind) != std::string_view::npos;
  if (!is_signed && std::string_view("BHILQN").find(kind) == std::string_view::npos)
    return std::nullopt;
  switch (item_bytes) {
    case 1:
      return is_signed ? DType::kI8 : DType::kU8;
    case 2:
      return is_signed ? DType::kI16 : DType::kU16;
    case 4:
      return is_signed ? DType::kI32 : DType::kU32;
    case 8:
      return is_signed ? DType::kI64 : DType::kU64;
    default:
      return std::nullopt;
  }
}

bool holds_bits(DType given, DType wanted) {
  switch (wanted) {
    case DType::kBF16:
      return given == DType::kU16;
    case DType::kF8E4M3FN:
    case DType::kF8E4M3FNUZ:
    case DType::kF8E5M2:
    case DType::kF8E5M2FNUZ:
      return given == DType::kU8;
    default:
      return false;
  }
}

/// Dense in row-major order; dims of 1 and arrays without elements may have any stride.
bool is_dense(const Seen& seen) {
  for (const int64_t dim : seen.dims)
    if (dim == 0) return true;
  int64_t expected = seen.item_bytes;
  for (size_t axis = seen.strides_bytes.size(); axis-- > 0;) {
    if (seen.dims[axis] != 1 && seen.strides_bytes[axis] != expected) return false;
    expected *= seen.dims[axis];
  }
  return true;
}

std::string strides_str(const std::vector<int64_t>& strides) {
  return text("strides of (", join(strides), ") bytes");
}

std::string dense_strides_str(const Seen& seen) {
  std::vector<int64_t> strides(seen.dims.size());
  int64_t step = seen.item_bytes;
  for (size_t axis = seen.dims.size(); axis-- > 0;) {
    strides[axis] = step;
    step *= std::max<int64_t>(seen.dims[axis], 1);
  }
  return strides_str(strides);
}

/// Raw bytes for a tensor of another dtype: nothing but their number can be checked.
bool is_raw(const Seen& seen, const TensorType& type) {
  return seen.dtype == DType::kU8 && seen.dims.size() == 1 && type.dtype != DType::kU8 &&
         !(holds_bits(DType::kU8, type.dtype) && type.shape.rank() == 1);
}

Result<TensorView> view_raw(const std::string& name, const Seen& seen, const TensorType& type) {
  const std::string found = text(seen.dims[0], " bytes");
  const std::optional<Dims> dims = type.shape.known();
  if (!dims)
    return bad(name, "raw bytes need a type without symbols", found,
               text("an array of ", type.str()));
  NPU_LET(const int64_t wanted, dense_bytes(type.dtype, *dims));
  if (wanted != seen.dims[0])
    return bad(name, "the buffer has the wrong size", found,
               text(wanted, " bytes for ", type.str()));
  return TensorView{type.dtype, *dims, static_cast<std::byte*>(seen.data)};
}

Result<TensorView> check_seen(const std::string& name, const Seen& seen, const TensorType& type,
                              Access access) {
  if (access == Access::kWrite && seen.read_only)
    return bad(name, "the array cannot be written", "read-only memory", "a writable array");
  const std::string found = text(seen.dtype_str, " ", dims_str(seen.dims));
  if (!is_dense(seen))
    return at(text("'", name, "'"), fail(ErrorId::kNotContiguous, "the array is not contiguous",
                                         text(found, " with ", strides_str(seen.strides_bytes)),
                                         dense_strides_str(seen)));
  if (!seen.dtype)
    return bad(name, "the array's dtype is not supported", seen.dtype_str,
               std::string(dtype_name(type.dtype)));
  if (seen.dtype == type.dtype || holds_bits(*seen.dtype, type.dtype))
    return TensorView{type.dtype, seen.dims, static_cast<std::byte*>(seen.data)};
  if (is_raw(seen, type)) return view_raw(name, seen, type);
  return bad(name, "the array has the wrong dtype", found, type.str());
}

Result<ArrayView> from_buffer(const std::string& name, std::shared_ptr<Buffer> owner,
                              const TensorType& type, Access access) {
  const Py_buffer& buffer = owner->held;
  Seen seen;
  const std::string_view format = buffer.format != nullptr ? buffer.format : "B";
  seen.item_bytes = buffer.itemsize;
  seen.dtype = dtype_of_format(format, buffer.itemsize);
  seen.dtype_str = seen.dtype ? std::string(dtype_name(*seen.dtype))
                              : text("format '", format, "' (", buffer.itemsize, " bytes)");
  for (int axis = 0; axis < buffer.ndim; ++axis) {
    seen.dims.push_back(buffer.shape[axis]);
    if (buffer.strides != nullptr) seen.strides_bytes.push_back(buffer.strides[axis]);
  }
  seen.data = buffer.buf;
  seen.read_only = buffer.readonly != 0;
  NPU_LET(TensorView view, check_seen(name, seen, type, access));
  return ArrayView(std::move(view), std::move(owner));
}

std::optional<DType> dtype_of_dlpack(nb::dlpack::dtype dtype) {
  if (dtype.lanes != 1) return std::nullopt;
  switch (static_cast<nb::dlpack::dtype_code>(dtype.code)) {
    case nb::dlpack::dtype_code::Bool:
      return DType::kBool;
    case nb::dlpack::dtype_code::Bfloat:
      return DType::kBF16;
    case nb::dlpack::dtype_code::Float:
      return dtype_of_format(dtype.bits == 16 ? "e" : dtype.bits == 32 ? "f" : "d", dtype.bits / 8);
    case nb::dlpack::dtype_code::Int:
      return dtype_of_format("i", dtype.bits / 8);
    case nb::dlpack::dtype_code::UInt:
      return dtype_of_format("I", dtype.bits / 8);
    case nb::dlpack::dtype_code::Float8_E4M3FN:
      return DType::kF8E4M3FN;
    case nb::dlpack::dtype_code::Float8_E4M3FNUZ:
      return DType::kF8E4M3FNUZ;
    case nb::dlpack::dtype_code::Float8_E5M2:
      return DType::kF8E5M2;
    case nb::dlpack::dtype_code::Float8_E5M2FNUZ:
      return DType::kF8E5M2FNUZ;
    default:
      return std::nullopt;
  }
}

/// Array: with nb::ro, memory that may not be written is taken too.
template <class Array>
Result<ArrayView> from_dlpack(const std::string& name, nb::handle object, const TensorType& type,
                              Access access) {
  auto owner = std::make_shared<Array>();
  if (!nb::try_cast(object, *owner, false))
    return bad(
        name, "the array cannot be seen through DLPack",
        text("an object of type ", Py_TYPE(object.ptr())->tp_name),
        text(type.str(), access == Access::kWrite ? ", writable," : "", " in the host's memory"));
  const Array& array = *owner;
  if (array.device_type() != nb::device::cpu::value)
    return bad(name, "the array is not in the host's memory",
               text("DLPack device ", array.device_type()), "an array on the cpu");
  Seen seen;
  seen.dtype = dtype_of_dlpack(array.dtype());
  const nb::dlpack::dtype dtype = array.dtype();
  seen.dtype_str = seen.dtype
                       ? std::string(dtype_name(*seen.dtype))
                       : text("DLPack dtype ", int{dtype.code}, " of ", int{dtype.bits}, " bits");
  seen.item_bytes = static_cast<int64_t>(array.itemsize());
  for (size_t axis = 0; axis < array.ndim(); ++axis) {
    seen.dims.push_back(static_cast<int64_t>(array.shape(axis)));
    seen.strides_bytes.push_back(array.stride(axis) * seen.item_bytes);
  }
  seen.data = const_cast<void*>(array.data());
  NPU_LET(TensorView view, check_seen(name, seen, type, access));
  return ArrayView(std::move(view), std::move(owner));
}

/// The dtype under which numpy holds a dtype's values or bits.
nb::dlpack::dtype numpy_dtype(DType dtype) {
  using Code = nb::dlpack::dtype_code;
  const auto make = [](Code code, int64_t bits) {
    return nb::dlpack::dtype{static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1};
  };
  switch (dtype) {
    case DType::kBool:
      return make(Code::Bool, 8);
    case DType::kF16:
    case DType::kF32:
    case DType::kF64:
      return make(Code::Float, dtype_bits(dtype));
    case DType::kBF16:
      return make(Code::UInt, 16);
    default:
      if (is_integer(dtype) && dtype_bits(dtype) >= 8)
        return make(is_signed(dtype) ? Code::Int : Code::UInt, dtype_bits(dtype));
      return make(Code::UInt, 8);  // float8, and packed 4-bit integers
  }
}

nb::object to_numpy(const TensorView& view, nb::handle owner) {
  std::vector<size_t> shape(view.dims.begin(), view.dims.end());
  if (dtype_bits(view.dtype) == 4) shape = {static_cast<size_t>(view.bytes())};
  return nb::cast(nb::ndarray<nb::numpy>(view.data, shape.size(), shape.data(), owner, nullptr,
                                         numpy_dtype(view.dtype)));
}

}  // namespace

Result<ArrayView> view_array(const std::string& name, nb::handle object, const TensorType& type,
                             Access access) {
  if (auto buffer = get_buffer(object)) return from_buffer(name, std::move(buffer), type, access);
  if (nb::hasattr(object, "__dlpack__"))
    return access == Access::kRead ? from_dlpack<nb::ndarray<nb::ro>>(name, object, type, access)
                                   : from_dlpack<nb::ndarray<>>(name, object, type, access);
  if (nb::hasattr(object, "__array_interface__")) {
    const nb::object array = nb::module_::import_("numpy").attr("asarray")(object);
    if (auto buffer = get_buffer(array)) return from_buffer(name, std::move(buffer), type, access);
  }
  return bad(name, "not an array", text("an object of type ", Py_TYPE(object.ptr())->tp_name),
             text("a numpy array or another array of ", type.str(),
                  " with DLPack or __array_interface__"));
}

nb::object to_numpy(const Tensor& tensor) {
  auto kept = std::make_unique<Tensor>(tensor);
  const TensorView view = kept->view();
  const nb::capsule owner(kept.release(), [](void* held) noexcept {
    const std::unique_ptr<Tensor> freed(static_cast<Tensor*>(held));
  });
  return to_numpy(view, owner);
}

nb::object dims_object(const Shape& shape) {
  if (!shape.ranked()) return nb::none();
  nb::list dims;
  for (const Dim& dim : shape.dims()) {
    if (const auto value = dim.known())
      dims.append(*value);
    else
      dims.append(nb::str(dim.str().c_str()));
  }
  return nb::tuple(dims);
}

nb::object to_numpy(const TensorView& view) {
  auto copy = Tensor::copy(view.dtype, view.dims, {view.data, static_cast<size_t>(view.bytes())});
  if (!copy) throw std::bad_alloc();
  return to_numpy(*copy);
}

}  // namespace npugraph::python
