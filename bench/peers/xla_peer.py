"""Arr's programs as StableHLO, compiled by XLA under JAX: `python xla_peer.py WORKLOAD THREADS ARG..`. The module is written
by the programme that the variable ARR_BENCH names."""

import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile

from serve import arguments, pin_one_core, serve, unpin

NAME, THREADS = sys.argv[1], int(sys.argv[2])
MASK = None
if THREADS == 1:
    MASK = pin_one_core()
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax
import jax.numpy as jnp
import numpy as np
from jax import export
from jax.extend.mlir import serialize_portable_artifact

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")

DTYPES = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32, "ui32": np.uint32, "i1": np.bool_}


def modules(folder):
    """The texts of the functions that the program defines."""
    program = pathlib.Path(__file__).parent.parent / "workloads" / f"{NAME}.arr"
    line = [os.environ["ARR_BENCH"], "serve", str(program), "1", *sys.argv[3:]]
    child = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    texts = {}
    for name in child.stdout.readline().split()[1:]:
        path = os.path.join(folder, name)
        child.stdin.write(f"lower {name} {path}\n")
        child.stdin.flush()
        answer = child.stdout.readline().strip()
        if answer == "ok":
            texts[name] = pathlib.Path(path).read_text()
        else:
            print(f"{name}: {answer}", file=sys.stderr)
    child.stdin.close()
    child.wait()
    return texts


def tensors(text):
    """The types in a list of parameters or results."""
    found = []
    for part in text.split("tensor<")[1:]:
        *dims, elem = part.split(">")[0].split("x")
        found.append(jax.ShapeDtypeStruct(tuple(map(int, dims)), DTYPES[elem]))
    return found


def exported(text):
    head = next(line for line in text.splitlines() if "func.func public @main" in line)
    ins, outs = head.split(") -> (")
    ins, outs = tensors(ins), tensors(outs)
    template = export.export(jax.jit(lambda *_: tuple(jnp.zeros(o.shape, o.dtype) for o in outs), keep_unused=True))(*ins)
    return dataclasses.replace(template, mlir_module_serialized=serialize_portable_artifact(text, "1.9.0"))


def main():
    # The program knows the numbers.
    values = [jax.device_put(v) for v in arguments(sys.argv[3:]) if not isinstance(v, int)]
    jax.block_until_ready(values)
    functions = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in modules(folder).items():
            last = -1 if "-> (" in text and "tensor<4xi64>)" in text.split("-> (")[1].splitlines()[0] else None
            call = jax.jit(exported(text).call)
            functions[name] = lambda call=call, last=last: call(*values)[:last]
    if MASK:
        unpin(MASK)
    if not functions:
        print("error: no module", flush=True)
        return
    serve(functions, jax.block_until_ready, lambda result: result)


main()
