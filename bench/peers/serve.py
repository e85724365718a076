"""Serves a workload to the benchmark: what is said is in bench/src/process.rs."""

import os
import struct
import sys
import time

import numpy as np


def arguments(texts):
    """The inputs in order: arrays from files, and whole numbers."""
    values = []
    for text in texts:
        value = text.split("=", 1)[1]
        values.append(np.load(value[1:]) if value.startswith("@") else int(value))
    return values


def leaves(result):
    if isinstance(result, (tuple, list)):
        return [leaf for part in result for leaf in leaves(part)]
    return [np.asarray(result, dtype=np.float64).ravel()]


def save(result, path):
    with open(path, "wb") as file:
        for leaf in leaves(result):
            file.write(struct.pack("<Q", leaf.size))
            file.write(leaf.astype("<f8").tobytes())


def serve(functions, wait, to_numpy):
    """Answers until the input ends. `functions` maps `value` and `gradient` to functions without parameters."""
    print("ready", *functions, flush=True)
    for line in sys.stdin:
        words = line.split()
        try:
            if words == ["peak"]:
                answer = "-"
            elif words[0] == "run":
                times = []
                for _ in range(int(words[2])):
                    start = time.perf_counter_ns()
                    wait(functions[words[1]]())
                    times.append(str(time.perf_counter_ns() - start))
                answer = " ".join(times)
            else:
                save(to_numpy(functions[words[1]]()), words[2])
                answer = "ok"
        except Exception as error:  # Told to the benchmark, whatever it is.
            answer = "error: " + " ".join(f"{type(error).__name__}: {error}".split())[:300]
        print(answer, flush=True)


def pin_one_core():
    """Lets libraries that count cores see a single one. Undo it with `unpin`."""
    mask = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(mask)})
    return mask


def unpin(mask):
    """Undoes `pin_one_core`; nothing without a mask."""
    for thread in os.listdir("/proc/self/task") if mask else []:
        os.sched_setaffinity(int(thread), mask)


def prepare_jax(threads):
    """JAX in double precision on the CPU, on a single thread if `threads` is 1; comes before the first `import jax`.
    Returns the mask for `unpin`, if there is one."""
    mask = None
    if threads == 1:
        mask = pin_one_core()
        os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_platforms", "cpu")
    return mask
