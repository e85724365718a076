"""The cost of `pendulum.arr` and its gradient, as C by Arr and by CasADi, measured in one run.

    $ pip install casadi
    $ python beside_casadi.py

CasADi writes the horizon out, step by step, from scalar expressions (SX), or as one function per step that is folded
(MX). Both are compiled as Arr's code is, and called with single precision.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import casadi

HERE = pathlib.Path(__file__).parent
STEPS = 20
GRAVITY, CART, BOB, ROD, PERIOD = 9.81, 1.0, 0.2, 0.5, 0.05


def rates(s, force):
    position, angle, speed, spin = casadi.vertsplit(s)
    c, d = casadi.cos(angle), casadi.sin(angle)
    push = (force + BOB * ROD * spin**2 * d) / (CART + BOB)
    turn = (GRAVITY * d - push * c) / (ROD * (4.0 / 3.0 - BOB * c * c / (CART + BOB)))
    return casadi.vertcat(speed, spin, push - BOB * ROD * turn * c / (CART + BOB), turn)


def move(s, force):
    k1 = rates(s, force)
    k2 = rates(s + PERIOD / 2 * k1, force)
    k3 = rates(s + PERIOD / 2 * k2, force)
    k4 = rates(s + PERIOD * k3, force)
    return s + PERIOD / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def price(s):
    return s[0] ** 2 + 10 * s[1] ** 2 + 0.1 * s[2] ** 2 + 0.1 * s[3] ** 2


def written_out(name):
    plan, start = casadi.SX.sym("plan", STEPS), casadi.SX.sym("start", 4)
    s, total = start, 0
    for k in range(STEPS):
        s = move(s, plan[k])
        total += price(s) + 0.001 * plan[k] ** 2
    return casadi.Function(name, [plan, start], [total, casadi.gradient(total, plan)])


def folded(name):
    s, force, total = casadi.SX.sym("s", 4), casadi.SX.sym("force"), casadi.SX.sym("total")
    after = move(s, force)
    step = casadi.Function("step", [casadi.vertcat(s, total), force], [casadi.vertcat(after, total + price(after) + 0.001 * force**2)])
    plan, start = casadi.MX.sym("plan", STEPS), casadi.MX.sym("start", 4)
    states = step.mapaccum("states", STEPS)(casadi.vertcat(start, 0), plan.T)
    total = states[4, STEPS - 1]
    return casadi.Function(name, [plan, start], [total, casadi.gradient(total, plan)])


def in_c(function, folder):
    generator = casadi.CodeGenerator(f"{function.name()}.c", {"casadi_real": "float", "with_header": True})
    generator.add(function)
    generator.generate(str(folder) + os.sep)


CALL = """
static float @_w[@W + 1]; static casadi_int @_iw[@I + 1];
static float run_@(const float *plan, const float *start, float *slope)
{
    float value; const float *arg[@A + 1]; float *res[@R + 1];
    arg[0] = plan; arg[1] = start; res[0] = &value; res[1] = slope;
    @(arg, res, @_iw, @_w, 0);
    return value;
}
"""

MAIN = """
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <time.h>
#include "pendulum.h"
#include "written_out.h"
#include "folded.h"
static float arr_w[pendulum_cost_value_and_grad_work_f32];
static float run_arr(const float *plan, const float *s, float *slope)
{
    float value;
    pendulum_cost_value_and_grad(plan, s[0], s[1], s[2], s[3], &value, slope, arr_w);
    return value;
}
@calls
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return 1e9 * t.tv_sec + t.tv_nsec; }
typedef float (*function)(const float *, const float *, float *);
int main(void)
{
    static const function all[3] = {run_arr, run_written_out, run_folded};
    static const char *const names[3] = {"arr", "written_out", "folded"};
    double best[3] = {1e30, 1e30, 1e30}; float slopes[3][20]; float plan[20], start[4] = {0, 0.3f, 0, 0}; int f, k, round;
    for (k = 0; k < 20; k++) plan[k] = sinf(k);
    for (round = 0; round < 40; round++) for (f = 0; f < 3; f++) {
        double begin = now();
        for (k = 0; k < 2000; k++) { plan[0] = 1e-3f * k; all[f](plan, start, slopes[f]); }
        begin = (now() - begin) / 2000;
        if (begin < best[f]) best[f] = begin;
    }
    for (f = 0; f < 3; f++) { double off = 0; for (k = 0; k < 20; k++) off = fmax(off, fabs(slopes[f][k] - slopes[0][k]));
        printf("%s %.0f %.1e\\n", names[f], best[f], off); }
    return 0;
}
"""


def main():
    arr = sys.argv[1] if len(sys.argv) > 1 else "arr"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        build = [arr, "build", str(HERE / "pendulum.arr"), "--grad", "cost", "--wrt", "plan", "--entry", "move"]
        build += ["--sizes", f"n={STEPS}", "--float", "f32"]
        subprocess.run([*build, "-o", str(folder / "pendulum.c")], check=True)
        calls = ""
        for function in [written_out("written_out"), folded("folded")]:
            in_c(function, folder)
            sizes = {"A": function.sz_arg(), "R": function.sz_res(), "I": function.sz_iw(), "W": function.sz_w()}
            text = CALL.replace("@A", str(sizes["A"])).replace("@R", str(sizes["R"]))
            calls += text.replace("@I", str(sizes["I"])).replace("@W", str(sizes["W"])).replace("@", function.name())
        (folder / "main.c").write_text(MAIN.replace("@calls", calls))
        files = ["pendulum", "written_out", "folded"]
        for file in files:
            options = ["gcc", "-std=c99", "-O2", "-ffast-math", "-fstack-usage", "-c", f"{file}.c"]
            subprocess.run(options, cwd=folder, check=True)
        objects = [f"{file}.o" for file in files]
        subprocess.run(["gcc", "-std=c99", "-O2", "-o", "main", "main.c", *objects, "-lm"], cwd=folder, check=True)
        timed = subprocess.run(["./main"], cwd=folder, check=True, capture_output=True, text=True).stdout
        rows = dict(zip(files, [line.split() for line in timed.splitlines()]))
        print("| | ns per call | code, bytes | stack, bytes | workspace, bytes | largest difference |\n|---|---|---|---|---|---|")
        for file in files:
            code = int(subprocess.run(["size", f"{file}.o"], cwd=folder, capture_output=True, text=True).stdout.split()[6])
            stack = max(int(line.split("\t")[1]) for line in (folder / f"{file}.su").read_text().splitlines())
            _, time, off = rows[file]
            work = re.search(r"work_f32 = (\d+)", (folder / "pendulum.h").read_text())
            words = int(work[1]) if file == "pendulum" else {"written_out": written_out, "folded": folded}[file]("f").sz_w()
            print(f"| {file} | {time} | {code} | {stack} | {4 * words} | {off} |")


if __name__ == "__main__":
    main()
