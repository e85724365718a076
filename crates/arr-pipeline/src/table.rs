//! The table: every step of the compiler in the order in which they run, for every back end.

use crate::settings::{Settings, Target};
use arr_base::Diagnostic;
use arr_ir::{Func, Level};
use arr_passes::{CONTRACT_PARTS, FUSE_PARTS, Follow, INTERCHANGE_PARTS, Lanes, Part};

/// The forms that a program goes through. A step's stage is that of its result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// As elaborated: anything nests, derivatives are operations.
    Core,
    /// No user code under `build`.
    Bulk,
    /// Bulk without derivatives.
    Ad,
    Fused,
    /// Fused, and transformed by passes that may round differently.
    Relaxed,
    Loops,
    /// Machine code, shaders, or source.
    Code,
}

impl Stage {
    pub fn name(self) -> &'static str {
        match self {
            Stage::Core => "core",
            Stage::Bulk => "bulk",
            Stage::Ad => "ad",
            Stage::Fused => "fused",
            Stage::Relaxed => "relaxed",
            Stage::Loops => "loops",
            Stage::Code => "code",
        }
    }
}

/// A condition on a step. A step runs if all of its conditions hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// The program takes derivatives.
    Derivatives,
    /// Results may be off by rounding errors.
    Relaxed,
    /// Iterations are not counted: those of the program's text may change.
    NoStepLimit,
    /// The program is compiled for the sizes of one call, and that may be known before derivatives are taken.
    SizesFirst,
    /// The program is compiled for the sizes of one call, and its derivatives must equal those of the program for all
    /// sizes, bit for bit: knowing sizes before differentiation would change the order of sums.
    SizesLast,
    /// Floats are to become `f32`.
    Single,
    /// For processors, by machine code or by C.
    Cpu,
    /// For machine code.
    Native,
    /// Loops may be divided between threads, or into chunks.
    Divided,
    /// For C.
    C,
    /// For graphics devices.
    Gpu,
    /// For XLA.
    Xla,
    /// For printing the program as source.
    Source,
    /// The program shows values, and nobody listens.
    Unheard,
}

impl When {
    /// The words of the table in ARCHITECTURE.md.
    pub fn words(self) -> &'static str {
        match self {
            When::Derivatives => "derivatives",
            When::Relaxed => "relaxed",
            When::NoStepLimit => "no step limit",
            When::SizesFirst => "known sizes; relaxed, or no derivatives",
            When::SizesLast => "known sizes, strict, derivatives",
            When::Single => "`--float f32`",
            When::Cpu => "CPU",
            When::Native => "machine code",
            When::Divided => "not C",
            When::C => "C",
            When::Gpu => "GPU",
            When::Xla => "XLA",
            When::Source => "source",
            When::Unheard => "traces, and nobody listens",
        }
    }
}

/// Additional inputs of a step besides its function.
pub struct Context<'a> {
    pub settings: &'a Settings,
    pub follow: &'a mut dyn Follow,
}

/// How a step runs.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// Inside the front end or a back end, in this file; the row records its position in the order.
    Elsewhere(&'static str),
    /// The pass of this name in the registry of `arr-passes` or `arr-ad`.
    Pass,
    /// IR to IR, with additional inputs.
    Func(fn(&mut Func, &mut Context<'_>) -> Result<(), Diagnostic>),
    /// IR to loops.
    Lower,
    /// The pass of this name in the registry of `arr-loops`.
    Loops,
}

/// A step of the compiler.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Its name for `--emit after:`, `--without`, `--time-passes` and `--bisect`. Unique.
    pub name: &'static str,
    /// The pass in its crate's registry, or the function that implements it. A pass may be several steps.
    pub pass: &'static str,
    pub run: Run,
    pub stage: Stage,
    /// The level that the verifier demands of its result.
    pub after: Level,
    pub when: &'static [When],
    /// Steps whose work this one relies on. They come before it.
    pub needs: &'static [&'static str],
    /// Whether programs are right without it, only slower or larger.
    pub optional: bool,
    /// Whether only proved accesses are left, in code for processors.
    pub proved: bool,
    /// Whether results keep their bits in relaxed code too. In strict code every step keeps them.
    pub exact: bool,
    /// Its purpose, and the reason for its position.
    pub why: &'static str,
    /// The paper or book behind it; `-` if it is this compiler's own.
    pub source: &'static str,
    /// Its parts in order, where they can be separated.
    pub parts: &'static [Part],
}

/// The common values of most rows.
const STEP: Step = Step {
    name: "",
    pass: "",
    run: Run::Pass,
    stage: Stage::Core,
    after: Level::Core,
    when: &[],
    needs: &[],
    optional: false,
    proved: false,
    exact: true,
    why: "",
    source: "-",
    parts: &[],
};

