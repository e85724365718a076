/* Serves a workload to the benchmark: see bench/src/process.rs for what is said. */
#include "harness.h"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

Input inputs[16];
Output outputs[MAX_OUTPUTS];
int output_count;

static void fail(const char *what, const char *which) {
  printf("error: %s %s\n", what, which);
  fflush(stdout);
  exit(1);
}

void *scratch(size_t bytes) {
  void *p = aligned_alloc(64, (bytes + 127) / 64 * 64);
  if (!p) fail("out of", "memory");
  memset(p, 0, bytes);
  return p;
}

static Output *output(size_t count) {
  if (output_count == MAX_OUTPUTS) fail("too many", "outputs");
  Output *o = &outputs[output_count++];
  o->count = count;
  return o;
}

double *f64_output(size_t count) { return output(count)->f64 = scratch(8 * count); }

float *f32_output(size_t count) { return output(count)->f32 = scratch(4 * count); }

/* Reads version 1.0 of the format of NumPy, of numbers in row-major order. */
static void read_npy(Input *in, const char *path) {
  FILE *file = fopen(path, "rb");
  unsigned char start[10];
  if (!file || fread(start, 1, 10, file) != 10) fail("cannot read", path);
  size_t length = start[8] + 256u * start[9];
  char *header = calloc(1, length + 1);
  if (!header || fread(header, 1, length, file) != length) fail("cannot read", path);
  size_t width = strstr(header, "<f4") ? 4 : 8;
  char *at = strstr(header, "'shape': (");
  if (!at) fail("no shape in", path);
  at += 10;
  in->count = 1;
  while (*at != ')') {
    in->shape[in->rank] = strtoll(at, &at, 10);
    in->count *= (size_t)in->shape[in->rank++];
    if (*at == ',') at++;
  }
  in->data = scratch(width * in->count);
  if (fread(in->data, width, in->count, file) != in->count) fail("too short:", path);
  fclose(file);
  free(header);
}

static void save(int from, int to, const char *path) {
  FILE *file = fopen(path, "wb");
  if (!file) fail("cannot write", path);
  for (int i = from; i < to; i++) {
    uint64_t count = outputs[i].count;
    fwrite(&count, 8, 1, file);
    for (size_t k = 0; k < count; k++) {
      double x = outputs[i].f64 ? outputs[i].f64[k] : outputs[i].f32[k];
      fwrite(&x, 8, 1, file);
    }
  }
  fclose(file);
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv) {
  omp_set_num_threads(argc > 1 ? atoi(argv[1]) : 1);
  for (int i = 2; i < argc; i++) {
    Input *in = &inputs[i - 2];
    char *equals = strchr(argv[i], '=');
    if (!equals || i - 2 >= 16) fail("not understood:", argv[i]);
    in->name = argv[i];
    if (equals[1] == '@') read_npy(in, equals + 2);
    else in->number = atoll(equals + 1);
  }
  prepare();
  printf("ready value%s\n", has_gradient ? " gradient" : "");
  fflush(stdout);
  char line[4096], verb[16], name[16], last[4000];
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "%15s %15s %3999s", verb, name, last) != 3) {
      puts("-");
    } else {
      int is_value = !strcmp(name, "value");
      void (*run)(void) = is_value ? value : gradient;
      if (!strcmp(verb, "run")) {
        for (int k = atoi(last); k > 0; k--) {
          int64_t start = now();
          run();
          printf("%lld%s", (long long)(now() - start), k > 1 ? " " : "\n");
        }
      } else {
        run();
        if (is_value) save(0, value_outputs, last);
        else save(value_outputs, output_count, last);
        puts("ok");
      }
    }
    fflush(stdout);
  }
  return 0;
}
