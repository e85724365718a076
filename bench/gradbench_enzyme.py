#!/usr/bin/env python3
"""GradBench's Enzyme programs without an LLVM to build Enzyme for: a tool that speaks the suite's protocol.

    bench/gradbench_enzyme.py SUITE

The package `enzyme-ad` of PyPI holds a clang with Enzyme in it, which compiles C++ while a program runs, as what a JAX
function calls. The program of an evaluation is `tools/enzyme/MODULE.cpp` as it stands, its `main` called as such a function;
times are those which it takes itself. Needs clang's headers and `clang++` (any near version) to say where those of the system
are, and `pip install enzyme-ad absl-py`; no more of JAX is used than the call.
"""

import ctypes
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

LIBRARIES = "libstdc++.so.6 libgcc_s.so.1"
SOURCE = """
#define main program
#include "{program}"
#undef main
#include <cstdlib>
template <typename... T> void call(T&...) {{
  char* words[3] = {{(char*)"program", getenv("GRADBENCH_FILE"), getenv("GRADBENCH_FUNCTION")}};
  program(3, words);
  std::cout.flush();
}}
"""


def options(suite):
    """Those of clang's compiler proper (`-cc1`), which is what the package has."""
    clang = next((found for n in ("", *range(22, 13, -1)) if (found := shutil.which(f"clang++-{n}".rstrip("-")))), None)
    if clang is None:
        raise FileNotFoundError("there is no clang++ to ask for the headers' places")
    with tempfile.NamedTemporaryFile(suffix=".cpp") as empty:
        asked = subprocess.run([clang, "-###", "-c", "-march=native", empty.name], text=True, capture_output=True)
    words = [word.strip('"') for word in asked.stderr.splitlines()[-1].split()]
    pairs = [(a, b) for a, b in zip(words, words[1:]) if a in ("-internal-isystem", "-internal-externc-isystem", "-target-cpu", "-resource-dir")]
    language = ["-O3", "-std=c++17", "-fgnuc-version=4.2.1", "-fexceptions", "-fcxx-exceptions"]
    return [*language, *(word for pair in pairs for word in pair), f"-I{suite}/cpp", f"-I{suite}/tools/enzyme"]


class Program:
    """A program compiled into this process."""

    def __init__(self, suite, module):
        import jax
        import jax.numpy
        from enzyme_ad.jax import primitives

        source = SOURCE.format(program=suite / "tools" / "enzyme" / f"{module}.cpp")
        unused = jax.core.ShapedArray([1], jax.numpy.float32)
        flags = tuple(options(suite))
        call = lambda x: primitives.cpp_call(x, out_shapes=[unused], source=source, fn="call", argv=flags)
        self.argument = jax.numpy.ones((1,), jax.numpy.float32)
        self.call = jax.jit(call).lower(self.argument).compile()
        self.libc = ctypes.CDLL(None)

    def run(self, file, function):
        """What the program writes for an input: the output, then a line for each time."""
        self.libc.setenv(b"GRADBENCH_FILE", file.encode(), 1)
        self.libc.setenv(b"GRADBENCH_FUNCTION", function.encode(), 1)
        with tempfile.TemporaryFile("w+") as written:
            kept = os.dup(1)
            os.dup2(written.fileno(), 1)
            try:
                self.call(self.argument)[0].block_until_ready()
            finally:
                os.dup2(kept, 1)
                os.close(kept)
            written.seek(0)
            return written.read().splitlines()


def answer(suite, programs, message):
    reply = {"id": message["id"]}
    module = message.get("module")
    if message["kind"] == "define":
        if not (suite / "tools" / "enzyme" / f"{module}.cpp").exists():
            return reply | {"success": False, "error": "not there"}
        try:
            programs[module] = Program(suite, module)
        except Exception as error:
            return reply | {"success": False, "error": str(error)[-300:]}
        return reply | {"success": True}
    if message["kind"] == "evaluate":
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(message["input"], file)
            file.flush()
            output, *timings = programs[module].run(file.name, message["function"])
        return reply | {"success": True, "output": json.loads(output), "timings": [json.loads(t) for t in timings]}
    return reply


def main():
    suite, programs = pathlib.Path(sys.argv[1]).resolve(), {}
    if os.environ.get("LD_PRELOAD") != LIBRARIES:
        # What is compiled here finds the library of C++ only if it is there for the whole process.
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"LD_PRELOAD": LIBRARIES, "JAX_PLATFORMS": "cpu"})
    for line in sys.stdin:
        print(json.dumps(answer(suite, programs, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
