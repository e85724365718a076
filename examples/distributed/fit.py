"""A mixture of Gaussians fitted to points that no device holds whole.

One process, eight devices of its own:

    python fit.py points.npy fit.npz --devices 8

Four processes with two devices each; each is started with its own number, and number 0 is the one that the others look for:

    python fit.py points.npy fit.npz --devices 8 --processes 4 --process 0 --port 12345 &
    python fit.py points.npy fit.npz --devices 8 --processes 4 --process 1 --port 12345 &
    python fit.py points.npy fit.npz --devices 8 --processes 4 --process 2 --port 12345 &
    python fit.py points.npy fit.npz --devices 8 --processes 4 --process 3 --port 12345

`fit.npz` holds the mixture and the number of steps behind it. A run that finds it goes on from there.
"""

import argparse
import os
import sys
from pathlib import Path

import arr
import arr.jax
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

HERE = Path(__file__).resolve().parent
COMPONENTS = 3


def arguments(args=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", help="the points, a .npy file with one row for each")
    parser.add_argument("checkpoint", help="the .npz file that the mixture is kept in")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--every", type=int, default=10, help="steps between checkpoints")
    parser.add_argument("--rate", type=float, default=0.2)
    parser.add_argument("--devices", type=int, default=1, help="devices of all processes together")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--process", type=int, default=0, help="which of them this is, from 0")
    parser.add_argument("--host", default="127.0.0.1", help="where process 0 runs")
    parser.add_argument("--port", type=int, default=0, help="a port there that is free")
    parser.add_argument("--timeout", type=int, default=10, help="seconds after which a silent process counts as lost")
    return parser.parse_args(args)


def start(processes, process, devices, host, port, timeout):
    """Joins the other processes, and gives the devices of all as a mesh of one axis."""
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_num_cpu_devices", devices // processes)
    if processes > 1:
        jax.config.update("jax_cpu_collectives_implementation", "gloo")
        jax.distributed.initialize(
            f"{host}:{port}",
            num_processes=processes,
            process_id=process,
            heartbeat_timeout_seconds=timeout,
            shutdown_timeout_seconds=timeout,
        )
    return Mesh(np.array(jax.devices()), ("data",))


def load(path, mesh):
    """The points as one array over all devices. A process reads the rows of its own devices and no others."""
    points = np.load(path, mmap_mode="r")
    if len(points) % mesh.size:
        raise SystemExit(f"{path} has {len(points)} rows, which {mesh.size} devices do not share equally")
    sharding = NamedSharding(mesh, PartitionSpec("data"))
    return jax.make_array_from_callback(points.shape, sharding, lambda rows: np.array(points[rows]))


def begin(dimensions):
    """Round components of equal weight around centres that are the same in every process and in every run."""
    centres = np.random.default_rng(0).normal(size=(COMPONENTS, dimensions))
    return {
        "logw": np.zeros(COMPONENTS),
        "mean": centres,
        "logscale": np.zeros((COMPONENTS, dimensions)),
    }


def make_step(mesh, rate):
    """A step of gradient descent: the loss, and the mixture after the step. Nothing in it speaks of devices: XLA sees how
    the arguments lie, and adds what the devices have found: once per step, the loss and the gradient together."""
    loss = arr.jax.function(arr.load(str(HERE / "mixture.arr")).loss, engine="xla")
    everywhere = NamedSharding(mesh, PartitionSpec())

    def step(mixture, points):
        value, gradient = jax.value_and_grad(lambda p: loss(p, points))(mixture)
        return value, jax.tree.map(lambda p, g: p - rate * g, mixture, gradient)

    return jax.jit(step, out_shardings=(everywhere, everywhere))


def save(path, done, mixture):
    """Writes a checkpoint. A run that ends meanwhile leaves the old one or the new one, never a part."""
    draft = f"{path}.draft"
    with open(draft, "wb") as file:
        np.savez(file, steps=done, **{name: np.asarray(value) for name, value in mixture.items()})
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)


def resume(path, dimensions):
    """The steps that are done, and the mixture after them."""
    if not os.path.exists(path):
        return 0, begin(dimensions)
    with np.load(path) as file:
        return int(file["steps"]), {name: file[name] for name in begin(dimensions)}


def main():
    args = arguments()
    mesh = start(args.processes, args.process, args.devices, args.host, args.port, args.timeout)
    points = load(args.data, mesh)
    done, mixture = resume(args.checkpoint, points.shape[1])
    mixture = jax.device_put(mixture, NamedSharding(mesh, PartitionSpec()))
    own = sum(shard.data.shape[0] for shard in points.addressable_shards)
    print(f"process {args.process}: {own} of {len(points)} rows, from step {done}", flush=True)
    step = make_step(mesh, args.rate)
    try:
        while done < args.steps:
            value, mixture = step(mixture, points)
            done += 1
            if done % args.every == 0 or done == args.steps:
                print(f"step {done}: {float(value):.15g}", flush=True)
                if args.process == 0:
                    save(args.checkpoint, done, mixture)
    except jax.errors.JaxRuntimeError as why:
        if args.processes == 1:
            raise
        reason = str(why).rpartition("Error dispatching computation: ")[2]
        print(
            f"process {args.process} ends in the step after {done}: another process is lost. Start all of them again, and "
            f"they go on from {args.checkpoint}. ({reason})",
            file=sys.stderr,
            flush=True,
        )
        # The end of Python would wait for the others, to shut down together with them.
        os._exit(1)


if __name__ == "__main__":
    main()
