/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NPUGRAPH_HAL_PLUGIN_ABI_H_
#define NPUGRAPH_HAL_PLUGIN_ABI_H_

/* The run side of a device plug-in; see base/plugin_abi.h for the rules. Handles are the plug-in's
 * own pointers. What must not fail later is done in prepare(): execute() allocates nothing. */

#include "npugraph/base/plugin_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a plug-in gives to run its programs: one table of functions for a device. */
typedef struct NpugraphDriver {
  uint32_t struct_bytes; /* sizeof(NpugraphDriver) */
  int32_t host_memory;   /* device addresses are host addresses: npugraph copies nothing */
  int32_t virtual_clock; /* clock_ns() is simulated time, else steady wall time */
  int32_t align_bytes;   /* a power of two */
  const char* name;
  const char* fingerprint;
  const char* firmware;    /* "" where there is none */
  const char* description; /* one line for people */

  /* The device. Its functions may be called from several threads at once. */
  int32_t (*open)(void** device, NpugraphErrorText* error);
  void (*close)(void* device);
  /* Whether programs compiled for this name, fingerprint and firmware run here. */
  int32_t (*accepts)(void* device, const char* name, const char* fingerprint,
                     const char* min_firmware, NpugraphErrorText* error);

  /* address: what NpugraphTensor::data carries for this memory; npugraph adds offsets to it. */
  int32_t (*allocate)(void* device, int64_t size_bytes, int64_t align_bytes, void** memory,
                      void** address, NpugraphErrorText* error);
  void (*release)(void* device, void* memory);

  /* weights: on the host, valid until unload(). Check every byte of code: NPUGRAPH_CORRUPT. */
  int32_t (*load)(void* device, const void* code, int64_t code_bytes, const NpugraphTensor* weights,
                  int64_t weight_count, void** program, NpugraphErrorText* error);
  void (*unload)(void* program);
  /* Shapes are numbers here; data is null. An executable is used by one thread at a time, and is
   * discarded before its program is unloaded. */
  int32_t (*prepare)(void* program, const NpugraphTensor* inputs, int64_t input_count,
                     const NpugraphTensor* outputs, int64_t output_count, void** executable,
                     int64_t* scratch_bytes, NpugraphErrorText* error);
  void (*discard)(void* executable);

  /* An in-order queue, used by one thread at a time. threads: host threads it may use. */
  int32_t (*create_queue)(void* device, int32_t threads, void** queue, NpugraphErrorText* error);
  void (*destroy_queue)(void* queue);
  /* Tensors have the prepared shapes and device addresses; scratch is a device address too. */
  int32_t (*execute)(void* queue, void* executable, const NpugraphTensor* inputs,
                     int64_t input_count, const NpugraphTensor* outputs, int64_t output_count,
                     void* scratch, int64_t scratch_bytes, NpugraphErrorText* error);
  int32_t (*copy_in)(void* queue, void* device_address, const void* host, int64_t size_bytes,
                     NpugraphErrorText* error);
  int32_t (*copy_out)(void* queue, void* host, const void* device_address, int64_t size_bytes,
                      NpugraphErrorText* error);
  /* The time at which all that was enqueued so far is finished. */
  int64_t (*record)(void* queue);
  /* Nothing enqueued later starts before this time. */
  int32_t (*wait)(void* queue, int64_t time_ns, NpugraphErrorText* error);
  /* Returns when all that was enqueued is done. */
  int32_t (*synchronize)(void* queue, NpugraphErrorText* error);
  int64_t (*clock_ns)(void* queue);
  int64_t (*busy_ns)(void* queue); /* time spent computing since the queue was made */
} NpugraphDriver;

#ifdef __cplusplus
}
#endif

#endif /* NPUGRAPH_HAL_PLUGIN_ABI_H_ */
