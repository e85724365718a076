"""Arr's programs as StableHLO, compiled by XLA under JAX: `python xla_peer.py WORKLOAD THREADS ARG..`. The module is written
by the programme that the variable ARR_BENCH names."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

from serve import arguments, prepare_jax, serve, unpin

NAME, THREADS = sys.argv[1], int(sys.argv[2])
MASK = prepare_jax(THREADS)

import jax

ROOT = pathlib.Path(__file__).parents[2]


def recipe():
    """The file of the Python package that makes functions of modules, which needs JAX alone."""
    path = ROOT / "crates/arr-python/python/arr/_exported.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def modules(folder):
    """The texts of the functions that the program defines."""
    program = ROOT / "bench/workloads" / f"{NAME}.arr"
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


def main():
    # The program knows the numbers.
    values = [jax.device_put(v) for v in arguments(sys.argv[3:]) if not isinstance(v, int)]
    jax.block_until_ready(values)
    exported = recipe().exported
    functions = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in modules(folder).items():
            last = -1 if "-> (" in text and "tensor<4xi64>)" in text.split("-> (")[1].splitlines()[0] else None
            call = jax.jit(exported(text).call)
            functions[name] = lambda call=call, last=last: call(*values)[:last]
    unpin(MASK)
    if not functions:
        print("error: no module", flush=True)
        return
    serve(functions, jax.block_until_ready, lambda result: result)


main()
