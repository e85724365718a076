"""The suite's programs for JAX, which take the time when a call returns, made to return when the result is there.

    python bench/gradbench_jax.py SUITE --multithreaded

JAX computes behind the back of its caller, whatever its settings for small programs. Here what `jit` makes waits for what it gives.
"""

import functools
import pathlib
import runpy
import sys

import jax

compiled = jax.jit


def waiting(function=None, **options):
    if function is None:
        return functools.partial(waiting, **options)
    program = compiled(function, **options)

    @functools.wraps(function)
    def call(*arguments, **named):
        return jax.block_until_ready(program(*arguments, **named))

    return call


jax.jit = waiting
program = pathlib.Path(sys.argv.pop(1)) / "python/gradbench/gradbench/tools/jax/run.py"
# The suite's modules lie beside its program; beside this file lies another `gradbench` than the suite's.
sys.path[0] = str(program.parent)
runpy.run_path(str(program), run_name="__main__")