const BULK: Step = Step { stage: Stage::Bulk, after: Level::Bulk, ..STEP };
const AD: Step = Step { stage: Stage::Ad, after: Level::Bulk, when: &[When::Derivatives], ..STEP };
const FUSED: Step = Step { stage: Stage::Fused, after: Level::Fused, optional: true, ..STEP };
const RELAXED: Step = Step { stage: Stage::Relaxed, when: &[When::Relaxed, When::Cpu], exact: false, ..FUSED };
const LOOPS: Step =
    Step { run: Run::Loops, stage: Stage::Loops, when: &[When::Cpu], needs: &["lower"], optional: true, ..STEP };
const CODE: Step = Step { stage: Stage::Code, ..STEP };

const SIMPLIFY_SOURCE: &str = "Click, GVN; Shaikhha et al., fig. 9";

/// What the lanes of vectors hold on a target.
fn lanes(target: Target) -> Lanes {
    match target {
        Target::Cpu | Target::C | Target::Interpreter => Lanes::Rows,
        Target::Gpu | Target::Xla | Target::Source => Lanes::Points,
    }
}

fn fix_sizes(func: &mut Func, context: &mut Context<'_>) -> Result<(), Diagnostic> {
    if let Some(sizes) = &context.settings.sizes {
        // A function that is impossible for these sizes is left unchanged, and fails when it is called with them.
        arr_passes::fix_sizes(func, sizes);
    }
    Ok(())
}

