//! Everything the checker can find wrong, as data. The words are in `messages`.

use crate::data::declared_type::MAX_TERMS;
use crate::data::sum_problem::SumProblem;
use crate::data::use_problem::UseProblem;
use arr_base::Span;
use arr_ir::Scalar;

/// A fact that a diagnostic points at: where a size or a type comes from.
pub(crate) type Fact = (Span, String);

/// A definition of the standard library as it is written in a file, and the module to import for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Elsewhere {
    pub name: String,
    pub import: Option<String>,
}

/// One thing wrong with a program. Types and sizes are given as text, in the user's names.
#[derive(Clone, Debug)]
pub(crate) enum Problem {
    /// `library`: what the standard library has of this name, or of this meaning.
    UnknownName {
        name: String,
        span: Span,
        suggestion: Option<String>,
        library: Vec<Elsewhere>,
    },
    UnknownType {
        name: String,
        span: Span,
        suggestion: Option<String>,
    },
    Duplicate {
        what: &'static str,
        name: String,
        span: Span,
        first: Option<Span>,
    },
    /// A type definition with the name of a type of numbers or truth values.
    BuiltInType {
        name: String,
        span: Span,
    },
    /// `cycle` runs from the definition through others back to it.
    Recursion {
        name: String,
        span: Span,
        cycle: Vec<String>,
    },
    /// A derivative by a parameter that the function does not have. `names` are those of the parameters, empty for one
    /// without; there are none if even the number is open.
    NoParameter {
        name: String,
        span: Span,
        function: Option<String>,
        names: Option<Vec<String>>,
    },
    UnknownField {
        field: String,
        span: Span,
        ty: String,
        fields: Vec<String>,
    },
    /// `base` is the text of the value, and `elements` whether it is an array whose elements have the field.
    NotARecord {
        field: String,
        span: Span,
        ty: String,
        base: String,
        elements: bool,
    },
    NoProjection {
        index: u32,
        span: Span,
        ty: String,
        len: Option<usize>,
    },
    UnknownModule {
        name: String,
        span: Span,
    },
    /// A module that the file does not import; `standard`: the standard library has a module of that name.
    NotImported {
        module: String,
        span: Span,
        standard: bool,
        suggestion: Option<String>,
    },
    /// An imported file whose file name is not a valid name.
    NoAlias {
        path: String,
        span: Span,
    },
    /// Two things in one file that have the name of an import.
    DuplicateImport {
        name: String,
        span: Span,
        first: Option<Span>,
    },
    /// The name of a module where a value is needed.
    ModuleValue {
        name: String,
        span: Span,
    },
    /// A module does not have what is asked of it; `is_type`: it has a type of that name.
    NoMember {
        module: String,
        name: String,
        what: &'static str,
        is_type: bool,
        span: Span,
        suggestion: Option<String>,
        /// Names of the module that have a part of this one.
        related: Vec<String>,
        library: Vec<Elsewhere>,
    },
    NoEntry {
        name: String,
        names: Vec<String>,
    },

    Mismatch {
        role: Role,
        span: Span,
        expected: String,
        found: String,
        hint: Option<String>,
        facts: Vec<Fact>,
    },
    /// A binary operator on two element types.
    Operator {
        op: String,
        span: Span,
        left: (Span, String),
        right: (Span, String),
        hint: Option<String>,
    },
    /// An operator or built-in on one operand of a type it is not defined on.
    Operand {
        op: String,
        span: Span,
        ty: String,
        needs: &'static str,
        hint: Option<String>,
    },
    /// A text that is not the label of a trace.
    Text {
        span: Span,
        text: String,
    },
    /// A trace whose label is no text in quotes.
    Label {
        name: &'static str,
        span: Span,
    },
    /// A value that cannot be shown.
    Untraceable {
        name: &'static str,
        span: Span,
        ty: String,
    },
    /// `called`: in a call of it, and not where a function is to be given.
    NotAFunction {
        span: Span,
        ty: String,
        called: bool,
        hint: Option<String>,
    },
    ArgumentCount {
        name: String,
        span: Span,
        expected: String,
        found: usize,
        declared: Option<Span>,
        hint: Option<&'static str>,
    },
    NotAnArray {
        span: Span,
        ty: String,
        doing: &'static str,
    },
    TooManyIndices {
        span: Span,
        ty: String,
        rank: usize,
        given: usize,
    },
    FunctionValue {
        span: Span,
        place: &'static str,
        hint: Option<String>,
    },
    Pattern {
        span: Span,
        pattern: String,
        ty: String,
    },
    MissingAnnotation {
        span: Span,
        name: String,
    },
    /// A type parameter as a conversion, where it stands for a type that nothing is converted to.
    NoConversion {
        span: Span,
        param: String,
        ty: String,
    },
    Bound {
        span: Span,
        param: String,
        bound: &'static str,
        ty: String,
        def: String,
    },
    LiteralType {
        span: Span,
        text: String,
        ty: String,
        decimal: bool,
    },
    LiteralRange {
        span: Span,
        text: String,
        ty: Scalar,
    },
    BadNumber {
        span: Span,
        text: String,
    },
    Fields {
        role: Role,
        span: Span,
        missing: Vec<String>,
        extra: Vec<String>,
        expected: String,
        found: String,
    },
    /// What is wrong with a test, and the type that its body has.
    TestBody {
        span: Span,
        what: String,
        ty: Option<String>,
    },
    Ambiguous {
        span: Span,
        what: &'static str,
    },

