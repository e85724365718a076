"""A small language model trained on eight devices: sequences are spread over four groups of two, and the two devices of a
group hold half of the heads and half of the hidden units each.

    python transformer.py --data 4 --model 2 --steps 200
"""

import argparse
from pathlib import Path

import arr
import arr.jax
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

HERE = Path(__file__).resolve().parent
TOKENS, LENGTH, WIDTH, HEADS, HEAD, HIDDEN = 48, 16, 32, 4, 8, 128
SEQUENCES = 16

WHOLE = PartitionSpec()
# Heads are independent until their results are added, and so are hidden units: a device that holds some of them needs
# nothing of the others before that sum. What is small, or what all need, is on every device.
LAYOUT = {
    "tokens": WHOLE,
    "places": WHOLE,
    "gain": WHOLE,
    "bias": WHOLE,
    "heads": {name: PartitionSpec("model") for name in ("query", "key", "value", "out")},
    "up": PartitionSpec(None, "model"),
    "up_bias": PartitionSpec("model"),
    "down": PartitionSpec("model"),
}


def start(devices):
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_num_cpu_devices", devices)


def make_mesh(data, model):
    return Mesh(np.array(jax.devices()[: data * model]).reshape(data, model), ("data", "model"))


def begin():
    """Weights of a variance that keeps what the layers make about as large as what they read."""
    rng = np.random.default_rng(0)

    def normal(*shape):
        return rng.normal(size=shape) / np.sqrt(shape[-1])

    return {
        "tokens": normal(TOKENS, WIDTH),
        "places": normal(LENGTH, WIDTH),
        "gain": np.ones((2, WIDTH)),
        "bias": np.zeros((2, WIDTH)),
        "heads": {
            "query": normal(HEADS, HEAD, WIDTH),
            "key": normal(HEADS, HEAD, WIDTH),
            "value": normal(HEADS, HEAD, WIDTH),
            "out": normal(HEADS, WIDTH, HEAD),
        },
        "up": normal(WIDTH, HIDDEN),
        "up_bias": np.zeros(HIDDEN),
        "down": normal(HIDDEN, WIDTH),
    }


def batch(step):
    """Sequences in which a token follows from the two before it."""
    rng = np.random.default_rng(step)
    text = rng.integers(0, TOKENS, size=(SEQUENCES, LENGTH + 1))
    for i in range(2, LENGTH + 1):
        text[:, i] = (text[:, i - 1] + text[:, i - 2]) % TOKENS
    return text


def place(mesh, weights):
    """The weights where `LAYOUT` wants them."""
    return jax.device_put(weights, shardings(mesh))


def spread(mesh, text):
    """The sequences, each group of devices with its own."""
    return jax.device_put(text, NamedSharding(mesh, PartitionSpec("data")))


def shardings(mesh):
    return jax.tree.map(lambda spec: NamedSharding(mesh, spec), LAYOUT)


def make_step(mesh, rate):
    """A step of gradient descent: the loss, and the weights after the step, which lie as they did before."""
    loss = arr.jax.function(arr.load(str(HERE / "transformer.arr")).loss, engine="xla")

    def step(weights, text):
        value, gradient = jax.value_and_grad(lambda p: loss(p, text))(weights)
        return value, jax.tree.map(lambda p, g: p - rate * g, weights, gradient)

    return jax.jit(step, out_shardings=(NamedSharding(mesh, WHOLE), shardings(mesh)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=int, default=4, help="groups that the sequences are spread over")
    parser.add_argument("--model", type=int, default=2, help="devices in a group, which share the weights")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--rate", type=float, default=0.3)
    args = parser.parse_args()
    start(args.data * args.model)
    mesh = make_mesh(args.data, args.model)
    weights, step = place(mesh, begin()), make_step(mesh, args.rate)
    for done in range(1, args.steps + 1):
        value, weights = step(weights, spread(mesh, batch(done)))
        if done == 1 or done % 20 == 0:
            print(f"step {done}: {float(value):.12g}", flush=True)


if __name__ == "__main__":
    main()
