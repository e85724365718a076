//! Definitions that calls of printed code name.

use std::fmt;

/// A definition that stays a call, so that readers see its name in place of its body. What it computes is not part of the
/// IR: such code can be passed on, differentiated around, and printed as source, but not run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Callee {
    /// The name by which the program's own file calls it: `softplus`, `linalg.solve`.
    pub name: String,
    pub args: Vec<Shape>,
    pub result: Shape,
    /// Whether it can stop the program with a run-time error.
    pub may_fail: bool,
}

/// How a value is put together from its leaves, which are scalars and arrays of scalars.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    Leaf,
    Tuple(Vec<Shape>),
    Record(Vec<(String, Shape)>),
}

impl Shape {
    /// The number of leaves.
    pub fn leaves(&self) -> usize {
        match self {
            Shape::Leaf => 1,
            Shape::Tuple(items) => items.iter().map(Shape::leaves).sum(),
            Shape::Record(fields) => fields.iter().map(|(_, shape)| shape.leaves()).sum(),
        }
    }
}

impl Callee {
    /// The number of leaves of all arguments.
    pub fn operands(&self) -> usize {
        self.args.iter().map(Shape::leaves).sum()
    }
}

/// `_`, `(_, _)`, `{ values: _, vectors: _ }`
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Leaf => f.write_str("_"),
            Shape::Tuple(items) => {
                let items: Vec<String> = items.iter().map(Shape::to_string).collect();
                write!(f, "({})", items.join(", "))
            }
            Shape::Record(fields) => {
                let fields: Vec<String> = fields.iter().map(|(name, shape)| format!("{name}: {shape}")).collect();
                write!(f, "{{ {} }}", fields.join(", "))
            }
        }
    }
}

/// `linalg.solve (_, _) -> _`, with `!` where it cannot fail, as reads have it.
impl fmt::Display for Callee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let args: Vec<String> = self.args.iter().map(Shape::to_string).collect();
        let bang = if self.may_fail { "" } else { "!" };
        write!(f, "{bang} {} ({}) -> {}", self.name, args.join(", "), self.result)
    }
}
