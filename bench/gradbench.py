#!/usr/bin/env python3
"""Run the evaluations of a checkout of GradBench on Arr and on the tools that can be built here.

    bench/gradbench.py SUITE [--tools arr,manual,...] [--evals hello,gmm,...] [--output table.md]

SUITE is a directory with https://github.com/gradbench/gradbench in it. Every evaluation is the suite's own program, with its
own validator and, unless told otherwise, its own sizes; this script stands between it and a tool, as the suite's driver does,
and keeps the times. The table has, for every function of an evaluation, the sum over its inputs of the median time of an
evaluation, in milliseconds. A tool that did not reach all inputs in its time has a bracket there: the sum over those it did, how
many they are, and our sum over the same. docs/gradbench.md says more.
"""

import argparse
import contextlib
import datetime
import json
import os
import pathlib
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent.parent
EVALS = "hello gmm ba ht lstm kmeans lse llsq det ode particle saddle".split()
CPP_TOOLS = ("manual", "enzyme", "codipack", "adept", "adol-c", "cppad", "ad-hpp", "tapenade", "finite")
PYTHON_TOOLS = ("pytorch", "jax", "tensorflow")
JSON_HPP = "https://github.com/nlohmann/json/releases/download/v3.11.3/json.hpp"


class Missing(Exception):
    """A tool that cannot be built or started here, and why."""


# Tools


