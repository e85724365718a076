/* What a workload in C gets and gives. */
#ifndef HARNESS_H
#define HARNESS_H
#include <stddef.h>
#include <stdint.h>

/* An argument: a number, or an array in row-major order. */
typedef struct {
  const char *name;
  int64_t number;
  int64_t shape[8];
  int rank;
  size_t count;
  void *data;
} Input;

/* An array of a result; either f64 or f32 is set. */
typedef struct {
  size_t count;
  double *f64;
  float *f32;
} Output;

enum { MAX_OUTPUTS = 8 };

/* The inputs in the order of the program's parameters. A workload sets `output_count` and allocates once, in `prepare`. */
extern Input inputs[16];
extern Output outputs[MAX_OUTPUTS];
extern int output_count;

#define F64(i) ((const double *)inputs[i].data)
#define F32(i) ((const float *)inputs[i].data)
#define I64(i) ((const int64_t *)inputs[i].data)

double *f64_output(size_t count);
float *f32_output(size_t count);
/* Zeroed memory on a boundary of 64 bytes, or the process ends. */
void *scratch(size_t bytes);

/* Defined by a workload. `prepare` allocates the outputs of the gradient after those of the value, which come first:
   `value_outputs` says how many those are. */
extern const int value_outputs;
extern const int has_gradient;
void prepare(void);
void value(void);
void gradient(void);

#endif