    /// `assertion` is the type to assert, unless the sizes differ whatever their values.
    SizeMismatch {
        role: Role,
        span: Span,
        expected: String,
        found: String,
        sizes: (String, String),
        /// The one number that makes them equal, and the name it is for.
        solution: Option<(String, i64)>,
        assertion: Option<String>,
        facts: Vec<Fact>,
    },
    /// A size of a definition that an argument should fix: `wanted = found` is not solved for `name`.
    Unsolved {
        span: Span,
        /// The parameter and the definition.
        argument: (String, String),
        name: String,
        wanted: String,
        found: String,
        /// No number solves it.
        never: bool,
        declared: Span,
        facts: Vec<Fact>,
    },
    /// An index that is outside for every size, and the size less 1, or less what a negative index says; `bound`: a
    /// bound of a slice.
    Outside {
        span: Span,
        index: String,
        size: String,
        last: String,
        negative: bool,
        bound: bool,
    },
    /// `?k` where no definition computes it.
    ComputedSize {
        span: Span,
        name: String,
    },
    UnknownSize {
        name: String,
        span: Span,
        suggestion: Option<String>,
    },
    NoExtent {
        index: String,
        span: Span,
        hint: String,
    },
    /// The name of a type where a value or a constructor is needed.
    TypeValue {
        name: String,
        span: Span,
    },
    /// An index that is to add an axis, such as `None` in `x[:, None]`; `pair`: what combines it with another array.
    NoNewAxis {
        name: String,
        span: Span,
        pair: Option<String>,
    },
    /// The size of an axis of a `for` body depends on what is bound inside.
    Irregular {
        size: String,
        index: Option<String>,
        span: Span,
        origin: Fact,
        place: &'static str,
    },
    ExtentConflict {
        index: String,
        span: Span,
        reads: Vec<(Span, String, String)>,
    },
    UndeterminedSize {
        name: String,
        span: Span,
        def: Option<String>,
    },
    RankMismatch {
        op: String,
        span: Span,
        larger: (Span, String),
        smaller: (Span, String),
    },

    NotScalar {
        span: Span,
        ty: String,
        what: &'static str,
        has_float: bool,
    },
    NotDifferentiable {
        span: Span,
        ty: String,
        /// Whether this is the result of a function, and not its argument.
        is_result: bool,
        is_function: bool,
    },
    /// A slice in steps that are not positive.
    BadStep {
        span: Span,
        step: i64,
    },
    /// A declared derivative that does not fit its function.
    BadDerivative {
        span: Span,
        title: String,
        label: &'static str,
        declared: Option<Span>,
        hint: Option<String>,
    },
    /// There is no parameter of this name, or all of this name have been named before.
    BadWrt {
        name: String,
        params: Vec<String>,
        def: String,
    },

    /// About sums and `match`; the words are in `messages/sums.rs`.
    Sums(SumProblem),
    /// About names in places that they are not for; the words are in `messages/uses.rs`.
    Uses(UseProblem),

    Unsupported {
        span: Span,
        what: String,
    },
    /// What cannot be in a program without other problems: a fault of the checker.
    Broken {
        span: Span,
        what: &'static str,
    },
    TooDeep {
        span: Span,
    },
    TooLarge {
        span: Span,
    },
}

/// What a value is used as, where another type was expected.
#[derive(Clone, Debug)]
pub(crate) enum Role {
    Result(String),
    Argument {
        param: String,
        def: String,
    },
    Annotation,
    Assertion,
    ThenBranch,
    ElseBranch,
    Arm,
    Condition,
    LoopState,
    ArrayElement,
    Operand(String),
    /// The number of elements of a reshaped array.
    Elements(String),
    Index,
    Extent,
    Field(String),
    Replacement,
    Callback(String),
    Cotangent,
    /// What a declared derivative gives for a parameter; all of it where there is no name.
    Declared(Option<String>),
    Tangent,
}

impl Role {
    /// The phrase for the value itself: "the result of `f`".
    pub fn phrase(&self) -> String {
        match self {
            Role::Result(def) => format!("the result of `{def}`"),
            Role::Argument { param, def } => format!("argument `{param}` of `{def}`"),
            Role::Annotation => "the annotated value".to_string(),
            Role::Assertion => "the asserted value".to_string(),
            Role::ThenBranch => "the `then` branch".to_string(),
            Role::ElseBranch => "the `else` branch".to_string(),
            Role::Arm => "this arm of `match`".to_string(),
            Role::Condition => "the condition".to_string(),
            Role::LoopState => "the result of the loop's body".to_string(),
            Role::ArrayElement => "an element of the array".to_string(),
            Role::Elements(op) => format!("the array given to `{op}`"),
            Role::Operand(op) => format!("an operand of `{op}`"),
            Role::Index => "an index".to_string(),
            Role::Extent => "an extent".to_string(),
            Role::Field(name) => format!("field `{name}`"),
            Role::Replacement => "the replacement".to_string(),
            Role::Callback(name) => format!("the result of the function given to `{name}`"),
            Role::Cotangent => "the cotangent".to_string(),
            Role::Declared(Some(param)) => format!("the declared cotangent of `{param}`"),
            Role::Declared(None) => "the declared derivative".to_string(),
            Role::Tangent => "the tangent".to_string(),
        }
    }
}

impl Problem {
    /// A size with too many terms or factors.
    pub fn long_size(span: Span) -> Problem {
        Problem::Unsupported { span, what: format!("a size of more than {MAX_TERMS} terms is") }
    }
}

impl From<SumProblem> for Problem {
    fn from(problem: SumProblem) -> Problem {
        Problem::Sums(problem)
    }
}

impl From<UseProblem> for Problem {
    fn from(problem: UseProblem) -> Problem {
        Problem::Uses(problem)
    }
}
