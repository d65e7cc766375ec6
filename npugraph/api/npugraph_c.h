/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NPUGRAPH_API_NPUGRAPH_C_H_
#define NPUGRAPH_API_NPUGRAPH_C_H_

/* The C face: compiles models to engines and runs them. C11, nothing but this header and
 * libnpugraph.so. docs/c.md walks through it; examples/c/matmul.c is the smallest program.
 *
 * STATUS. A function that can fail returns npugraph_status: NPUGRAPH_STATUS_OK, or the number of
 * the error in docs/troubleshooting.md, in bands: 1xx base and files, 2xx ONNX, 3xx shapes,
 * operators and graph, 4xx compile and devices, 5xx engine file, 6xx run time. A handle that could
 * not be made is null, and other results are as they were. No exception leaves a function. Beyond
 * the errors that a function lists, each may return NullArgument (607) and OutOfMemory (104).
 *
 * OWNERSHIP. `create`, `open` and `compile` functions make a handle that the caller gives to the
 * `destroy` function of its kind, once; null may be destroyed. Handles keep alive what they need:
 * they may be destroyed in any order. Texts and arrays that a function gives back belong to the
 * handle and live as long as it, unless said otherwise. What a caller passes is read during the
 * call only.
 *
 * THREADS. Libraries and engines do not change and may be used by several threads at once; options
 * and sessions by one thread at a time. Sessions share nothing that changes.
 *
 * STRUCTS start with struct_size, which the caller sets to sizeof the struct as its header has it;
 * all other fields of what is passed in may be zero and then mean the default. Structs grow at
 * their end only. A library that is newer takes the shorter struct; one that is older takes the
 * longer one as long as what it does not know is zero, and else returns BadOption (107).
 *
 * All texts are UTF-8 and end in zero. */

#include <stddef.h> /* NOLINT(modernize-deprecated-headers): C */
#include <stdint.h> /* NOLINT(modernize-deprecated-headers): C */