class Process:
    """A tool that speaks the protocol over its standard streams."""

    def __init__(self, command, directory, environment=None):
        environment = os.environ | (environment or {})
        self.process = subprocess.Popen(
            command, cwd=directory, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def answer(self, line):
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
            reply = self.process.stdout.readline()
        except BrokenPipeError:
            reply = ""
        if not reply:
            raise EOFError(f"the tool ended with status {self.process.wait()}")
        return reply

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        try:
            self.process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Cpp:
    """A tool of one program for each evaluation, as gradbench/cpp.py runs them, built once."""

    def __init__(self, suite, tool):
        self.suite, self.tool = suite, tool

    def answer(self, line):
        message = json.loads(line)
        reply = {"id": message["id"]}
        if message["kind"] == "define":
            reply |= self.define(message["module"])
        elif message["kind"] == "evaluate":
            reply |= self.evaluate(message)
        return json.dumps(reply)

    def define(self, module):
        if (self.suite / "tools" / self.tool / f"{module}.cpp").exists():
            try:
                build_cpp(self.suite, self.tool, module)
                return {"success": True}
            except Missing as error:
                return {"success": False, "error": str(error)}
        return {"success": False, "error": "not there"}

    def evaluate(self, message):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(message["input"], file)
            file.flush()
            program = self.suite / "tools" / self.tool / "bin" / message["module"]
            ran = subprocess.run([program, file.name, message["function"]], text=True, capture_output=True)
        if ran.returncode != 0:
            return {"success": False, "error": ran.stderr}
        output, *timings = ran.stdout.splitlines()
        return {"success": True, "output": json.loads(output), "timings": [json.loads(t) for t in timings]}

    def close(self):
        pass


def build_cpp(suite, tool, module):
    """Compiles one program of a tool unless it is there."""
    json_hpp(suite)
    if (suite / "tools" / tool / "bin" / module).exists():
        return
    command = ["make", "-C", suite / "tools" / tool, f"bin/{module}", "MULTITHREADED=no"]
    if tool == "tapenade":
        # Its makefile is the only one that does not compile for the machine it runs on.
        flags = "-O3 -march=native -I../../cpp"
        command += [f"CFLAGS=-std=c11 {flags}", f"CXXFLAGS=-std=c++17 {flags}"]
    made = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if made.returncode != 0:
        raise Missing(f"make bin/{module}: " + " | ".join(made.stdout.strip().splitlines()[-3:]))


def json_hpp(suite):
    """The header that all C++ programs include: by the suite's makefile, or where that has no network, from PyPI."""
    header = suite / "cpp" / "json.hpp"
    if header.exists():
        return
    fetched = subprocess.run(["wget", "-q", "-T", "20", "-O", header, JSON_HPP])
    if fetched.returncode == 0 and header.stat().st_size > 0:
        return
    header.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as there:
        pip = [sys.executable, "-m", "pip", "install", "-q", "--target", there, "nlohmann-json"]
        if subprocess.run(pip).returncode != 0:
            raise Missing("cpp/json.hpp cannot be fetched")
        shutil.copytree(pathlib.Path(there) / "nlohmann_json/include/nlohmann", suite / "cpp/nlohmann")
    header.write_text("#include <nlohmann/json.hpp>\n")


def start(tool, options):
    """The tool ready to answer; `Missing` if it cannot be here."""
    suite = options.suite
    if tool == "arr":
        if not options.arr.exists():
            raise Missing(f"{options.arr} is not there: `cargo build --release`")
        modules = HERE / "examples" / "gradbench"
        command = [options.arr, "serve", "--protocol", "gradbench", modules, *options.arr_options]
        return Process([str(part) for part in command], suite)
    if tool == "enzyme" and "ENZYME_LIB" not in os.environ:
        # Not built here for an LLVM: PyPI has it together with a compiler.
        needs_package("enzyme_ad", "enzyme-ad absl-py")
        return Process([sys.executable, str(HERE / "bench/gradbench_enzyme.py"), str(suite)], suite)
    if tool in CPP_TOOLS:
        return Cpp(suite, tool)
    if tool in PYTHON_TOOLS:
        package = {"pytorch": "torch"}.get(tool, tool)
        needs_package(package, package)
        run = [f"python/gradbench/gradbench/tools/{tool}/run.py"]
        if tool == "jax":
            # The suite's programs for JAX take the time before the result is there.
            run = [str(HERE / "bench/gradbench_jax.py"), str(suite)]
        return Process([sys.executable, *run, "--multithreaded"], suite, path_of(suite))
    if tool == "futhark":
        if not shutil.which("futhark"):
            raise Missing("there is no `futhark`")
        return Process([sys.executable, "tools/futhark/run.py", "--multithreaded"], suite, path_of(suite))
    raise Missing("this script does not know the tool")


def needs_package(package, install):
    found = subprocess.run([sys.executable, "-c", f"import importlib.util as u, sys; sys.exit(u.find_spec('{package}') is None)"])
    if found.returncode != 0:
        raise Missing(f"Python has no package {package}: `pip install {install}`")


def path_of(suite):
    return {"PYTHONPATH": str(suite / "python" / "gradbench")}


# Evaluations


FOREVER = 1e6


class Limit:
    """Seconds that a tool has for its answers in one evaluation; `TimeoutError` once they are over."""

    def __init__(self, seconds):
        self.left = seconds

    def __enter__(self):
        def over(*_):
            raise TimeoutError("out of time")

        signal.signal(signal.SIGALRM, over)
        signal.setitimer(signal.ITIMER_REAL, max(self.left, 1e-3))
        self.began = time.monotonic()

    def __exit__(self, *_):
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        self.left -= time.monotonic() - self.began


def run(name, tool, options, seconds):
    """One evaluation on one tool, which has so many seconds for its answers: the times of each function and input, and whether
    its outputs were right."""
    extra = options.arguments.get(name, [])
    if name != "hello":
        extra = [*extra, "--min-seconds", str(options.min_seconds), "--min-runs", str(options.min_runs)]
    command = [sys.executable, f"python/gradbench/gradbench/evals/{name}/run.py", *extra]
    evaluation = Process(command, options.suite, path_of(options.suite))
    rows, asked, limit = [], {}, Limit(seconds)
    try:
        while line := evaluation.process.stdout.readline():
            message = json.loads(line)
            if message["kind"] == "evaluate":
                said(f"    {message['function']} {message.get('description', '')}", end="")
            began = time.monotonic()
            try:
                with limit if message["kind"] == "evaluate" else contextlib.nullcontext():
                    reply = tool.answer(line)
            except TimeoutError as error:
                said(f"  {error}")
                rows += [stopped(function) for function in {message["function"], *(row["function"] for row in rows)}]
                return rows
            if message["kind"] == "evaluate":
                row = evaluated(message, json.loads(reply), time.monotonic() - began, STATISTICS[options.statistic])
                asked[message["id"]] = row
                rows.append(row)
                said(f"  {row['milliseconds']} ms" if row["success"] else f"  {row['error']}")
            elif message["kind"] == "analysis":
                asked[message["of"]]["valid"] = message["valid"]
                if not message["valid"]:
                    said(f"    not valid: {message.get('error')}"[:600])
            elif message["kind"] == "define":
                defined = json.loads(reply)
                if not defined["success"]:
                    raise Missing(defined.get("error") or "no module")
            evaluation.process.stdin.write(reply.rstrip("\n") + "\n")
            evaluation.process.stdin.flush()
    finally:
        evaluation.process.stdin.close()
        evaluation.process.kill()
        evaluation.process.wait()
    return rows


STATISTICS = {"median": statistics.median, "min": min}


def evaluated(message, reply, seconds, statistic):
    times = [t["nanoseconds"] for t in reply.get("timings") or [] if t["name"] == "evaluate"]
    prepare = sum(t["nanoseconds"] for t in reply.get("timings") or [] if t["name"] == "prepare")
    one = statistic(times) / 1e6 if times else None
    return {
        "function": message["function"],
        "input": message.get("description"),
        "success": reply["success"],
        "error": " ".join((reply.get("error") or "").split())[:300],
        "milliseconds": one and round(one, 6),
        "runs": len(times),
        "prepare": round(prepare / 1e6, 3),
        "seconds": round(seconds, 3),
        "valid": None,
    }


def stopped(function):
    """What stands for the inputs of a function that a tool had no time for."""
    none = {"input": None, "milliseconds": None, "runs": 0, "prepare": 0.0, "seconds": 0.0, "valid": None}
    return none | {"function": function, "success": False, "error": OUT_OF_TIME}


OUT_OF_TIME = "timeout"


# The table


def table(results, tools):
    """Markdown: a row for each function of each evaluation, a column for each tool, the least in bold."""
    lines = ["| | " + " | ".join(tools) + " |", "|---|" + "---:|" * len(tools)]
    for name in EVALS:
        functions = []
        for tool in tools:
            for row in results.get((name, tool), {}).get("rows", []):
                if row["function"] not in functions:
                    functions.append(row["function"])
        for function in functions:
            sums = {tool: total(results.get((name, tool)), function) for tool in tools}
            cells = [cell(name, function, results, tool, sums) for tool in tools]
            lines.append(f"| {name} {function} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def cell(name, function, results, tool, sums):
    """The sum of a tool; of one that ran out of time that of the inputs it did, how many those are, and Arr's on the same."""
    own = sums[tool]
    if name == "hello":
        return "valid" if isinstance(own, float) else own
    if isinstance(own, float):
        text = f"{own:.3g}"
        return f"**{text}**" if own == min(s for s in sums.values() if isinstance(s, float)) else text
    if own != OUT_OF_TIME:
        return own
    done = {row["input"]: row["milliseconds"] for row in of(results.get((name, tool)), function) if row["error"] != OUT_OF_TIME}
    ours = {row["input"]: row["milliseconds"] for row in of(results.get((name, "arr")), function) if row["success"]}
    if not done:
        return OUT_OF_TIME
    beside = f"; arr {sum(ours[i] for i in done):.3g}" if done.keys() <= ours.keys() else ""
    return f"({sum(done.values()):.3g} for {len(done)} of {len(ours) or '?'}{beside})"


def of(result, function):
    """The rows of a function."""
    return [row for row in (result or {}).get("rows", []) if row["function"] == function]


def total(result, function):
    """The sum of medians, or why there is none."""
    rows = of(result, function)
    if not rows:
        return ""
    if any(row["valid"] is False for row in rows):
        return "wrong"
    if any(not row["success"] and row["error"] != OUT_OF_TIME for row in rows):
        return "failed"
    if any(row["error"] == OUT_OF_TIME for row in rows):
        return OUT_OF_TIME
    return sum(row["milliseconds"] or 0.0 for row in rows)


def largest_hand(suite):
    """The suite's largest input of `ht`, 5 MB, is not in every copy of it. One of its size is made of the next smaller where it is not."""
    folder = suite / "evals/ht/data/complicated_big"
    if list(folder.glob("hand12_*")) or not (smaller := next(folder.glob("hand11_*"), None)):
        return
    lines = smaller.read_text().splitlines()
    count = int(lines[0].split()[0])
    points, places, pose = lines[1 : count + 1], lines[count + 1 : 2 * count + 1], lines[2 * count + 1 :]
    again = lambda part: [part[i % count] for i in range(100000)]
    made = [f"100000 {lines[0].split()[1]}", *again(points), *again(places), *pose]
    (folder / "hand12_t26_c100000.txt").write_text("\n".join(made) + "\n")
    said("ht: the largest input is not in this copy of the suite; made one of its size")


def lstm_text(suite):
    """The text of `lstm`, 5 MB, is not in every copy either. What is made where it is not has as wide letters, of 14 bits."""
    text = suite / "evals/lstm/data/lstm_full.txt"
    if text.exists():
        return
    words = (suite / "README.md").read_text("utf8")
    plain = "\u201c" + "".join(letter for letter in words if ord(letter) < 128)
    text.parent.mkdir(parents=True, exist_ok=True)
    text.write_text((plain * (1 + 20000 // len(plain)))[:20000], "utf8")
    said("lstm: the text is not in this copy of the suite; made one of its README")


def said(text, end="\n"):
    print(text, end=end, file=sys.stderr, flush=True)


def machine():
    try:
        cpu = next(l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name"))
    except (OSError, StopIteration):
        cpu = platform.processor()
    return f"{os.cpu_count()} cores of {cpu}, {datetime.date.today():%B %Y}"


def report(results, absent, tools, options):
    """Writes what is known so far to the files asked for."""
    if options.json:
        options.json.write_text(json.dumps([{"eval": n, "tool": t} | r for (n, t), r in results.items()], indent=1))
    if options.output:
        options.output.write_text(text_of(results, absent, tools, options))


def text_of(results, absent, tools, options):
    there = [tool for tool in tools if any(rows["rows"] for (_, t), rows in results.items() if t == tool)]
    text = f"Milliseconds, sum over the inputs of the {options.statistic} of evaluations; {machine()}.\n\n{table(results, there)}\n"
    return text + "".join(f"\nNot here: {tool} ({why}).\n" for tool, why in absent.items() if tool not in there)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=pathlib.Path, help="a checkout of GradBench")
    parser.add_argument("--arr", type=pathlib.Path, default=HERE / "target/release/arr", help="the `arr` command")
    parser.add_argument("--arr-options", default="", help="further options of `arr serve`, in one text")
    parser.add_argument("--tools", default="arr,manual,enzyme,futhark,pytorch,jax")
    parser.add_argument("--evals", default=",".join(EVALS))
    parser.add_argument("--min-seconds", type=float, default=1.0)
    parser.add_argument("--min-runs", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=3600.0, help="seconds a tool but the first has for one evaluation, all inputs")
    parser.add_argument("--statistic", choices=STATISTICS, default="median", help="of the runs of one input; `min` on a busy machine")
    parser.add_argument("--sizes", action="append", default=[], metavar="EVAL:ARGS", help="arguments of an evaluation: `ba:--max 3`")
    parser.add_argument("--output", type=pathlib.Path, help="where to write the table; standard output if not given")
    parser.add_argument("--json", type=pathlib.Path, help="where to write every time")
    options = parser.parse_args()
    options.suite = options.suite.resolve()
    options.arr = options.arr.resolve()
    options.arr_options = options.arr_options.split()
    options.arguments = {name: args.split() for name, args in (size.split(":", 1) for size in options.sizes)}
    names, tools = options.evals.split(","), options.tools.split(",")
    results, absent = {}, {}
    if "ht" in names:
        largest_hand(options.suite)
    if "lstm" in names:
        lstm_text(options.suite)
    if names != ["hello"]:
        # The validators of most evaluations ask the hand-written programs.
        for name in names:
            if (options.suite / "tools/manual" / f"{name}.cpp").exists():
                build_cpp(options.suite, "manual", name)
    for name in names:
        for tool in tools:
            said(f"{name}: {tool}")
            began = time.monotonic()
            try:
                server = start(tool, options)
            except Missing as error:
                said(f"    {error}")
                absent.setdefault(tool, str(error))
                continue
            try:
                seconds = FOREVER if tool == tools[0] else options.timeout
                results[name, tool] = {"rows": run(name, server, options, seconds)}
            except (Missing, EOFError, ValueError) as error:
                said(f"    {error}")
                results[name, tool] = {"rows": [], "error": str(error)}
            finally:
                server.close()
                said(f"    {time.monotonic() - began:.0f} s in all")
        report(results, absent, tools, options)
    if not options.output:
        print(text_of(results, absent, tools, options))
    wrong = [row for (_, t), r in results.items() if t == "arr" for row in r["rows"] if not row["success"] or row["valid"] is False]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
