//! The table of diagnostic codes: one row per code, with the page that `arr explain` shows.
//!
//! A code is never reused or renumbered. `E01xx` syntax, `E02xx` names, `E03xx` types, `E04xx` sizes,
//! `E05xx` derivatives, `E06xx` running a program, `E07xx` input and output, `E08xx` tests, `E09xx` not supported yet,
//! `E10xx` graphics devices, `E11xx` warnings.

/// A stable diagnostic code, shown as `E0301`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub u16);

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "E{:04}", self.0)
    }
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// What a code is about: the hundreds of its number, in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    Syntax,
    Names,
    Types,
    Sizes,
    Derivatives,
    Run,
    Data,
    Tests,
    Unsupported,
    Device,
    Warnings,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct CodeInfo {
    pub code: Code,
    pub family: Family,
    /// The name of the constant, and the short title.
    pub name: &'static str,
    /// The page that `arr explain` prints.
    pub page: &'static str,
    /// A program that causes this diagnostic when it is checked, if a program alone can cause it.
    pub example: Option<&'static str>,
}

impl Code {
    pub fn info(self) -> Option<&'static CodeInfo> {
        CODES.iter().find(|row| row.code == self)
    }

    /// Reads `E0301`, `e0301` or `301`.
    pub fn parse(text: &str) -> Option<Code> {
        let digits = text.trim().trim_start_matches(['e', 'E']);
        let code = Code(digits.parse().ok()?);
        code.info().map(|row| row.code)
    }
}

