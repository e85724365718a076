"""Computes what `tests/peers.rs` compares Arr with, and writes it to `values.json`; the test itself runs no Python.

    python3 -m venv venv && venv/bin/pip install 'jax[cpu]==JAX' 'torch==TORCH' scipy
    cd tests/peers && ../../venv/bin/python make.py            # every page
    cd tests/peers && ../../venv/bin/python make.py jax/order  # the cases of one page again

with the versions that `values.json` names. Of each function at each point: the value, the derivative in one direction (`jvp`), and,
of the sum of the results' elements times weights, the gradient and the Hessian times that direction.
"""

import os

# Little is computed once, so that compiling well would take longer than it saves; and nothing is reassociated.
os.environ["XLA_FLAGS"] = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"

import importlib.util
import json
import pathlib
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
import torch

import peer

jax.config.update("jax_enable_x64", True)
torch.set_default_dtype(torch.float64)
HERE = pathlib.Path(__file__).parent


def parts(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def weighed(result, weight):
    """A number made of all results: what is differentiated in reverse mode."""
    total = 0.0
    for i, part in enumerate(parts(result)):
        flat = part.reshape(-1)
        w = weight(peer.weights(flat.shape[0]), flat) if part.ndim else 1.0
        total = total + (1.0 + 0.5 * i) * (flat * w).sum()
    return total


def by_jax(case, point, places, tangents):
    def call(*floats):
        arguments = [jnp.asarray(a) if isinstance(a, np.ndarray) else a for a in point]
        for place, value in zip(places, floats):
            arguments[place] = value
        return case["function"](*arguments)

    def scalar(*floats):
        return weighed(jax.tree.map(jnp.asarray, call(*floats)), lambda w, like: jnp.asarray(w, like.dtype))

    everything = tuple(range(len(places)))
    gradient = jax.grad(scalar, everything)

    def all_of_it(x, dx):
        value, tangent = jax.jvp(lambda *f: tuple(parts(call(*f))), x, dx)
        second = jax.jvp(gradient, x, dx)[1] if case["second"] else None
        return value, tangent, gradient(*x), second

    return jax.jit(all_of_it)(tuple(jnp.asarray(point[p]) for p in places), tuple(jnp.asarray(t) for t in tangents))


def by_torch(case, point, places, tangents):
    as_tensor = lambda a: torch.tensor(a) if isinstance(a, (np.ndarray, float)) else a
    constants = [as_tensor(a) for a in point]

    def call(*floats):
        arguments = list(constants)
        for place, value in zip(places, floats):
            arguments[place] = value
        return case["function"](*arguments)

    def scalar(*floats):
        return weighed(call(*floats), lambda w, like: torch.tensor(w, dtype=like.dtype))

    x = tuple(constants[p] for p in places)
    dx = tuple(as_tensor(t) for t in tangents)
    auto = torch.autograd.functional
    several = lambda *f: tuple(parts(call(*f)))
    if case["second"]:
        value, tangent = auto.jvp(several, x, dx)
    else:
        # What has no second derivative in the peer has no forward mode by two reverse ones: the whole Jacobian, times.
        value, jacobian = several(*x), auto.jacobian(several, x)
        tangent = [sum((j * d).reshape(*v.shape, -1).sum(-1) for j, d in zip(js, dx)) for v, js in zip(value, jacobian)]
        value = [v.detach() for v in value]
    gradient = auto.vjp(scalar, x)[1]
    second = auto.hvp(scalar, x, dx)[1] if case["second"] else None
    return parts(value), parts(tangent), gradient, second


def literal(argument):
    if isinstance(argument, (list, np.ndarray)) and np.ndim(argument):
        return "[" + ", ".join(literal(row) for row in argument) + "]"
    if isinstance(argument, (bool, np.bool_)):
        return str(bool(argument)).lower()
    if isinstance(argument, (int, np.integer)):
        return str(int(argument))
    return repr(float(argument))


def number(x):
    x = float(x)
    return x if np.isfinite(x) else repr(x)


def flat(arrays):
    return None if arrays is None else [number(x) for a in arrays for x in np.asarray(a).reshape(-1)]


def computed(case, index, point):
    name = f"{case['page']}:{case['name']}"
    places = [i for i, a in enumerate(point) if peer.is_float(a)]
    tangents = [peer.tangent_of(point[p], peer.seed_of(f"{name} {index}", p)) for p in places]
    by = by_jax if case["peer"] == "jax" else by_torch
    value, tangent, gradient, second = by(case, point, places, tangents)
    row = dict(
        page=case["page"], name=case["name"], point=index, peer=case["peer"], relative=case["relative"],
        arguments=[literal(a) for a in point], tangents={str(p): literal(t) for p, t in zip(places, tangents)},
        ranks=[int(np.ndim(v)) for v in value], value=flat(value), tangent=flat(tangent), gradient=flat(gradient),
        second=flat(second))
    if index in case["published"]:
        row["published"] = case["published"][index]
    return row


def main(wanted):
    sys.path.insert(0, str(HERE))
    path = HERE / "values.json"
    for page in sorted(HERE.glob("*/*.py")):
        # A module is called by its page, as folders have names of packages.
        spec = importlib.util.spec_from_file_location(str(page.relative_to(HERE).with_suffix("")), page)
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    old = json.loads(path.read_text())["cases"] if wanted and path.exists() else []
    rows = [row for row in old if row["page"] not in wanted]
    for case in peer.CASES:
        if wanted and case["page"] not in wanted:
            continue
        for index, point in enumerate(case["points"]):
            started = time.monotonic()
            try:
                rows.append(computed(case, index, point))
                if time.monotonic() - started > 20:
                    print(f"{case['page']}:{case['name']}: {time.monotonic() - started:.0f} s", file=sys.stderr)
            except Exception as error:
                print(f"{case['page']}:{case['name']}: {type(error).__name__} {str(error)[:400]}", file=sys.stderr)
    rows.sort(key=lambda row: (row["page"], row["name"], row["point"]))
    versions = dict(jax=jax.__version__, torch=torch.__version__, numpy=np.__version__, python=sys.version.split()[0])
    lines = ",\n".join("  " + json.dumps(row) for row in rows)
    path.write_text(f'{{"versions": {json.dumps(versions)}, "cases": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main(sys.argv[1:])
