/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NPUGRAPH_BASE_PLUGIN_ABI_H_
#define NPUGRAPH_BASE_PLUGIN_ABI_H_

/* The C interface between npugraph and a device that somebody else makes, part 1: what both halves
 * share. target/plugin_abi.h is the compile side, hal/plugin_abi.h the run side; docs/devices.md
 * tells how to write a plug-in. Plain C: no header of npugraph beyond these three is needed, and
 * nothing is linked.
 *
 * Rules for all functions. Pointers that npugraph passes are valid during the call only, unless
 * said otherwise. Strings end in zero. No exception may leave a plug-in. */

#include <stdint.h> /* NOLINT(modernize-deprecated-headers): C */

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a struct or the meaning of a function changes. npugraph loads a plug-in only when
 * both have the same number; both numbers are named otherwise. */
#define NPUGRAPH_PLUGIN_ABI_VERSION 1

#define NPUGRAPH_PLUGIN_SYMBOL "npugraph_device_plugin"

/* What a call came to; anything else is read as NPUGRAPH_FAILED. */
enum {
  NPUGRAPH_OK = 0,
  NPUGRAPH_FAILED = 1,           /* the plug-in's own trouble */
  NPUGRAPH_INVALID_ARGUMENT = 2, /* shapes or tensors that do not fit */
  NPUGRAPH_UNSUPPORTED = 3,      /* a node or graph that this device does not run */
  NPUGRAPH_OUT_OF_MEMORY = 4,
  NPUGRAPH_CORRUPT = 5,      /* a program that is damaged or not this device's */
  NPUGRAPH_WRONG_DEVICE = 6, /* a program for another device */
  NPUGRAPH_OLD_FIRMWARE = 7  /* a program that needs newer firmware */
};

/* Filled by a function that returns another status than NPUGRAPH_OK; zeroed before the call. Empty
 * texts are left out of the message. Each text ends in zero within its array. */
typedef struct NpugraphErrorText {
  char what[256]; /* one sentence */
  char found[256];
  char expected[256];
} NpugraphErrorText;

/* dtype: as ONNX numbers them in TensorProto.DataType: 1 float32, 7 int64, 10 float16, ...
 * A dense row-major tensor. `data` is a host address, or a device address where hal/plugin_abi.h
 * says so; rank -1 marks an optional tensor that is absent. */
enum { NPUGRAPH_FLOAT32 = 1 };
typedef struct NpugraphTensor {
  int32_t dtype;
  int32_t rank;
  const int64_t* dims;
  void* data;
  int64_t size_bytes;
} NpugraphTensor;

struct NpugraphTarget; /* target/plugin_abi.h */
struct NpugraphDriver; /* hal/plugin_abi.h */

/* A plug-in: one device, both halves. Either may be null where a process needs the other alone. */
typedef struct NpugraphPlugin {
  uint32_t abi_version;  /* NPUGRAPH_PLUGIN_ABI_VERSION; first in every version of this struct */
  uint32_t struct_bytes; /* sizeof(NpugraphPlugin) */
  const struct NpugraphTarget* target;
  const struct NpugraphDriver* driver;
} NpugraphPlugin;

/* The one symbol of a plug-in's shared library. The result lives as long as the library. */
typedef const NpugraphPlugin* (*NpugraphDevicePluginFunction)(void);

/* Put before its definition: NPUGRAPH_EXPORT const NpugraphPlugin* npugraph_device_plugin(void) */
#ifdef __cplusplus
#define NPUGRAPH_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define NPUGRAPH_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
}
#endif

#endif /* NPUGRAPH_BASE_PLUGIN_ABI_H_ */
