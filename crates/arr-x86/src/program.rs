//! Vector programs as data.
//!
//! Every value has one element for each iteration of the outer loop, except those of type [`Type::Int`], which are
//! those of the first iteration of a step: addresses, indices and trip counts. A statement runs for all iterations
//! before the next one.

/// A float type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Elem {
    F32,
    F64,
}

impl Elem {
    pub fn bytes(self) -> usize {
        match self {
            Elem::F32 => 4,
            Elem::F64 => 8,
        }
    }

    /// The bits of a number of this type.
    pub fn bits(self, x: f64) -> u64 {
        match self {
            Elem::F32 => u64::from((x as f32).to_bits()),
            Elem::F64 => x.to_bits(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Float(Elem),
    /// The outcome of a comparison of such floats.
    Mask(Elem),
    /// One `i64` per iteration.
    Lanes,
    /// One `i64` or address.
    Int,
}

/// A value of a program, by its row in [`Program::types`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Value(pub u32);

impl Value {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An integer type in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Width {
    I32,
    U32,
    I64,
}

impl Width {
    pub fn bytes(self) -> usize {
        match self {
            Width::I32 | Width::U32 => 4,
            Width::I64 => 8,
        }
    }
}

/// The position of the iterations' elements, relative to the first one's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// All at one address.
    Same,
    /// Contiguous.
    Row,
    /// As `Row`, for stores that bypass the cache. Full steps begin at an aligned boundary of 64 bytes.
    Stream,
    /// At this stride in bytes.
    Strided(Value),
    /// Each at its own offset in bytes.
    Each(Value),
}

/// `base + index * scale + disp`, in bytes; the scale is 1, 2, 4 or 8.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemOperand {
    pub base: Value,
    pub index: Option<(Value, u8)>,
    pub disp: i32,
    pub access: Access,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    /// The product; zero if a factor is zero.
    MulZero,
    /// The first at a tie, NaN if either is.
    Min,
    Max,
    /// The first where it is less, else the second.
    Lesser,
    /// The first where it is greater, else the second.
    Greater,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    Neg,
    Abs,
    Sqrt,
    /// -1 or 1; a zero or NaN as it is.
    Sign,
    Floor,
    Ceil,
    /// To the nearest integer, halves to even.
    Round,
}

/// False where an operand is NaN, except `Ne` and `Unordered`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Whether either is NaN.
    Unordered,
}

/// Operations on `i64`, wrapping.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bits {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    Int(i64),
    /// A slot of the environment.
    EnvInt(u32),
    IntBinary(Bits, Value, Value),
    IntLoad(Width, MemOperand),
    /// A number, by its bits.
    Const(Elem, u64),
    EnvFloat(Elem, u32),
    Copy(Value),
    Load(Elem, MemOperand),
    Unary(Unary, Value),
    Binary(Binary, Value, Value),
    /// `a * b + c`, rounded once.
    Fma(Value, Value, Value),
    /// An `f64` times two to the power of another, as defined by [`arr_math::Number::scale`].
    Scale(Value, Value),
    Compare(Compare, Value, Value),
    Select(Value, Value, Value),
    And(Value, Value),
    Or(Value, Value),
    Not(Value),
    LanesConst(i64),
    /// The same integer in every iteration; not one that moves with the outer loop.
    Splat(Value),
    /// The first iteration's integer, and the step to the next.
    Linear(Value, Value),
    LanesLoad(Width, MemOperand),
    LanesBinary(Bits, Value, Value),
    /// To the left if positive, else to the right, filling with zeros.
    Shift(Value, i8),
    /// The bits of an `f64`.
    ToBits(Value),
    FromBits(Value),
    /// Whether a bit of the constant is set.
    TestBits(Value, i64),
    ToFloat(Elem, Value),
    Widen(Value),
    Narrow(Value),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    Let(Value, Op),
    /// Declares a variable.
    Var(Value, Option<Value>),
    Set(Value, Value),
    Store(MemOperand, Value),
    /// Leaves the kernel, if the mask holds in any lane, before the iterations of the present step: the caller repeats
    /// their stores, and the accumulators hold the results of the iterations before.
    Leave(Value),
    /// Ends the kernel at once if the byte there is not 0. Nothing that the kernel has computed can be used then.
    Stop(MemOperand),
    For(Box<For>),
}

/// `index` runs over `0 .. extent`. An induction equals the index times its step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct For {
    pub index: Value,
    pub extent: Value,
    pub inductions: Vec<(Value, Value)>,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Combine {
    Add,
    Mul,
    Min,
    Max,
}

impl Combine {
    pub fn binary(self) -> Binary {
        match self {
            Combine::Add => Binary::Add,
            Combine::Mul => Binary::Mul,
            Combine::Min => Binary::Min,
            Combine::Max => Binary::Max,
        }
    }

    /// The neutral element of the combination.
    pub fn neutral(self) -> f64 {
        match self {
            Combine::Add => -0.0,
            Combine::Mul => 1.0,
            Combine::Min => f64::INFINITY,
            Combine::Max => f64::NEG_INFINITY,
        }
    }
}

/// A variable of the outer loop's body that lives from one iteration to the next: several of them side by side, combined in a
/// tree at the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Accumulator {
    pub variable: Value,
    pub elem: Elem,
    pub combine: Combine,
    /// Where in the environment the result goes.
    pub slot: u32,
}

/// A vector program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    pub types: Vec<Type>,
    /// Loop-invariant code.
    pub prologue: Vec<Stmt>,
    pub outer: For,
    /// The slot of the environment that holds the first iteration's index; 0 without one.
    pub start: Option<u32>,
    pub accumulators: Vec<Accumulator>,
}

impl Program {
    /// The program with all its stores in the cache.
    pub fn kept(&self) -> Program {
        fn block(stmts: &mut [Stmt]) {
            for stmt in stmts {
                match stmt {
                    Stmt::Store(place, _) if place.access == Access::Stream => place.access = Access::Row,
                    Stmt::For(l) => block(&mut l.body),
                    _ => {}
                }
            }
        }
        let mut kept = self.clone();
        block(&mut kept.outer.body);
        kept
    }

    /// Bytes of the smallest element, which determine the number of iterations per register.
    pub fn least_bytes(&self) -> usize {
        let narrow = self.types.iter().any(|t| matches!(t, Type::Float(Elem::F32) | Type::Mask(Elem::F32)));
        if narrow { 4 } else { 8 }
    }
}