/// Every step, in the order in which they run.
pub static STEPS: &[Step] = &[
    Step {
        name: "elaborate",
        pass: "elaborate",
        run: Run::Elsewhere("arr-check/src/entry.rs"),
        why: "definitions are specialised and inlined; tuples, records and sums become leaves",
        ..STEP
    },
    Step {
        name: "sink-updates",
        pass: "sink_updates",
        run: Run::Elsewhere("arr-check/src/sink_updates.rs"),
        needs: &["elaborate"],
        why: "an update that is made after the last read of the old array is made in place",
        ..STEP
    },
    Step {
        name: "drop-traces",
        pass: "drop_traces",
        when: &[When::Unheard],
        needs: &["elaborate"],
        why: "traces cost nothing where nobody listens, and stand in the way of no step",
        ..STEP
    },
    Step {
        name: "demote-f64",
        pass: "demote_f64",
        when: &[When::Single],
        why: "before differentiation, so that derivatives are those of the program in single precision",
        ..STEP
    },
    Step {
        name: "fix-sizes",
        pass: "fix_sizes",
        run: Run::Func(fix_sizes),
        when: &[When::SizesFirst],
        optional: true,
        why: "decisions that depend on sizes are made once, at compile time",
        ..STEP
    },
    Step {
        name: "simplify-core",
        pass: "simplify",
        stage: Stage::Bulk,
        optional: true,
        why: "less for `bot` to move, and no element is computed twice",
        source: SIMPLIFY_SOURCE,
        ..STEP
    },
    Step {
        name: "bot",
        pass: "bot",
        why: "reverse mode sees kernels, not elements: one tape entry per kernel",
        source: "Smeding et al., Dual-Numbers Reverse AD, 5",
        ..BULK
    },
    Step {
        name: "simplify-bulk",
        pass: "simplify",
        run: Run::Func(|func, _| arr_passes::simplify_bulk(func).map_err(|error| error.to_diagnostic())),
        needs: &["bot"],
        optional: true,
        why: "views that `bot` has made are forwarded; dead code is not differentiated",
        source: SIMPLIFY_SOURCE,
        ..BULK
    },
    Step {
        name: "differentiate",
        pass: "differentiate",
        run: Run::Func(|func, context| {
            let Settings { checkpoint, .. } = *context.settings;
            let options = arr_ad::Options { checkpoint, segments: context.settings.segments() };
            arr_ad::differentiate_with(func, options).map_err(|error| error.to_diagnostic())
        }),
        after: Level::Core,
        needs: &["bot"],
        why: "every `vjp` and `jvp` becomes ordinary code, innermost first",
        source: "Smeding and Vákár, Efficient CHAD",
        ..AD
    },
    Step {
        name: "fix-sizes-of-derivatives",
        pass: "fix_sizes",
        run: Run::Func(fix_sizes),
        after: Level::Core,
        when: &[When::SizesLast],
        needs: &["differentiate"],
        optional: true,
        why: "strict derivatives must not depend on whether sizes are known, so these are inserted afterwards",
        ..AD
    },
    Step {
        name: "bot-derivatives",
        pass: "bot",
        needs: &["differentiate"],
        why: "kernels that held a derivative waited for it, and derivatives are core code",
        source: "Smeding et al., Dual-Numbers Reverse AD, 5",
        ..AD
    },
    Step {
        name: "simplify-derivatives",
        pass: "simplify",
        needs: &["bot-derivatives"],
        optional: true,
        why: "cotangents that nobody asked for are dead",
        source: SIMPLIFY_SOURCE,
        ..AD
    },
    Step {
        name: "recheck",
        pass: "recheck",
        needs: &["bot-derivatives"],
        why: "accesses that are not proved at their new place are checked there",
        ..AD
    },
    Step {
        name: "contract",
        pass: "contract",
        run: Run::Func(|func, context| {
            arr_passes::contract_with(func, context.follow);
            Ok(())
        }),
        when: &[When::Xla],
        needs: &["bot", "simplify-bulk", "simplify-derivatives"],
        why: "XLA fuses by itself, but has to be told its matrix products, convolutions and slices; after AD, as fusion is",
        parts: CONTRACT_PARTS,
        ..FUSED
    },
    Step {
        name: "fuse",
        pass: "fuse",
        run: Run::Func(|func, context| {
            arr_passes::fuse_with(func, lanes(context.settings.target), context.follow);
            Ok(())
        }),
        needs: &["bot", "simplify-bulk", "simplify-derivatives"],
        why: "fewer arrays, and fewer passes over them; after AD, whose tape it would multiply",
        source: "Henriksen et al., T2 Graph Reduction",
        parts: FUSE_PARTS,
        ..FUSED
    },
    Step {
        name: "interchange",
        pass: "interchange",
        run: Run::Func(|func, context| {
            arr_passes::interchange_with(func, lanes(context.settings.target), context.follow);
            Ok(())
        }),
        when: &[When::NoStepLimit],
        needs: &["fuse"],
        why: "the state of a loop of kernels stays in registers; an iteration then counts once per point",
        source: "Allen and Kennedy, 5.2",
        parts: INTERCHANGE_PARTS,
        ..FUSED
    },
    Step {
        name: "hoist",
        pass: "hoist",
        needs: &["fuse"],
        why: "inlining has put invariant code into kernels",
        source: "Aho et al., 9.5",
        ..FUSED
    },
    Step {
        name: "layout",
        pass: "layout",
        needs: &["fuse"],
        why: "neighbouring points read neighbouring elements; last, as a copy is a view that `simplify` would forward",
        source: "Henriksen et al., Futhark, 5.2",
        ..FUSED
    },
    Step {
        name: "factor",
        pass: "factor",
        needs: &["fuse"],
        why: "a factor is moved out of a sum over products, and the products are not stored",
        source: "Lam, Sadayappan, Wenger, Multi-Dimensional Loops with Reductions",
        ..RELAXED
    },
    Step {
        name: "reciprocals",
        pass: "reciprocals",
        why: "one division for several quotients; loops do not wait for divisions",
        ..RELAXED
    },
    Step {
        name: "expand",
        pass: "expand",
        needs: &["factor", "reciprocals"],
        exact: true,
        why: "expensive values that are the same in every iteration are computed once, as an array",
        source: "Allen and Kennedy, 5.3",
        ..RELAXED
    },
    Step {
        name: "speculate",
        pass: "speculate",
        why: "plain products where no zero has to win; the others are recomputed",
        ..RELAXED
    },
    Step {
        name: "roots",
        pass: "roots",
        needs: &["reciprocals"],
        why: "powers of one root in a product are one factor",
        ..RELAXED
    },
    Step {
        name: "lower",
        pass: "lower",
        run: Run::Lower,
        stage: Stage::Loops,
        exact: false,
        why: "nests over reference-counted buffers; matrix products of relaxed code are statements",
        ..STEP
    },
    Step {
        name: "fuse-loops",
        pass: "fuse-loops",
        why: "neighbouring loops over one range that share an array are one pass over memory",
        source: "loop fusion: Allen and Kennedy, 6.2",
        ..LOOPS
    },
    Step {
        name: "reuse-buffers",
        pass: "reuse-buffers",
        needs: &["lower", "fuse-loops"],
        why: "a buffer that dies in a loop serves as the one that the loop fills",
        source: "storage coalescing",
        ..LOOPS
    },
    Step {
        name: "dead-fills",
        pass: "dead-fills",
        why: "arrays that a loop wholly overwrites, tapes above all, are not filled before",
        source: "dead-store elimination",
        ..LOOPS
    },
    Step {
        name: "strip-mine",
        pass: "strip-mine",
        when: &[When::Cpu, When::NoStepLimit],
        why: "a loop whose points are independent runs for one block of points after another, in the cache",
        source: "Allen and Kennedy, 9.3",
        ..LOOPS
    },
    Step {
        name: "short-circuit",
        pass: "short-circuit",
        why: "a state that each iteration copies into its tape is built there directly",
        source: "Henriksen et al., array short-circuiting",
        ..LOOPS
    },
    Step {
        name: "parallelize",
        pass: "parallelize",
        when: &[When::Cpu, When::Divided],
        needs: &["lower", "short-circuit"],
        exact: false,
        why: "loops with independent iterations are divided between threads; last of the passes that move statements",
        source: "dependence analysis, privatisation",
        ..LOOPS
    },
    Step {
        name: "bounds-checks",
        pass: "bounds-checks",
        needs: &["parallelize"],
        optional: false,
        proved: true,
        exact: false,
        why: "accesses that the range analysis does not prove are checked; after all passes that move statements",
        ..LOOPS
    },
    Step {
        name: "mark-scans",
        pass: "mark-scans",
        when: &[When::Divided],
        proved: true,
        exact: false,
        why: "loops that carry scalars by an associative step run in chunks",
        source: "Blelloch, Prefix Sums",
        ..LOOPS
    },
    Step {
        name: "gpu-moves",
        pass: "make",
        run: Run::Elsewhere("arr-wgsl/src/plan/moves.rs"),
        when: &[When::Gpu],
        needs: &["lower"],
        why: "a buffer that dies in a copy is the copy",
        ..CODE
    },
    Step {
        name: "gpu-short-sums",
        pass: "in_order",
        run: Run::Elsewhere("arr-wgsl/src/plan/short.rs"),
        when: &[When::Gpu],
        why: "reductions of a few points are loops in order, the same in every kernel",
        ..CODE
    },
    Step {
        name: "wgsl",
        pass: "compile",
        run: Run::Elsewhere("arr-wgsl/src/plan/mod.rs"),
        when: &[When::Gpu],
        needs: &["gpu-moves", "gpu-short-sums"],
        exact: false,
        why: "the division of statements between host and kernels, and the text of kernels",
        ..CODE
    },
    Step {
        name: "module",
        pass: "new",
        run: Run::Elsewhere("arr-gpu/src/executable.rs"),
        when: &[When::Gpu],
        needs: &["wgsl"],
        exact: false,
        why: "the pipelines of the device",
        ..CODE
    },
    Step {
        name: "cranelift",
        pass: "compile_with",
        run: Run::Elsewhere("arr-cpu/src/jit.rs"),
        when: &[When::Native],
        needs: &["lower"],
        exact: false,
        why: "vectorisation, outlining of parallel loops, CLIF, machine code",
        ..CODE
    },
    Step {
        name: "x86-commit",
        pass: "commit_accumulators",
        run: Run::Elsewhere("arr-x86/src/commit_accumulators.rs"),
        when: &[When::Native],
        needs: &["cranelift"],
        why: "accumulators of vector programs are committed by complete iterations only",
        ..CODE
    },
    Step {
        name: "x86-cse",
        pass: "cse_dce",
        run: Run::Elsewhere("arr-x86/src/cse_dce.rs"),
        when: &[When::Native],
        needs: &["cranelift"],
        why: "common subexpressions and dead code of vector programs",
        ..CODE
    },
    Step {
        name: "x86-software-pipeline",
        pass: "software_pipeline",
        run: Run::Elsewhere("arr-x86/src/software_pipeline.rs"),
        when: &[When::Native],
        needs: &["x86-cse"],
        why: "quotients and roots of the next iteration are begun before this one ends",
        source: "software pipelining, Lam",
        ..CODE
    },
    Step {
        name: "c99",
        pass: "function",
        run: Run::Elsewhere("arr-c99/src/function.rs"),
        when: &[When::C],
        needs: &["lower"],
        why: "the places of arrays in memory that the caller gives, and the text of functions",
        source: "C99; points-to analysis, Andersen",
        ..CODE
    },
    Step {
        name: "stablehlo",
        pass: "function",
        run: Run::Elsewhere("arr-stablehlo/src/module.rs"),
        when: &[When::Xla],
        exact: false,
        why: "derivatives are taken and loops are not yet fused, which XLA does by itself; the text of a module",
        source: "the specification of StableHLO",
        ..CODE
    },
    Step {
        name: "unparse",
        pass: "emit_text",
        run: Run::Elsewhere("arr-unparse/src/lib.rs"),
        when: &[When::Source],
        why: "the program as Arr source",
        ..CODE
    },
];