#define NPUGRAPH_API __attribute__((visibility("default")))
#ifdef __cplusplus
#define NPUGRAPH_NOEXCEPT noexcept
extern "C" {
#else
#define NPUGRAPH_NOEXCEPT
#endif

/* Counts up when something is added; what is there does not change within a version of the .so. */
#define NPUGRAPH_C_API_VERSION 1

/* ---- Versions and errors ---- */

/* "0.1.0". Lives as long as the process. */
NPUGRAPH_API const char* npugraph_version(void) NPUGRAPH_NOEXCEPT;
/* NPUGRAPH_C_API_VERSION of the library that is loaded. */
NPUGRAPH_API int32_t npugraph_c_api_version(void) NPUGRAPH_NOEXCEPT;

typedef int32_t npugraph_status;
/* NPUGRAPH_ERROR_FileNotFound = 101 and so on: the names of docs/troubleshooting.md. */
enum {
  NPUGRAPH_STATUS_OK = 0,
#define X(name, number, code, title, fix) NPUGRAPH_ERROR_##name = number,
#include "npugraph/base/errors.inc"
#undef X
};

/* What kind of failure it is, to branch on. */
enum {
  NPUGRAPH_CODE_NONE = -1,            /* no failure, or no such number */
  NPUGRAPH_CODE_INVALID_ARGUMENT = 0, /* the caller's input is wrong; retrying cannot help */
  NPUGRAPH_CODE_UNSUPPORTED = 1,      /* legal input that no operator, kernel or device takes */
  NPUGRAPH_CODE_NOT_FOUND = 2,
  NPUGRAPH_CODE_OUT_OF_MEMORY = 3,
  NPUGRAPH_CODE_CORRUPT = 4,      /* a file or message fails its own checks */
  NPUGRAPH_CODE_INCOMPATIBLE = 5, /* engine file, driver or firmware of another version */
  NPUGRAPH_CODE_TIMEOUT = 6,
  NPUGRAPH_CODE_CANCELLED = 7,
  NPUGRAPH_CODE_INTERNAL = 8 /* a bug in npugraph */
};

/* "FileNotFound"; "Ok" for 0, "" for a number that no error has. Lives as long as the process. */
NPUGRAPH_API const char* npugraph_status_name(npugraph_status status) NPUGRAPH_NOEXCEPT;
/* The NPUGRAPH_CODE_ of a status. */
NPUGRAPH_API int32_t npugraph_status_code(npugraph_status status) NPUGRAPH_NOEXCEPT;

/* The last failure of the calling thread; success leaves it as it is. */
NPUGRAPH_API npugraph_status npugraph_last_error_id(void) NPUGRAPH_NOEXCEPT;
/* "NPU101: model.onnx: a file cannot be opened; found …, expected …; to do: …", "" before the first
 * failure. Lives until the next failure of this thread. */
NPUGRAPH_API const char* npugraph_last_error(void) NPUGRAPH_NOEXCEPT;

/* The parts of an error; a part that there is not is "". */
typedef struct npugraph_error_info {
  size_t struct_size;
  npugraph_status id;
  int32_t code;         /* NPUGRAPH_CODE_ */
  const char* name;     /* as npugraph_status_name() */
  const char* what;     /* one sentence */
  const char* place;    /* "model.onnx: node 'conv1'", outermost first */
  const char* found;    /* what stood there */
  const char* expected; /* what would have been right */
  const char* fix;      /* what to do */
} npugraph_error_info;
/* Fills `info` with the last failure of this thread: texts live until its next failure.
 * Errors: BadOption (struct_size). */
NPUGRAPH_API npugraph_status npugraph_last_error_info(npugraph_error_info* info) NPUGRAPH_NOEXCEPT;

/* ---- Element types and tensors ---- */

/* Element types, numbered as in ONNX's TensorProto.DataType. 4-bit types pack two elements a byte,
 * the first in the low half. */
enum {
  NPUGRAPH_DTYPE_FLOAT32 = 1,
  NPUGRAPH_DTYPE_UINT8 = 2,
  NPUGRAPH_DTYPE_INT8 = 3,
  NPUGRAPH_DTYPE_UINT16 = 4,
  NPUGRAPH_DTYPE_INT16 = 5,
  NPUGRAPH_DTYPE_INT32 = 6,
  NPUGRAPH_DTYPE_INT64 = 7,
  NPUGRAPH_DTYPE_BOOL = 9, /* one byte, 0 or 1 */
  NPUGRAPH_DTYPE_FLOAT16 = 10,
  NPUGRAPH_DTYPE_FLOAT64 = 11,
  NPUGRAPH_DTYPE_UINT32 = 12,
  NPUGRAPH_DTYPE_UINT64 = 13,
  NPUGRAPH_DTYPE_BFLOAT16 = 16,
  NPUGRAPH_DTYPE_FLOAT8E4M3FN = 17,
  NPUGRAPH_DTYPE_FLOAT8E4M3FNUZ = 18,
  NPUGRAPH_DTYPE_FLOAT8E5M2 = 19,
  NPUGRAPH_DTYPE_FLOAT8E5M2FNUZ = 20,
  NPUGRAPH_DTYPE_UINT4 = 21,
  NPUGRAPH_DTYPE_INT4 = 22
};
/* "float32"; "" for a number that is no element type. Lives as long as the process. */
NPUGRAPH_API const char* npugraph_dtype_name(int32_t dtype) NPUGRAPH_NOEXCEPT;

/* A tensor in host memory, row-major: the last dim is the fastest. An array of tensors steps by the
 * struct_size of its first, which all share. */
typedef struct npugraph_tensor {
  size_t struct_size;
  void* data;             /* aligned for the element; may be null when there are no elements */
  const int64_t* dims;    /* `rank` sizes, outermost first; may be null when rank is 0 */
  const int64_t* strides; /* in elements; null: row-major. What is not row-major is refused */
  int32_t dtype;          /* NPUGRAPH_DTYPE_ */
  int32_t rank;
} npugraph_tensor;

/* ---- Libraries: the devices of a process ---- */

typedef struct npugraph_library npugraph_library;

/* What npugraph_library_create() loads besides the built-in devices. */
typedef struct npugraph_library_options {
  size_t struct_size;
  const char* const* plugins; /* paths of device plug-ins, besides those of NPUGRAPH_PLUGINS */
  int64_t plugin_count;
  const char* vnpu_hardware; /* hardware file of the simulated NPU; null: the built-in one */
} npugraph_library_options;

/* Makes the built-in devices and loads plug-ins. options: null for the defaults.
 * Errors: FileNotFound, PluginLoad, HardwareFile, BadOption. */
NPUGRAPH_API npugraph_status npugraph_library_create(const npugraph_library_options* options,
                                                     npugraph_library** library) NPUGRAPH_NOEXCEPT;
/* Ends a library; engines and sessions that came from it go on. */
NPUGRAPH_API void npugraph_library_destroy(npugraph_library* library) NPUGRAPH_NOEXCEPT;

/* One device of a library; the strings live as long as the library. */
typedef struct npugraph_device {
  size_t struct_size;
  const char* name;        /* what npugraph_compile_options_set(…, "device", …) takes */
  const char* description; /* one line for people */
  const char* fingerprint; /* what compiled code depends on */
  const char* firmware;    /* "" where there is none */
  int32_t host_memory;     /* 1: works in host memory, so nothing is copied to it */
  int32_t virtual_clock;   /* 1: its times are simulated */
} npugraph_device;
/* Number of devices; 0 for a null library. */
NPUGRAPH_API int64_t npugraph_library_device_count(const npugraph_library* library)
    NPUGRAPH_NOEXCEPT;
/* Fills `device` with device `index`, 0 to count - 1; 0 is the cpu. Errors: BadOption. */
NPUGRAPH_API npugraph_status npugraph_library_device(const npugraph_library* library, int64_t index,
                                                     npugraph_device* device) NPUGRAPH_NOEXCEPT;

/* ---- Options for compiling ---- */

typedef struct npugraph_compile_options npugraph_compile_options;

/* Makes options that all have their defaults. */
NPUGRAPH_API npugraph_status npugraph_compile_options_create(npugraph_compile_options** options)
    NPUGRAPH_NOEXCEPT;
/* Ends options; what was compiled with them stays. */
NPUGRAPH_API void npugraph_compile_options_destroy(npugraph_compile_options* options)
    NPUGRAPH_NOEXCEPT;
/* Sets an option by name, from text. Those there are, with their defaults:
 *   device = cpu              nodes that this device refuses run on the cpu
 *   opt_level = 2             0 as the model is; 1 clean-ups; 2 fusions; 3 approximations too
 *   precise                   adds an operator, or a regular expression for names of nodes, whose
 *                             implementation stays precise at level 3
 *   self_check = 0            1: compare with the interpreter after each pass
 *   dump_passes               folder for the graphs before and after each pass
 *   order                     adds the name of a node: all of them, in the order of execution
 *   keep_inputs               adds an input that stays one although the model gives it a value
 *   minimise_memory = 1, reuse_buffers = 1
 * Errors: BadOption (no such name, with those there are; not a legal value). */
NPUGRAPH_API npugraph_status npugraph_compile_options_set(npugraph_compile_options* options,
                                                          const char* name,
                                                          const char* value) NPUGRAPH_NOEXCEPT;
/* Gives the input `name` a shape: "1x3x224x224" or "b,3,h,w" with symbols for sizes that stay open,
 * "scalar" for rank 0. Errors: BadOption. That the input exists is found out by compiling. */
NPUGRAPH_API npugraph_status npugraph_compile_options_set_shape(
    npugraph_compile_options* options, const char* name, const char* shape) NPUGRAPH_NOEXCEPT;
/* Switches an optimiser pass on (not 0) or off. That it exists is found out by compiling. */
NPUGRAPH_API npugraph_status npugraph_compile_options_set_pass(npugraph_compile_options* options,
                                                               const char* name,
                                                               int32_t on) NPUGRAPH_NOEXCEPT;
/* Told what is being done and how far it is, 0 to 1; returning 0 stops the work with Cancelled. */
typedef int32_t (*npugraph_progress)(const char* stage, double fraction, void* user);
/* progress: null for none. Called by the thread that compiles, with `user`. */
NPUGRAPH_API npugraph_status npugraph_compile_options_set_progress(
    npugraph_compile_options* options, npugraph_progress progress, void* user) NPUGRAPH_NOEXCEPT;

/* ---- Engines: compiled models ---- */

typedef struct npugraph_engine npugraph_engine;

/* Compiles an ONNX file. options: null for the defaults.
 * Errors: FileNotFound, the 2xx, 3xx and 4xx bands, BadOption, Cancelled. */
NPUGRAPH_API npugraph_status npugraph_compile_file(const npugraph_library* library,
                                                   const char* path,
                                                   const npugraph_compile_options* options,
                                                   npugraph_engine** engine) NPUGRAPH_NOEXCEPT;
/* The same from the bytes of an ONNX model without external data. */
NPUGRAPH_API npugraph_status npugraph_compile_bytes(const npugraph_library* library,
                                                    const void* model, int64_t size_bytes,
                                                    const npugraph_compile_options* options,
                                                    npugraph_engine** engine) NPUGRAPH_NOEXCEPT;
/* The same from a graph in npugraph's text form (docs/c.md has the grammar):
 *   graph { input %x: float32[2, 3] input %w: float32[3, 4] %y = MatMul(%x, %w) return %y }
 * Errors: IrParse with line and column, and those of npugraph_compile_file(). */
NPUGRAPH_API npugraph_status npugraph_compile_text(const npugraph_library* library,
                                                   const char* graph,
                                                   const npugraph_compile_options* options,
                                                   npugraph_engine** engine) NPUGRAPH_NOEXCEPT;
/* Opens an engine file; its weights are mapped, not read.
 * Errors: FileNotFound, FileRead, EngineCorrupt, EngineVersion. */
NPUGRAPH_API npugraph_status npugraph_engine_open(const char* path,
                                                  npugraph_engine** engine) NPUGRAPH_NOEXCEPT;
/* Writes an engine file, whole or not at all. Errors: FileWrite. */
NPUGRAPH_API npugraph_status npugraph_engine_save(const npugraph_engine* engine,
                                                  const char* path) NPUGRAPH_NOEXCEPT;
/* Ends an engine; its sessions go on. */
NPUGRAPH_API void npugraph_engine_destroy(npugraph_engine* engine) NPUGRAPH_NOEXCEPT;

/* An input or output of an engine. */
typedef struct npugraph_port {
  size_t struct_size;
  const char* name;
  int32_t dtype;       /* NPUGRAPH_DTYPE_ */
  int32_t rank;        /* -1: known only at run time */
  const int64_t* dims; /* `rank` sizes; -1: known only at run time */
  const char* shape;   /* "[1, 3, h, 2*w + 1]", "[*]" when not even the rank is known */
} npugraph_port;
/* Number of inputs; 0 for a null engine. */
NPUGRAPH_API int64_t npugraph_engine_input_count(const npugraph_engine* engine) NPUGRAPH_NOEXCEPT;
/* Number of outputs; 0 for a null engine. */
NPUGRAPH_API int64_t npugraph_engine_output_count(const npugraph_engine* engine) NPUGRAPH_NOEXCEPT;
/* Fills `port` with input or output `index`, 0 to count - 1. Errors: BadOption. */
NPUGRAPH_API npugraph_status npugraph_engine_input(const npugraph_engine* engine, int64_t index,
                                                   npugraph_port* port) NPUGRAPH_NOEXCEPT;
/* The same for an output. */
NPUGRAPH_API npugraph_status npugraph_engine_output(const npugraph_engine* engine, int64_t index,
                                                    npugraph_port* port) NPUGRAPH_NOEXCEPT;
/* Gives everything about the engine as JSON: ports, nodes with their devices and the reasons,
 * tasks, memory. */
NPUGRAPH_API npugraph_status npugraph_engine_describe(const npugraph_engine* engine,
                                                      const char** json) NPUGRAPH_NOEXCEPT;

/* ---- Sessions: engines ready to run ---- */

typedef struct npugraph_session npugraph_session;

/* How npugraph_session_create() sets a session up. */
typedef struct npugraph_session_options {
  size_t struct_size;
  int64_t threads;          /* host threads, the caller included; 0: all processors */
  int64_t late_limit_bytes; /* for tensors whose size only running can tell; 0: 4 GiB */
  int32_t unplanned_memory; /* 1: allocate each buffer apart, to find what planning hides */
  int32_t reserved;         /* 0 */
} npugraph_session_options;

/* Loads an engine on the devices of `library`. options: null for the defaults.
 * Errors: DeviceUnknown, DeviceMismatch, Firmware, EngineCorrupt, ProgramInvalid, BadOption. */
NPUGRAPH_API npugraph_status npugraph_session_create(const npugraph_library* library,
                                                     const npugraph_engine* engine,
                                                     const npugraph_session_options* options,
                                                     npugraph_session** session) NPUGRAPH_NOEXCEPT;
/* Ends a session, and with it the memory of its outputs. */
NPUGRAPH_API void npugraph_session_destroy(npugraph_session* session) NPUGRAPH_NOEXCEPT;

/* Phase one: does for these shapes all that may fail or allocate, once a set of shapes. inputs: one
 * an input, in port order; only rank and dims are read.
 * Errors: BadInputCount, BadTensor, ShapeMismatch. */
NPUGRAPH_API npugraph_status npugraph_session_prepare(npugraph_session* session,
                                                      const npugraph_tensor* inputs,
                                                      int64_t input_count) NPUGRAPH_NOEXCEPT;
/* Phase two: runs the engine, after preparing for shapes that are new.
 * inputs: one an input, in port order, used in place and not written.
 * outputs: one an output, in port order, with dtype and dims as they will come; written in place.
 * For one whose data is null the session has memory, and its other fields are not read; so it is
 * for all of them when outputs is null and output_count 0. npugraph_session_output() tells where.
 * Inputs and outputs must not overlap.
 * Errors: BadInputCount, BadTensor, ShapeMismatch, Misaligned, NotContiguous, LatePoolFull, and
 * what operators say of their data. */
NPUGRAPH_API npugraph_status npugraph_session_run(npugraph_session* session,
                                                  const npugraph_tensor* inputs,
                                                  int64_t input_count,
                                                  const npugraph_tensor* outputs,
                                                  int64_t output_count) NPUGRAPH_NOEXCEPT;
/* Fills `tensor` with output `index` of the last run: valid until the next run of this session.
 * Errors: BadOption (no such output, or nothing ran yet). */
NPUGRAPH_API npugraph_status npugraph_session_output(const npugraph_session* session, int64_t index,
                                                     npugraph_tensor* tensor) NPUGRAPH_NOEXCEPT;

/* What the last run cost, in nanoseconds. */
typedef struct npugraph_run_times {
  size_t struct_size;
  int64_t wall_ns;
  int64_t virtual_ns; /* on the clock of a simulated device; 0: there is none */
} npugraph_run_times;
/* Fills `times`. Errors: BadOption (struct_size). */
NPUGRAPH_API npugraph_status npugraph_session_times(const npugraph_session* session,
                                                    npugraph_run_times* times) NPUGRAPH_NOEXCEPT;
/* How long the device `name` was busy in the last run, in nanoseconds on its own clock; 0 for one
 * that the engine does not use. */
NPUGRAPH_API npugraph_status npugraph_session_busy_ns(const npugraph_session* session,
                                                      const char* name,
                                                      int64_t* busy_ns) NPUGRAPH_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* NPUGRAPH_API_NPUGRAPH_C_H_ */
