"""Programs of Arr over several devices and several processes: what these exchange, what each of them holds, and that they
find what one device finds.

Each test starts processes of its own, as JAX takes the number of devices once.
"""

import contextlib
import json
import math
import os
import re
import signal
import socket
import subprocess
import sys
import time

import arr
import numpy as np
import pytest
from conftest import ROOT

pytest.importorskip("jax", reason="JAX is not installed: nothing of the programs over several devices is tested")

EXAMPLES = ROOT / "examples/distributed"
BYTES = {"pred": 1, "s32": 4, "u32": 4, "f32": 4, "s64": 8, "u64": 8, "f64": 8}
EXCHANGES = ("all-reduce", "all-gather", "all-to-all", "collective-permute", "collective-broadcast", "reduce-scatter")
# Seconds for what takes a few on an idle machine.
PATIENCE = 60
# Seconds after which a silent process counts as lost. The default of JAX is 100.
SILENCE = 5


def environment():
    """That of this process, without what would decide about devices."""
    kept = {name: value for name, value in os.environ.items() if name not in ("XLA_FLAGS", "JAX_NUM_CPU_DEVICES")}
    return {**kept, "JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": "1"}


def printed(*args):
    """What a script that can import the examples prints."""
    run = subprocess.run(
        [sys.executable, *map(str, args)],
        cwd=EXAMPLES,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def measured(code, *args):
    """What such a script prints last, as JSON."""
    return json.loads(printed("-c", code, *args).splitlines()[-1])


def arrays(text):
    """The arrays that a piece of HLO mentions: the type of their elements and their shape."""
    found = re.findall(rf"\b({'|'.join(BYTES)})\[([\d,]*)\]", text)
    return [(kind, tuple(int(size) for size in shape.split(",") if size)) for kind, shape in found]


def exchanges(hlo):
    """What the devices exchange in a program: for each operation, the arrays of its results."""
    found = {name: [] for name in EXCHANGES}
    for result, name in re.findall(rf"= (\([^()]*\)|\S+) ({'|'.join(EXCHANGES)})(?:-start)?\(", hlo):
        found[name].append(arrays(result))
    return found


def counts(hlo):
    return {name: len(results) for name, results in exchanges(hlo).items() if results}


def largest(hlo):
    """The bytes of the largest array that a device makes or reads."""
    return max(BYTES[kind] * math.prod(shape) for kind, shape in arrays(hlo))


def close(found, expected, tolerance=1e-10):
    """Equal within a tolerance that is relative to the largest element."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    assert np.isfinite(expected).all()
    assert np.abs(found - expected).max() <= tolerance * max(np.abs(expected).max(), 1e-300)


# ---- What is counted, counted on programs that are known


def test_exchanges_are_found():
    hlo = """
      %a = f64[8,3]{1,0} all-reduce(%b), channel_id=1
      %c = (f64[], f64[5]{0}, /*index=5*/pred[]) all-reduce-start(%d, %e, %f), channel_id=2
      %g = s64[16]{0} all-gather(%h), dimensions={0}
      %i = f64[16]{0} fusion(%all-gather, %all-reduce), kind=kLoop
    """
    assert counts(hlo) == {"all-reduce": 2, "all-gather": 1}
    assert exchanges(hlo)["all-reduce"][1] == [("f64", ()), ("f64", (5,)), ("pred", ())]
    assert largest(hlo) == 8 * 3 * 8


def test_an_all_gather_is_counted():
    """Where every device is to have all rows, these are gathered, and the counting sees it."""
    code = """
import json, fit, jax, arr, arr.jax, numpy as np
from jax.sharding import NamedSharding, PartitionSpec
mesh = fit.start(1, 0, 4, "", 0, 0)
m = arr.compile("def turned(x: [n][d]f64) -> [n][d]f64 = for i < n, j => x[n - 1 - i, j] * x[0, j]")
x = jax.device_put(np.ones((8, 3)), NamedSharding(mesh, PartitionSpec("data")))
whole = NamedSharding(mesh, PartitionSpec())
f = jax.jit(arr.jax.function(m.turned, engine="xla"), out_shardings=whole)
print(json.dumps(f.lower(x).compile().as_text()))
"""
    assert counts(measured(code)).get("all-gather", 0) >= 1


# ---- A mixture of Gaussians, its points spread over devices


ROWS = 4096
DIMENSIONS = 3
COMPONENTS = 3
PARAMETERS = COMPONENTS * (1 + 2 * DIMENSIONS)

MEASURE_FIT = """
import json, sys, fit, jax, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
fit.start(1, 0, 8, "", 0, 0)
found = {}
for devices in (1, 2, 4, 8):
    mesh = Mesh(np.array(jax.devices()[:devices]), ("data",))
    points = fit.load(sys.argv[1], mesh)
    mixture = jax.device_put(fit.begin(points.shape[1]), NamedSharding(mesh, PartitionSpec()))
    compiled = fit.make_step(mesh, 0.2).lower(mixture, points).compile()
    memory = compiled.memory_analysis()
    value, after = compiled(mixture, points)
    found[devices] = {
        "hlo": compiled.as_text(),
        "shards": [shard.data.shape for shard in points.addressable_shards],
        "held": memory.argument_size_in_bytes + memory.temp_size_in_bytes,
        "value": float(value),
        "before": {name: np.asarray(leaf).tolist() for name, leaf in mixture.items()},
        "after": {name: np.asarray(leaf).tolist() for name, leaf in after.items()},
    }
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def points(tmp_path_factory):
    """A file with points around three centres."""
    rng = np.random.default_rng(1)
    centres = np.array([[-2.0, 0.0, 1.0], [2.0, 1.0, -1.0], [0.0, -2.0, 0.0]])
    path = tmp_path_factory.mktemp("points") / "points.npy"
    np.save(path, centres[rng.integers(0, 3, size=ROWS)] + 0.5 * rng.normal(size=(ROWS, DIMENSIONS)))
    return path


@pytest.fixture(scope="module")
def steps_of_fit(points):
    return measured(MEASURE_FIT, points)


def test_fit_exchanges_one_sum(steps_of_fit):
    """The loss and all of the gradient are added up in one exchange, which has nothing else in it."""
    assert counts(steps_of_fit["1"]["hlo"]) == {}
    for devices in ("2", "4", "8"):
        hlo = steps_of_fit[devices]["hlo"]
        assert counts(hlo) == {"all-reduce": 1}
        (sums,) = exchanges(hlo)["all-reduce"]
        assert sum(math.prod(shape) for _, shape in sums) == PARAMETERS + 1


def test_fit_holds_its_share(steps_of_fit):
    """Twice the devices, half of everything that has points in it."""
    whole = steps_of_fit["1"]
    assert largest(whole["hlo"]) >= ROWS * DIMENSIONS * 8
    for devices in (2, 4, 8):
        part = steps_of_fit[str(devices)]
        assert part["shards"] == [[ROWS // devices, DIMENSIONS]] * devices
        assert largest(part["hlo"]) == largest(whole["hlo"]) / devices
        assert part["held"] < 1.2 * whole["held"] / devices


def test_fit_equals_one_device(steps_of_fit, points):
    """The engine of XLA on every number of devices agrees with one device and with Arr's own machine code."""
    model = arr.load(str(EXAMPLES / "mixture.arr"))
    whole = steps_of_fit["1"]
    start = {name: np.array(leaf) for name, leaf in whole["before"].items()}
    value, gradient = model.loss.value_and_grad(start, np.load(points))
    for step in steps_of_fit.values():
        close(step["value"], value)
        for name, before in start.items():
            close(step["after"][name], before - 0.2 * getattr(gradient, name))
            close(step["after"][name], whole["after"][name])


# ---- The same over processes


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextlib.contextmanager
def fits(folder, data, checkpoint, processes, *options):
    """The processes of one run of `fit.py`, whose output goes to files. `data` has a file for each process. What still
    runs at the end is killed."""
    port = free_port()
    running = []
    try:
        for i, path in enumerate(data):
            command = [sys.executable, "fit.py", path, checkpoint, "--processes", processes, "--process", i, "--port", port]
            with open(folder / f"{i}.out", "w") as out, open(folder / f"{i}.err", "w") as err:
                running.append(
                    subprocess.Popen(
                        [*map(str, command), *map(str, options)], cwd=EXAMPLES, env=environment(), stdout=out, stderr=err
                    )
                )
        yield running
    finally:
        for process in running:
            process.kill()
            process.wait()


def finished(folder, data, checkpoint, processes, *options):
    """The losses that every process of a run prints, and the checkpoint that is left."""
    folder.mkdir()
    with fits(folder, data, checkpoint, processes, *options) as running:
        for i, process in enumerate(running):
            assert process.wait(PATIENCE) == 0, (folder / f"{i}.err").read_text()
    losses = [re.findall(r"^step (\d+): (\S+)$", (folder / f"{i}.out").read_text(), re.M) for i in range(len(data))]
    losses = [{int(step): float(loss) for step, loss in each} for each in losses]
    with np.load(checkpoint) as file:
        return losses, dict(file)


@pytest.fixture(scope="module")
def alone(points, tmp_path_factory):
    """50 steps by one process with one device."""
    folder = tmp_path_factory.mktemp("alone")
    (losses,), mixture = finished(folder / "run", [points], folder / "fit.npz", 1, "--devices", 1, "--steps", 50)
    assert sorted(losses) == [10, 20, 30, 40, 50]
    assert losses[50] < losses[10] - 0.5
    assert mixture["steps"] == 50
    return losses, mixture


def same(losses, mixture, alone):
    assert losses
    for each in losses:
        assert each.keys() == alone[0].keys()
        for step, loss in each.items():
            close(loss, alone[0][step])
    assert mixture.keys() == alone[1].keys()
    for name, leaf in mixture.items():
        close(leaf, alone[1][name])


@pytest.mark.parametrize("processes, devices", [(1, 8), (2, 8), (4, 4)])
def test_fit_over_processes(points, alone, tmp_path, processes, devices):
    """Every process has a file in which the rows of the others are NaN: it reads its own and no others. All find what one
    device finds."""
    data = []
    for i in range(processes):
        rows = np.load(points)
        own = slice(i * ROWS // processes, (i + 1) * ROWS // processes)
        data.append(tmp_path / f"points{i}.npy")
        np.save(data[-1], np.where(np.isin(np.arange(ROWS), np.arange(ROWS)[own])[:, None], rows, np.nan))
    losses, mixture = finished(
        tmp_path / "run", data, tmp_path / "fit.npz", processes, "--devices", devices, "--steps", 50
    )
    same(losses, mixture, alone)


def test_a_foreign_row_would_be_seen(points, alone, tmp_path):
    """With one NaN among its own rows a process finds no loss, so the files of the test above do show who reads what."""
    rows = np.load(points)
    rows[ROWS - 1] = np.nan
    np.save(tmp_path / "points.npy", rows)
    (losses,), _ = finished(
        tmp_path / "run", [tmp_path / "points.npy"], tmp_path / "fit.npz", 1, "--devices", 2, "--steps", 10
    )
    assert math.isnan(losses[10])


def interrupted(folder, points, checkpoint, victim, sign, timeout):
    """Two processes, of which one gets a signal when some checkpoints are written: how the other one ends, in how many
    seconds, and what it says."""
    folder.mkdir()
    options = ("--devices", 4, "--steps", 10**9, "--every", 5, "--timeout", timeout)
    with fits(folder, [points, points], checkpoint, 2, *options) as running:
        deadline = time.monotonic() + PATIENCE
        while not (checkpoint.exists() and np.load(checkpoint)["steps"] >= 10):
            assert time.monotonic() < deadline, "no checkpoint is written"
            assert all(process.poll() is None for process in running), (folder / "0.err").read_text()
            time.sleep(0.02)
        running[victim].send_signal(sign)
        begin = time.monotonic()
        status = running[1 - victim].wait(PATIENCE)
        seconds = time.monotonic() - begin
    return status, seconds, (folder / f"{1 - victim}.err").read_text()


def is_reported(status, said):
    return status not in (0, None) and ("another process is lost" in said or "another task died" in said)


def test_a_killed_process(points, tmp_path):
    """The other process ends with an error that says so: mostly at once, as connections are closed, and if its devices then
    wait for each other, when the killed process has been silent for the time that is given. The run goes on from the
    checkpoint, and comes to the same as one that was not interrupted."""
    checkpoint = tmp_path / "fit.npz"
    status, seconds, said = interrupted(tmp_path / "killed", points, checkpoint, 1, signal.SIGKILL, SILENCE)
    assert is_reported(status, said), said
    assert seconds < SILENCE + 15
    with np.load(checkpoint) as file:
        kept = dict(file)
    done = int(kept["steps"])
    assert done >= 10 and done % 5 == 0

    options = ("--devices", 4, "--steps", done + 7)
    _, resumed = finished(tmp_path / "resumed", [points, points], checkpoint, 2, *options)
    assert f"from step {done}" in (tmp_path / "resumed/0.out").read_text()
    _, straight = finished(tmp_path / "straight", [points, points], tmp_path / "straight.npz", 2, *options)
    assert resumed["steps"] == straight["steps"] == done + 7
    assert np.abs(kept["mean"] - straight["mean"]).max() > 1e-9, "the steps after the checkpoint change nothing"
    for name in straight:
        close(resumed[name], straight[name], 1e-12)


def test_the_first_process_is_killed(points, tmp_path):
    """It is the one that the others have joined, and that writes the checkpoints."""
    status, seconds, said = interrupted(tmp_path / "killed", points, tmp_path / "fit.npz", 0, signal.SIGKILL, SILENCE)
    assert is_reported(status, said), said
    assert seconds < SILENCE + 15
    with np.load(tmp_path / "fit.npz") as file:
        assert file["steps"] % 5 == 0 and all(np.isfinite(file[name]).all() for name in file.files)


def test_a_silent_process(points, tmp_path):
    """A process that is stopped closes no connection. It counts as lost when it has been silent for the time that is
    given."""
    status, seconds, said = interrupted(tmp_path / "silent", points, tmp_path / "fit.npz", 1, signal.SIGSTOP, SILENCE)
    assert is_reported(status, said), said
    assert 1 < seconds < SILENCE + 15


def test_rows_that_devices_cannot_share(points, tmp_path):
    np.save(tmp_path / "points.npy", np.load(points)[:-1])
    with fits(tmp_path, [tmp_path / "points.npy"], tmp_path / "fit.npz", 1, "--devices", 8) as (process,):
        assert process.wait(PATIENCE) == 1
    assert "has 4095 rows, which 8 devices do not share equally" in (tmp_path / "0.err").read_text()


# ---- A failure of the program, found by one device, is everybody's


FAILING = """
import os, sys, fit, jax, arr, arr.jax, numpy as np
from jax.sharding import NamedSharding, PartitionSpec
processes, process, port = map(int, sys.argv[1:])
mesh = fit.start(processes, process, 4, "127.0.0.1", port, 10)
m = arr.compile("def total(table: [v]f64, at: [n]i64) -> f64 = sum(for i => table[at[i]])")
total = jax.jit(jax.value_and_grad(arr.jax.function(m.total, engine="xla")))
table = jax.device_put(np.arange(5.0), NamedSharding(mesh, PartitionSpec()))
def spread(at):
    return jax.make_array_from_callback(at.shape, NamedSharding(mesh, PartitionSpec("data")), lambda rows: at[rows])
print("good:", float(total(table, spread(np.arange(16) % 5))[0]), flush=True)
try:
    print("bad:", float(total(table, spread(np.where(np.arange(16) == 13, 7, 0)))[0]), flush=True)
except jax.errors.JaxRuntimeError as why:
    print(why, flush=True)
os._exit(0)
"""


@pytest.mark.parametrize("processes", [1, 2])
def test_run_time_checks(processes):
    """The last device reads past the end of the table. Every process gets JAX's exception, with Arr's message in it."""
    port = free_port()
    running = [
        subprocess.Popen(
            [sys.executable, "-c", FAILING, str(processes), str(i), str(port)],
            cwd=EXAMPLES,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for i in range(processes)
    ]
    try:
        said = [process.communicate(timeout=PATIENCE)[0] for process in running]
    finally:
        for process in running:
            process.kill()
    for text in said:
        assert "good: 30.0" in text
        assert "index 7 is out of range for an axis of size 5" in text
        assert "bad:" not in text


# ---- A transformer, its sequences over one axis of the mesh and its weights over the other


MEASURE_TRANSFORMER = """
import json, jax, numpy as np
import transformer as t
t.start(8)
text, found = t.batch(1), {}
for data, model in ((1, 1), (2, 1), (2, 2), (4, 2)):
    mesh = t.make_mesh(data, model)
    weights = t.place(mesh, t.begin())
    compiled = t.make_step(mesh, 0.3).lower(weights, t.spread(mesh, text)).compile()
    memory = compiled.memory_analysis()
    value, after = compiled(weights, t.spread(mesh, text))
    found[f"{data}x{model}"] = {
        "hlo": compiled.as_text(),
        "held": memory.argument_size_in_bytes + memory.temp_size_in_bytes,
        "value": float(value),
        "before": [np.asarray(leaf).tolist() for leaf in jax.tree.leaves(weights)],
        "after": [np.asarray(leaf).tolist() for leaf in jax.tree.leaves(after)],
        "names": [jax.tree_util.keystr(path) for path, _ in jax.tree_util.tree_leaves_with_path(weights)],
        "shards": [leaf.addressable_shards[0].data.shape for leaf in jax.tree.leaves(after)],
    }
print(json.dumps({"text": text.tolist(), "found": found}))
"""


@pytest.fixture(scope="module")
def steps_of_transformer():
    return measured(MEASURE_TRANSFORMER)


def test_transformer_exchanges(steps_of_transformer):
    """Nobody asks for the weights of others. What is summed over the devices of a group is what the heads and the hidden
    units make of a sequence, and what is summed over groups is the gradient. What is gathered are tokens, positions of
    tokens in their batch, and one number for each of them."""
    assert counts(steps_of_transformer["found"]["1x1"]["hlo"]) == {}
    step = steps_of_transformer["found"]["4x2"]
    found = exchanges(step["hlo"])
    sums = [each for results in found["all-reduce"] for each in results]
    # A sequence's vectors: 16 sequences over 4 groups, 16 places, 32 numbers.
    assert ("f64", (4, 16, 32)) in sums
    shards = dict(zip(step["names"], step["shards"]))
    for name in ("['heads']['query']", "['heads']['out']", "['up']", "['tokens']", "['places']"):
        # XLA adds some of them transposed.
        assert any(sorted(shape) == sorted(shards[name]) for _, shape in sums), "a gradient is not summed over the groups"
    weights = {tuple(np.shape(leaf)) for leaf in step["before"]} | {tuple(shape) for shape in step["shards"]}
    gathered = [each for results in found["all-gather"] for each in results]
    assert not any(shape in weights for _, shape in gathered)
    assert all(math.prod(shape) <= 16 * 16 for kind, shape in gathered if kind == "f64")
    assert len(gathered) <= 7
    volume = {name: sum(BYTES[k] * math.prod(s) for r in found[name] for k, s in r) for name in found}
    assert volume["all-gather"] < 0.05 * volume["all-reduce"]


def test_transformer_holds_its_share(steps_of_transformer):
    found = steps_of_transformer["found"]
    whole = found["1x1"]
    for layout, devices in (("2x1", 2), ("2x2", 4), ("4x2", 8)):
        assert largest(found[layout]["hlo"]) == largest(whole["hlo"]) / devices
    assert found["4x2"]["held"] < found["2x2"]["held"] < found["2x1"]["held"] < whole["held"]
    shards = dict(zip(found["4x2"]["names"], found["4x2"]["shards"]))
    assert shards["['heads']['query']"] == [2, 8, 32]
    assert shards["['up']"] == [32, 64]
    assert shards["['down']"] == [64, 32]


def test_transformer_equals_one_device(steps_of_transformer):
    found = steps_of_transformer["found"]
    whole = found["1x1"]
    model = arr.load(str(EXAMPLES / "transformer.arr"))
    leaves = dict(zip(whole["names"], map(np.array, whole["before"])))
    names = ("tokens", "places", "gain", "bias", "up", "up_bias", "down")
    weights = {name: leaves[f"['{name}']"] for name in names}
    weights["heads"] = {name: leaves[f"['heads']['{name}']"] for name in ("query", "key", "value", "out")}
    value, gradient = model.loss.value_and_grad(weights, np.array(steps_of_transformer["text"]))
    for step in found.values():
        close(step["value"], value)
        for name, before, after, single in zip(step["names"], step["before"], step["after"], whole["after"]):
            slope = gradient
            for field in re.findall(r"'(\w+)'", name):
                slope = getattr(slope, field)
            close(np.subtract(before, after) / 0.3, slope)
            close(after, single)


def test_transformer_learns():
    """The script itself, on a mesh of four by two."""
    lines = printed("transformer.py", "--data", 4, "--model", 2, "--steps", 100)
    losses = [float(loss) for loss in re.findall(r"^step \d+: (\S+)$", lines, re.M)]
    assert losses[0] > 4 and losses[-1] < 3.6
