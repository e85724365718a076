"""Training loops in Arr, JAX and PyTorch, in one run: the iris mixture, a perceptron with two layers, an ODE's parameters.

    python crates/arr-python/bench/training.py [STEPS]

Each step is a value with its gradient and a step of gradient descent, in Python. Printed are microseconds per step, without
compilation: the least of fifteen rounds, which take turns. The losses are compared, to 1e-8 of their size.
"""

import sys
import time

import arr
import numpy as np

PROGRAM = """
type Mixture[k, d] = { logw: [k]f64, mean: [k][d]f64, logdiag: [k][d]f64 }
def logsumexp(x: [n]f64) -> f64 = let m = maximum(x) in m + log(sum(exp(x - m)))
def mixture(p: Mixture[k, d], xs: [n][d]f64) -> f64 =
  let score = for i => logsumexp(for j =>
    p.logw[j] + sum(p.logdiag[j]) - 0.5 * sum((exp(p.logdiag[j]) * (xs[i] - p.mean[j])) ** 2))
  in f64(n) * logsumexp(p.logw) - sum(score)
def mlp(p: { w: [h][d]f64, b: [h]f64, v: [h]f64 }, xs: [n][d]f64, ys: [n]f64) -> f64 =
  sum(for i => (sum(p.v * tanh(p.w @ xs[i] + p.b)) - ys[i]) ** 2) / f64(n)
def ode(p: { a: f64, b: f64 }, seen: [n][2]f64) -> f64 =
  let (_, loss) = loop (u, loss) = ([1.0, 0.5], 0.0) for i < n do
    let f = \\u => [p.a * u[0] - u[0] * u[1], u[0] * u[1] - p.b * u[1]]
    let h = 0.05
    let k1 = f(u)
    let k2 = f(u + 0.5 * h * k1)
    let k3 = f(u + 0.5 * h * k2)
    let k4 = f(u + h * k3)
    let next = u + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    in (next, loss + sum((next - seen[i]) ** 2))
  in loss / f64(n)
"""

RATES = {"mixture": 1e-4, "mlp": 1e-2, "ode": 1e-2}


def problems():
    r = np.random.default_rng(0)
    xs = r.normal(size=(150, 4))
    mixture = {"logw": np.zeros(3), "mean": xs[:3].copy(), "logdiag": np.zeros((3, 4))}
    mlp = {"w": r.normal(size=(64, 8)), "b": np.zeros(64), "v": 0.1 * r.normal(size=64)}
    inputs = r.normal(size=(256, 8))
    return {
        "mixture": (mixture, (xs,)),
        "mlp": (mlp, (inputs, np.sin(inputs[:, 0]))),
        "ode": ({"a": np.float64(1.1), "b": np.float64(0.9)}, (np.abs(r.normal(size=(100, 2))),)),
    }


def arr_loop(name, start, data):
    m = arr.compile(PROGRAM)
    f, rate = getattr(m, name).derive("value_and_grad"), RATES[name]

    def run(steps):
        p = start
        for _ in range(steps):
            value, g = f(p, *data)
            p = {key: p[key] - rate * getattr(g, key) for key in p}
        return value

    return run


def jax_loop(name, start, data):
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    lse = jax.scipy.special.logsumexp

    def mixture(p, xs):
        z = jnp.exp(p["logdiag"]) * (xs[:, None, :] - p["mean"])
        score = lse(p["logw"] + p["logdiag"].sum(1) - 0.5 * (z**2).sum(2), axis=1)
        return len(xs) * lse(p["logw"]) - score.sum()

    def mlp(p, xs, ys):
        return ((jnp.tanh(xs @ p["w"].T + p["b"]) @ p["v"] - ys) ** 2).mean()

    def ode(p, seen):
        def f(u):
            return jnp.array([p["a"] * u[0] - u[0] * u[1], u[0] * u[1] - p["b"] * u[1]])

        def step(u, s):
            k1 = f(u)
            k2 = f(u + 0.025 * k1)
            k3 = f(u + 0.025 * k2)
            k4 = f(u + 0.05 * k3)
            u = u + 0.05 / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            return u, ((u - s) ** 2).sum()

        return jax.lax.scan(step, jnp.array([1.0, 0.5]), seen)[1].sum() / len(seen)

    f, rate = {"mixture": mixture, "mlp": mlp, "ode": ode}[name], RATES[name]

    @jax.jit
    def step(p, *data):
        value, g = jax.value_and_grad(f)(p, *data)
        return value, jax.tree.map(lambda a, b: a - rate * b, p, g)

    data = tuple(map(jnp.asarray, data))

    def run(steps):
        p = jax.tree.map(jnp.asarray, start)
        for _ in range(steps):
            value, p = step(p, *data)
        return float(value)

    return run


def torch_loop(name, start, data):
    import torch

    def mixture(p, xs):
        z = torch.exp(p["logdiag"]) * (xs[:, None, :] - p["mean"])
        score = torch.logsumexp(p["logw"] + p["logdiag"].sum(1) - 0.5 * (z**2).sum(2), 1)
        return len(xs) * torch.logsumexp(p["logw"], 0) - score.sum()

    def mlp(p, xs, ys):
        return ((torch.tanh(xs @ p["w"].T + p["b"]) @ p["v"] - ys) ** 2).mean()

    def ode(p, seen):
        def f(u):
            return torch.stack([p["a"] * u[0] - u[0] * u[1], u[0] * u[1] - p["b"] * u[1]])

        u, loss = torch.tensor([1.0, 0.5], dtype=torch.float64), 0.0
        for s in seen:
            k1 = f(u)
            k2 = f(u + 0.025 * k1)
            k3 = f(u + 0.025 * k2)
            k4 = f(u + 0.05 * k3)
            u = u + 0.05 / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            loss = loss + ((u - s) ** 2).sum()
        return loss / len(seen)

    f, rate = {"mixture": mixture, "mlp": mlp, "ode": ode}[name], RATES[name]
    data = tuple(map(torch.from_numpy, data))

    def run(steps):
        p = {key: torch.tensor(value, requires_grad=True) for key, value in start.items()}
        for _ in range(steps):
            value = f(p, *data)
            grads = torch.autograd.grad(value, list(p.values()))
            with torch.no_grad():
                p = {key: (q - rate * g).requires_grad_() for (key, q), g in zip(p.items(), grads)}
        return value.item()

    return run


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    for name, (start, data) in problems().items():
        loops = {}
        for peer, make in [("arr", arr_loop), ("jax", jax_loop), ("torch", torch_loop)]:
            try:
                loops[peer] = make(name, start, data)
            except ImportError:
                continue
        losses = {peer: run(3) for peer, run in loops.items()}
        for peer, loss in losses.items():
            assert abs(loss - losses["arr"]) <= 1e-8 * abs(loss), (name, losses)
        times = {peer: [] for peer in loops}
        for _ in range(15):
            for peer, run in loops.items():
                few = max(1, steps // 20) if (name, peer) == ("ode", "torch") else steps
                begin = time.perf_counter()
                run(few)
                times[peer].append((time.perf_counter() - begin) / few * 1e6)
        print(f"{name:8}", "  ".join(f"{peer} {min(all_):9.1f} µs" for peer, all_ in times.items()))


if __name__ == "__main__":
    main()
