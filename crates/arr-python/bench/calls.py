"""What a call costs: functions of Arr beside a jitted one of JAX and an addition of PyTorch, in one run.

    python crates/arr-python/bench/calls.py

Each figure is the least of several rounds, in microseconds per call; JAX and PyTorch are measured where they are installed.
"""

import timeit

import arr
import numpy as np

M = arr.compile("""
def scalar(x: f64) -> f64 = x * x + 1.0
def arrays(x: [n]f64, y: [n]f64, p: { a: f64, b: f64, c: [k]f64, d: i64 }) -> f64 = p.a * sum(x * y) + p.b + sum(p.c)
def vector(x: [n]f64) -> [n]f64 = x + 1.0
""")


def microseconds(call, number=20_000, rounds=15):
    call()
    return min(timeit.repeat(call, number=number, repeat=rounds)) / number * 1e6


def main():
    x, y = np.ones(8), np.ones(8)
    made = arr.compile("def p(c: [k]f64) -> { a: f64, b: f64, c: [k]f64, d: i64 } = { a = 1.0, b = 2.0, c = c, d = 3 }")
    p = made.p(np.ones(4))
    own = M.arrays
    rows = {
        "arr: a scalar": lambda: M.scalar(1.5),
        "arr: two arrays and a record of four": lambda: own(x, y, p),
        "arr: the same, a dictionary": lambda: own(x, y, {"a": 1.0, "b": 2.0, "c": y, "d": 3}),
        "arr: a vector to a vector": lambda: M.vector(x),
        "arr: value and gradient of the second": lambda: own.value_and_grad(x, y, p),
        "numpy: x + 1.0": lambda: x + 1.0,
    }
    rows.update(jax_rows(x))
    rows.update(torch_rows(x))
    for name, call in rows.items():
        print(f"{microseconds(call):8.2f} µs  {name}")


def jax_rows(x):
    try:
        import jax
        import jax.numpy as jnp

        jax.config.update("jax_enable_x64", True)
        import arr.jax
    except ImportError:
        return {}
    v, s = jnp.asarray(x), jnp.asarray(1.5)
    add, square = jax.jit(lambda x: x + 1.0), jax.jit(lambda x: x * x + 1.0)
    own = jax.jit(arr.jax.function(M.vector))
    return {
        "jax: a jitted scalar": lambda: square(s).block_until_ready(),
        "jax: a jitted x + 1.0": lambda: add(v).block_until_ready(),
        "jax: a jitted function of arr": lambda: own(v).block_until_ready(),
    }


def torch_rows(x):
    try:
        import arr.torch
        import torch
    except ImportError:
        return {}
    t, s = torch.from_numpy(x), torch.tensor(1.5, dtype=torch.float64)
    own = arr.torch.function(M.vector)
    return {
        "torch: a scalar": lambda: s * s + 1.0,
        "torch: x + 1.0": lambda: t + 1.0,
        "torch: a function of arr": lambda: own(t),
    }


if __name__ == "__main__":
    main()