macro_rules! codes {
    ($( $number:literal $family:ident $name:ident $example:expr, $page:literal; )*) => {
        impl Code {
            $( #[doc = $page] pub const $name: Code = Code($number); )*
        }
        /// Every diagnostic code, in order.
        pub const CODES: &[CodeInfo] = &[
            $( CodeInfo {
                code: Code($number), family: Family::$family, name: stringify!($name),
                page: $page, example: $example,
            }, )*
        ];
    };
}

const _: () = assert!(is_in_order(CODES), "codes ascend, and each is in the hundred of its family");

/// Whether codes ascend, so that none is there twice, and each is in the hundred of its family.
const fn is_in_order(codes: &[CodeInfo]) -> bool {
    let (mut rest, mut last) = (codes, 0);
    while let [row, after @ ..] = rest {
        if row.code.0 <= last || row.code.0 / 100 != row.family as u16 + 1 {
            return false;
        }
        (rest, last) = (after, row.code.0);
    }
    true
}

codes! {
    101 Syntax UNEXPECTED_TOKEN Some("def f(x: f64) -> f64 = x + * 2.0"),
        "The text does not follow the grammar at this place.\n\nThe message lists what could stand there. The parser goes on after the fault, so one run reports several.";
    102 Syntax UNKNOWN_CHARACTER Some("def f(x: f64) -> f64 = x $ 2.0"),
        "A character that no token of Arr begins with.";
    103 Syntax UNEXPECTED_END Some("def f(x: f64) -> f64 = (x + 2.0"),
        "The file ends inside a definition.\n\nMost often a closing bracket, an `in` or an `else` is missing.";
    104 Syntax BAD_NUMBER Some("def f() -> i32 = 99999999999i32"),
        "A number that does not fit the type its suffix names, or is not written as a number.";
    105 Syntax TOO_DEEP None,
        "The expression is nested deeper than the compiler follows.\n\nName an inner part with `let`.";

    201 Names UNKNOWN_NAME Some("def f(x: f64) -> f64 = y"),
        "No definition, parameter, local name or built-in function has this name here.";
    202 Names UNKNOWN_TYPE Some("def f(x: Circl) -> f64 = 1.0"),
        "No type has this name.\n\nScalar types are `bool i32 i64 u32 f32 f64`; `type Name[k] = ...` names a type.";
    203 Names DUPLICATE_NAME Some("def f(x: f64) -> f64 = x\ndef f(y: f64) -> f64 = y"),
        "Two things in one place have the same name: definitions of a file, parameters of a definition, fields of a record, names of a pattern.";
    204 Names RECURSION Some("def f(x: f64) -> f64 = f(x)"),
        "A definition uses itself, directly or through others.\n\nDefinitions are specialised at each use, so recursion has no end. Write a `loop`.";
    205 Names UNKNOWN_FIELD Some("def f(p: { a: f64 }) -> f64 = p.b"),
        "The record has no field of this name, or the value is not a record, or the tuple is shorter.";
    206 Names NO_ENTRY None,
        "The definition to run was not found.\n\n`arr run` runs `main` unless `--entry` names another definition.";
    207 Names UNKNOWN_MODULE Some("import nowhere\ndef f() -> f64 = 1.0"),
        "The module was not found, could not be read, or is not imported in this file.\n\n`import linalg` imports a module of the standard library. `import \"./model.arr\"` imports a file; its path is relative to the file that imports it.";
    208 Names IMPORT_CYCLE None,
        "A file imports itself, directly or through others.\n\nThe message gives the files of the cycle. Move what both need to a file that both import.";
    209 Names NO_MEMBER None,
        "The imported module does not define this.\n\nOnly what a module itself defines can be used as `m.name`, not what it imports.";
    210 Names NO_MODULE_NAME None,
        "An imported file is called by its name without `.arr`, and here that is not a name, or is a keyword.\n\nSay what to call it: `import \"./2d-model.arr\" as model`.";

    301 Types TYPE_MISMATCH Some("def f(x: f64) -> i64 = x"),
        "A value of one type stands where another is needed.\n\nNothing is converted silently: write `f64(e)`, `i64(e)` and so on.";
    302 Types OPERATOR_TYPES Some("def f(x: f64, y: i64) -> f64 = x + y"),
        "The operator or elementwise function is not defined on these types.\n\nBoth sides need one element type; an array combines with an array of equal shape or with a scalar.";
    303 Types NOT_A_FUNCTION Some("def f(x: f64) -> f64 = x(1.0)"),
        "Something is called that is not a function.";
    304 Types WRONG_ARGUMENT_COUNT Some("def f(x: f64) -> f64 = sqrt(x, x)"),
        "A function is called with too many or too few arguments.";
    305 Types NOT_AN_ARRAY Some("def f(x: f64) -> f64 = x[0]"),
        "An array is needed here: to index, to slice, to reduce, to iterate over.";
    306 Types TOO_MANY_INDICES Some("def f(x: [n]f64) -> f64 = x[0, 0]"),
        "More indices than the array has axes.";
    307 Types FUNCTION_VALUE Some("def f(x: f64) -> f64 = if x > 0.0 then sin else cos"),
        "A function stands where a value is needed.\n\nFunctions are known when the program is compiled: they can be passed and called, but not stored in arrays, chosen by `if`, or returned at the program's edge.";
    308 Types PATTERN_MISMATCH Some("def f(x: f64) -> f64 = let (a, b) = x in a"),
        "The pattern does not fit the value it takes apart.";
    309 Types MISSING_ANNOTATION Some("def f(x) -> f64 = x"),
        "The parameter needs a type: `x: f64`.";
    310 Types BOUND Some("def twice[t: num](x: t) -> t = x + x\ndef f(b: bool) -> bool = twice(b)"),
        "A type parameter is used with a type that its bound does not allow.\n\n`num` is `i32 i64 u32 f32 f64`, `float` is `f32 f64`, `any` is every type but functions.";
    311 Types LITERAL_TYPE Some("def f(n: i64) -> i64 = n + 1.5"),
        "A literal cannot take the type its context needs.";
    312 Types MISSING_FIELD Some("def f() -> { a: f64, b: f64 } = { a = 1.0 }"),
        "A record lacks a field, or has one too many.";
    313 Types AMBIGUOUS Some("def f() -> f64 = sum([])"),
        "The type cannot be told from the context.\n\nAnnotate it: `e :> [0]f64`.";
    314 Types TEST_BODY Some("test \"one\" = 1.0"),
        "The test cannot be run as it is written.\n\nThe body of a test is a boolean, or an array, a tuple or a record of them; `within` is for a comparison `==` of floats, which it makes approximate. The body of a gradient test is a float, or an array, a tuple or a record of floats, and at least one of its parameters holds floats.";
    315 Types NOT_EXHAUSTIVE Some("type Shape = Circle(f64) | Empty\ndef f(s: Shape) -> f64 = match s { Circle(r) => r }"),
        "A `match` has no arm for some values.\n\nThe message shows a pattern for values that are left out. `_ => e` matches everything.";
    316 Types UNREACHABLE_ARM Some("def f(n: i64) -> f64 = match n { _ => 1.0, 0 => 2.0 }"),
        "An arm of a `match` is never taken, because the arms before it match everything that it matches.";
    317 Types REFUTABLE_PATTERN Some("type Shape = Circle(f64) | Empty\ndef f(s: Shape) -> f64 = let Circle(r) = s in r"),
        "A pattern that may not match stands where there is only one pattern: in `let`, as a parameter, in a `for` or a `loop`.\n\nUse `match`, which says what to do with other values.";

    401 Sizes SIZE_MISMATCH Some("def f(x: [n]f64, y: [m]f64) -> [n]f64 = x + y"),
        "Two sizes must be equal and cannot be shown to be.\n\nSizes are compared as polynomials over size names. If they are equal for a reason the compiler cannot see, say so with `e :> [n]f64`; it is checked when the program runs.";
    402 Sizes UNKNOWN_SIZE Some("def f(x: f64) -> f64 = for i < n => x"),
        "No size, parameter or local name of type `i64` has this name here.";
    403 Sizes NO_EXTENT Some("def f(x: f64) -> f64 = sum(for i => x)"),
        "The extent of this index cannot be inferred: no array is read at the bare index.\n\nWrite `for i < n => ...`.";
    404 Sizes IRREGULAR Some("def f(n: i64) -> f64 = sum(sum(for i < n => for j < i => 1.0))"),
        "The shape of the `for` body depends on the loop's index, so the result would not be regular.";
    405 Sizes EXTENT_CONFLICT Some("def f(a: [n]f64, b: [m]f64) -> [n]f64 = for i => a[i] + b[i]"),
        "The axes that this index reads have different sizes, so its extent cannot be inferred.";
    406 Sizes UNDETERMINED_SIZE Some("def f() -> [n]f64 = zeros(3)"),
        "A size name of this definition is fixed by no parameter, or a parameter of a sum type is mentioned by no constructor.\n\nA size is bound by a parameter whose type mentions it as `[n]`, or is an `i64` parameter.";
    407 Sizes RANK_MISMATCH Some("def f(x: [n][m]f64, y: [n]f64) -> [n][m]f64 = x + y"),
        "Two arrays have different numbers of axes, and those of the smaller one are not the last axes of the larger.\n\nAn array `[n][m]f64` goes with `[m]f64`, which is the same for every row. Where an array goes with other axes, write a `for`: `for i => x[i] + y[i]` adds `y[i]` to row `i`. Nothing is stretched from size 1.";
    408 Sizes OUTSIDE Some("def f(x: [n]f64) -> f64 = x[-1]"),
        "An index, or a bound of a slice, is outside of its axis whatever the sizes are, so that it could only fail.\n\nIndices run from 0 to `n-1`, and nothing is counted from the end: the last element of `x: [n]f64` is `x[n-1]`, and the last two are `x[n-2:]`.";

    501 Derivatives NOT_SCALAR Some("def f(x: [n]f64) -> [n]f64 = grad(\\y => y * y)(x)"),
        "`grad` differentiates a function whose result is one floating-point number.\n\nFor other results use `vjp`, `jvp`, `jacrev` or `jacfwd`.";
    502 Derivatives NOT_DIFFERENTIABLE Some("def f(n: i64) -> f64 = grad(\\m => f64(m))(n)"),
        "The argument to differentiate with respect to holds no floating-point number.";
    503 Derivatives BAD_WRT None,
        "`--wrt` names a parameter that the definition does not have, or one twice.";
    504 Derivatives NO_RULE None,
        "The compiler has no derivative rule for an operation of this program, so the derivative cannot be compiled.\n\nThere is no silent zero.";
    505 Derivatives DISAGREEMENT None,
        "`arr check-grad`, or a gradient test of `arr test`, found that forward mode, reverse mode and finite differences do not agree at the point given.\n\nFinite differences are wrong at and near a kink or a jump, and where the function changes by orders of magnitude within a small step. Where the two modes disagree with one another, the compiler or a declared derivative is at fault.";
    506 Derivatives BAD_DERIVATIVE Some("def f(x: f64) -> f64 = x * x\nderivative f(x, dy) = 2.0 * x * dy"),
        "A declared derivative does not fit the function it is declared for.\n\n`derivative f(x1, .., xk, y, dy) = (dx1, .., dxk)` has the parameters of `f`, then its result `y` and the cotangent `dy` of the result, and gives one cotangent for each parameter, `()` for one that holds no floats. `f` is a function of this file whose result holds floats, and takes no functions.";

    601 Run INDEX_OUT_OF_RANGE None,
        "An index lies outside `0 .. n-1`.\n\nNothing clamps or wraps, and negative indices do not count from the end.";
    602 Run DIVISION_BY_ZERO None,
        "An integer was divided by zero, or a remainder by zero was taken.";
    603 Run ASSERTION_FAILED None,
        "A shape that the program asserts with `:>` is not the one the value has.";
    604 Run NEGATIVE_SIZE None,
        "An array would have a negative size.";
    605 Run OUT_OF_MEMORY None,
        "An array is too large for the memory that the program may use.";
    606 Run EMPTY_REDUCTION None,
        "`maximum`, `minimum`, `argmax` or `argmin` of an empty array.";
    607 Run TOO_MANY_STEPS None,
        "The program ran past `--max-steps` loop iterations.";
    608 Run BAD_STEP Some("def f(x: [n]f64) -> f64 = sum(x[::0])"),
        "A slice goes in steps that are zero or negative.\n\nA step is 1 or more, so that `a[lo:hi:step]` runs from `lo` upwards. For the elements from the last to the first write `reverse(a)`, and for every second one of them `reverse(a)[::2]`.";
    609 Run INTERRUPTED None,
        "The program was stopped while it ran: by Ctrl-C, or by the program that called it.\n\nThe message shows where it was.";
    610 Run NOT_FINITE None,
        "An operation gave a NaN though none of its operands is one, or an infinity though all of them are finite, and `--trap-nan` stops the program there.\n\nThe message has the operation with its operands, and the indices of the loops around it. A message about a derivative shows the place whose derivative it is: that of `sqrt(x)` at 0 divides by 0, and that of `x ** 0.5` likewise. A value that the program computes but does not choose stops nothing, as it has no effect on the result or its derivatives. `--trap-nan=nan` lets infinities pass.";

    701 Data FILE_NOT_READ None,
        "A file could not be read.";
    702 Data BAD_FILE None,
        "A data file is damaged, cut short, or not of the format its name says.\n\nOf a CSV file, a cell can be something else than its column's type says. An empty cell, `NA` and the texts of `--na` stand for a missing value: NaN for floats, and the constructor `Missing` of a type that has one. Other types have no value for it. A column of flags is read as `[n]f64` too: 1, 0 and, without a value, NaN.\n\nFiles of other programs are read with `--delimiter ';'`, `tab` or `space`, with `--decimal ,`, and with `--skip-lines N`, which leaves out the first lines.";
    703 Data ARGUMENT_TYPE None,
        "An argument's element type is not the declared one, and converting it would lose something.\n\nOnly lossless conversions are made: `i32` to `i64`, `f32` to `f64`, an integer to a float that holds it exactly.";
    704 Data ARGUMENT_SHAPE None,
        "An argument's shape is not the declared one, or two arguments disagree about a size.";
    705 Data ARGUMENT_MISSING None,
        "The definition needs an argument that was not given, or was given one it does not have.";
    706 Data ARGUMENT_SYNTAX None,
        "An argument is not a value.\n\nArguments are literals: nothing in them is computed, so that `8/3` is none. Write `3`, `2.5`, `true`, `[1.0, 2.0]`, `(1, 2)`, `{x = 1.0}`, or `@file.npy`.";
    707 Data FILE_NOT_WRITTEN None,
        "The result could not be written.";
    708 Data NO_STEP None,
        "`--emit after:STEP` or `--without STEP` names no step of the compiler, one that does not run for this program, or one that cannot be left out.\n\n`arr run FILE .. --time-passes` prints the steps that run; ARCHITECTURE.md has the table of all of them, which says which are optional.";
    709 Data NO_PART None,
        "A file or a result has no part of this name, or a table no such column.\n\n`@fit.json:model.w` reads a part of a file, `@patients.csv:age` a column, and `--get model.w` takes a part of a result. A parameter whose type is a record reads the columns of a table by the names of its fields. `_` stands in these for what no name of a program has: the field for `t [s]` is `t__s_`, that for `2nd` is `_2nd`.";

    801 Tests EXAMPLE_FAILED None,
        "An example in a doc comment does not give what it says.\n\nA line `--| > e` of a doc comment is an example; `--| . ` goes on with it on the next line. The lines below are its value, or `error E0601` for the error that it gives. Values are compared exactly, unless the example ends in a comment such as `-- within 1e-9`: then two floats are the same if they differ by no more than that times the larger of them, or times 1 if both are smaller.";
    802 Tests TEST_FAILED None,
        "A test does not hold.\n\n`test \"name\" = a == b` holds if all elements are equal. `test \"name\" within 1e-9 = a == b` allows a difference of that much times the larger element, or times 1 if both are smaller.";
    803 Tests PROPERTY_FAILED None,
        "A test that is to hold for all arguments does not hold for some.\n\n`arr test` tries arguments of many sizes and values, the same in every run unless `--seed` says otherwise, and makes those that it shows as small and simple as it can. The command in the message evaluates the test for them.";
    804 Tests STEP_CHANGED None,
        "`arr run --bisect` found a step of the compiler after which the program gives something else.\n\nThis is a fault of the compiler, not of the program. The functions that were printed show what the step made of what; please report them. `--without STEP` leaves an optional step out, and `--backend interp` runs the program without most of them.";

    901 Unsupported UNSUPPORTED None,
        "The construct belongs to the language, but this version of the compiler does not support it yet.";
    902 Unsupported UNSUPPORTED_IRREGULAR None,
        "An array whose size differs from one iteration of a `for` to the next is stored inside the `for`, which this version of the compiler does not support yet.";

    1001 Device NO_DEVICE None,
        "No graphics device was found that programs can run on, or none of the name or number that was asked for.\n\n`arr devices` lists those that there are. Programs reach them through Vulkan, Metal or Direct3D 12. On a machine without a graphics processor a software device does: Debian and Ubuntu have one in the packages `mesa-vulkan-drivers` and `libvulkan1`. Everything but `--backend gpu` works without one.";
    1002 Device NO_FLOAT64 None,
        "The program computes with `f64`, and the graphics device has no such numbers.\n\nNothing is narrowed silently. `--float f32` compiles the program with `f32` in the place of every `f64`; `--backend cpu` runs it as it is written; `arr devices` says which devices have `f64`.";
    1003 Device DEVICE_LIMIT None,
        "An array or a kernel is larger than the graphics device takes.\n\nA device limits how many bytes of an array a kernel can see, how large a buffer may be, and how many groups of a kernel run at once; `arr devices` lists the numbers. Mesa's software device, `llvmpipe`, also limits how many iterations the loops take that compute one element. The CPU has no such limits.";
    1004 Device INTEGER_RANGE None,
        "The graphics device has integers of 32 bits only, and a value of type `i64` does not fit them: a size, an argument, or \
         what a kernel has computed.\n\nNothing wraps silently. An `i64` is held as a number from -2147483646 to 2147483646; only \
         its own extremes, with which searches for a least or greatest element begin, may be compared and chosen besides. \
         Kernels are checked where the sizes of arrays do not show that numbers fit. Mixing functions that need all of 64 bits \
         can be written with `u32`.\n\n`--backend cpu`, and devices that have 64 bits, run the program.";
    1005 Device DEVICE_FAILED None,
        "The graphics device, or its driver, failed: it was lost, ran out of its own memory, or refused a kernel.\n\nWhat the driver said stands in the message. A device is lost when it is reset, which systems do to kernels that run for many seconds.";
    1006 Device NO_BACKEND None,
        "This `arr` was built without the back end.\n\nThe feature `gpu`, which is on unless `--no-default-features` turns it off, has the back end for graphics devices.";

    1101 Warnings UNUSED_NAME Some("def f(x: f64, y: f64) -> f64 = 2.0 * x"),
        "A warning: nothing uses a `let`, or a parameter of a definition.\n\nWhat is not used is often a slip of the pen elsewhere. A name that begins with `_` says that it is meant so; where a pattern takes a value apart, using one of its names is enough. `arr check --deny warnings` makes an error of it.";
    1102 Warnings UNUSED_IMPORT None,
        "A warning: nothing in the file uses a module that it imports, and no example in its doc comments does.";
    1103 Warnings UNUSED_DEFINITION Some("def _half(x: f64) -> f64 = 0.5 * x\ndef f(x: f64) -> f64 = 2.0 * x"),
        "A warning: nothing uses a definition whose name begins with `_`, which is for its own file.\n\nOther definitions can be run and imported, so that nothing is said of them.";
    1104 Warnings HIDES_BUILTIN Some("def sum(x: [n]f64) -> f64 = x[0]"),
        "A warning: a definition has the name of a built-in function, which is hidden in its file.\n\nThat is allowed, since built-in functions may be added to the language; a reader will take it for the built-in function.";
    1105 Warnings ROUNDED_EXPONENT Some("def f(x: f64) -> f64 = x ** (1 / 2)"),
        "A warning: an exponent is a quotient of two whole numbers that is rounded down.\n\nNumbers without a point are integers in an exponent, where `/` rounds down, so that `x ** (1 / 2)` is `x ** 0`, which is 1. With a point it is meant as it looks: `x ** (1.0 / 2.0)`, or `x ** 0.5`.";
}
