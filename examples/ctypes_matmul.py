# SPDX-License-Identifier: Apache-2.0
"""One MatMul through the C interface with nothing but ctypes, as any language with C calls does it.

python examples/ctypes_matmul.py LIBNPUGRAPH.so [DEVICE]
"""

import ctypes
import sys

GRAPH = b"""graph "matmul" {
  input %x: float32[2, 3]
  input %w: float32[3, 2]
  %y = MatMul(%x, %w)
  return %y
}"""
FLOAT32 = 1


class Tensor(ctypes.Structure):
    """npugraph_tensor; struct_size and the dims' memory are kept right by tensor()."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("data", ctypes.c_void_p),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
    ]


def tensor(values, *dims) -> Tensor:
    """A float32 tensor over `values`, an array of c_float that the caller keeps."""
    sizes = (ctypes.c_int64 * len(dims))(*dims)
    address = ctypes.cast(values, ctypes.c_void_p)
    return Tensor(ctypes.sizeof(Tensor), address, sizes, None, FLOAT32, len(dims))


def multiply(path: str, device: str) -> list[float]:
    """[[1, 2, 3], [4, 5, 6]] @ [[1, -1], [0.5, 2], [-2, 0.25]], row-major."""
    npu = ctypes.CDLL(path)
    npu.npugraph_last_error.restype = ctypes.c_char_p

    def call(name: str, *arguments) -> None:
        if getattr(npu, name)(*arguments) != 0:
            raise RuntimeError(npu.npugraph_last_error().decode())

    library, options, engine, session = (ctypes.c_void_p() for _ in range(4))
    x, w = (ctypes.c_float * 6)(1, 2, 3, 4, 5, 6), (ctypes.c_float * 6)(1, -1, 0.5, 2, -2, 0.25)
    y = (ctypes.c_float * 4)()
    try:
        call("npugraph_library_create", None, ctypes.byref(library))
        call("npugraph_compile_options_create", ctypes.byref(options))
        call("npugraph_compile_options_set", options, b"device", device.encode())
        call("npugraph_compile_text", library, GRAPH, options, ctypes.byref(engine))
        call("npugraph_session_create", library, engine, None, ctypes.byref(session))
        inputs = (Tensor * 2)(tensor(x, 2, 3), tensor(w, 3, 2))
        output = tensor(y, 2, 2)
        count = ctypes.c_int64
        call("npugraph_session_run", session, inputs, count(2), ctypes.byref(output), count(1))
    finally:
        npu.npugraph_session_destroy(session)
        npu.npugraph_engine_destroy(engine)
        npu.npugraph_compile_options_destroy(options)
        npu.npugraph_library_destroy(library)
    return list(y)


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    device = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    found, expected = multiply(sys.argv[1], device), [-4, 3.75, -5.5, 7.5]
    print(f"{device}: {found}")
    return any(abs(a - b) > 1e-5 * abs(b) for a, b in zip(found, expected, strict=True))


if __name__ == "__main__":
    sys.exit(main())
