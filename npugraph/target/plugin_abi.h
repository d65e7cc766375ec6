/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NPUGRAPH_TARGET_PLUGIN_ABI_H_
#define NPUGRAPH_TARGET_PLUGIN_ABI_H_

/* The compile side of a device plug-in; see base/plugin_abi.h for the rules. */

#include "npugraph/base/plugin_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A tensor of a graph. Dims that are not known at compile time are -1; rank -1: not even the rank
 * is known. `data`: the bytes of a constant, else null. */
typedef struct NpugraphValue {
  const char* name;
  int32_t dtype; /* as ONNX numbers them; 0: not known */
  int32_t rank;
  const int64_t* dims;
  const void* data;
  int64_t size_bytes; /* of data */
} NpugraphValue;

enum {
  NPUGRAPH_ATTR_INT = 0,     /* i */
  NPUGRAPH_ATTR_FLOAT = 1,   /* f */
  NPUGRAPH_ATTR_STRING = 2,  /* s */
  NPUGRAPH_ATTR_INTS = 3,    /* ints, count */
  NPUGRAPH_ATTR_FLOATS = 4,  /* floats, count */
  NPUGRAPH_ATTR_STRINGS = 5, /* strings, count */
  NPUGRAPH_ATTR_TENSOR = 6   /* tensor */
};
typedef struct NpugraphAttr {
  const char* name;
  int32_t kind;
  int32_t reserved;
  int64_t i;
  double f;
  const char* s;
  int64_t count;
  const int64_t* ints;
  const double* floats;
  const char* const* strings;
  const NpugraphTensor* tensor;
} NpugraphAttr;

/* One operator with the meaning of the newest ONNX opset. Inputs and outputs are numbers into
 * NpugraphGraph::values; -1 is an optional input that is absent. Attributes are complete: defaults
 * stand there too. */
typedef struct NpugraphNode {
  const char* domain; /* "" is ai.onnx */
  const char* op;
  const char* name;
  int64_t input_count;
  const int32_t* inputs;
  int64_t output_count;
  const int32_t* outputs;
  int64_t attr_count;
  const NpugraphAttr* attrs;
} NpugraphNode;

/* Nodes in an order in which every value is made before it is read. */
typedef struct NpugraphGraph {
  uint32_t struct_bytes; /* sizeof(NpugraphGraph) of the npugraph that calls */
  uint32_t reserved;
  int64_t value_count;
  const NpugraphValue* values;
  int64_t node_count;
  const NpugraphNode* nodes;
  int64_t input_count;
  const int32_t* inputs; /* values that the program gets, in this order */
  int64_t output_count;
  const int32_t* outputs; /* values that the program gives, in this order */
  /* The same graph as npugraph saves it (ir/proto.h, ir/graph.proto), for plug-ins in other
   * processes or languages. Only in compile(), else null. */
  const void* saved;
  int64_t saved_bytes;
} NpugraphGraph;

/* An answer to "do you run this node?"; zeroed before the call. Texts are for people: reason
 * "dtype of input 'A'", found "float16", allowed "float32". */
typedef struct NpugraphSupport {
  int32_t yes;
  char reason[128];
  char found[128];
  char allowed[128];
} NpugraphSupport;

/* A compiled program. Everything in it belongs to the plug-in until free_program(). */
typedef struct NpugraphProgram {
  const void* code; /* for the plug-in's own driver, in another process and year */
  int64_t code_bytes;
  const NpugraphTensor* weights; /* on the host; given to the driver again in this order */
  int64_t weight_count;
  const char* kernel; /* for reports; may be null */
  void* owner;        /* the plug-in's own */
} NpugraphProgram;

/* All functions may be called from several threads at once. */
typedef struct NpugraphTarget {
  uint32_t struct_bytes;    /* sizeof(NpugraphTarget) */
  int32_t whole_regions;    /* compile() takes graphs of many nodes; else one node at a time */
  int32_t host_memory;      /* as the driver's */
  int32_t align_bytes;      /* of tensors in the device's memory; a power of two */
  const char* name;         /* of the device, as in the driver */
  const char* fingerprint;  /* all that compiled programs depend on */
  const char* min_firmware; /* that programs compiled here need; "" for none */

  /* graph: one node, its inputs and outputs as the graph's own. */
  void (*supports)(const NpugraphGraph* graph, NpugraphSupport* answer);
  /* Estimate in nanoseconds; 0 when not known. May be null. */
  int64_t (*cost_ns)(const NpugraphGraph* graph);
  /* graph: nodes for which supports() said yes. program is zeroed before the call. */
  int32_t (*compile)(const NpugraphGraph* graph, int32_t opt_level, NpugraphProgram* program,
                     NpugraphErrorText* error);
  void (*free_program)(NpugraphProgram* program);
} NpugraphTarget;

#ifdef __cplusplus
}
#endif

#endif /* NPUGRAPH_TARGET_PLUGIN_ABI_H_ */
