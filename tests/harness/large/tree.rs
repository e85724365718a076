//! Programs as trees with types and bindings, so that one can be printed, measured and reduced.

use std::collections::BTreeSet;
use std::fmt::Write;

/// A size in source form: a name, a number, or a name plus a number.
#[derive(Clone, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub struct Dim(pub String);

impl Dim {
    pub fn new(text: &str) -> Dim {
        Dim(text.to_string())
    }

    /// Its value for these named sizes.
    pub fn value(&self, sizes: &[(String, usize)]) -> usize {
        let term = |text: &str| {
            let named = sizes.iter().find(|(name, _)| name == text).map(|(_, size)| *size);
            named.or_else(|| text.parse().ok()).unwrap_or(1)
        };
        self.0.split(" + ").map(term).sum()
    }

    fn names(&self, found: &mut Vec<String>) {
        found.extend(self.0.split(" + ").map(str::to_string));
    }

    fn renamed(&self, names: &[(String, Dim)]) -> Dim {
        let term =
            |text: &str| names.iter().find(|(name, _)| name == text).map_or(text.to_string(), |(_, d)| d.0.clone());
        Dim(self.0.split(" + ").map(term).collect::<Vec<_>>().join(" + "))
    }
}

/// A type; indices are `i64`s with additional facts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ty {
    Float,
    Int,
    Bool,
    /// A valid index of an axis of this size, if the axis has any.
    Place(Dim),
    /// Meant as an index of an axis of this size, and not always valid.
    Wild(Dim),
    Array(Vec<Dim>, Box<Ty>),
    Tuple(Vec<Ty>),
    /// `Body` with vectors of this size.
    Record(Dim),
    /// `Item` with vectors of this size.
    Sum(Dim),
}

/// The record and sum types that every program may use.
pub const TYPES: [(&str, &str); 2] = [
    ("Body", "type Body[c] = { p: §, tag: i64, v: [c]§, q: (§, §) }\n"),
    ("Item", "type Item[c] = One(§) | Two(§, §) | Row([c]§) | Count(i64, §) | Nil\n"),
];

impl Ty {
    pub fn floats(dims: &[&Dim]) -> Ty {
        Ty::Array(dims.iter().map(|d| (*d).clone()).collect(), Box::new(Ty::Float))
    }

    pub fn array(dims: &[&Dim], elem: Ty) -> Ty {
        Ty::Array(dims.iter().map(|d| (*d).clone()).collect(), Box::new(elem))
    }

    pub fn text(&self, single: bool) -> String {
        match self {
            Ty::Float => float_name(single).to_string(),
            Ty::Int | Ty::Place(_) | Ty::Wild(_) => "i64".to_string(),
            Ty::Bool => "bool".to_string(),
            Ty::Array(dims, elem) => {
                let axes: String = dims.iter().map(|d| format!("[{}]", d.0)).collect();
                axes + &elem.text(single)
            }
            Ty::Tuple(parts) => format!("({})", parts.iter().map(|p| p.text(single)).collect::<Vec<_>>().join(", ")),
            Ty::Record(c) => format!("Body[{}]", c.0),
            Ty::Sum(c) => format!("Item[{}]", c.0),
        }
    }

    /// Whether it consists only of floats, in one array or number.
    pub fn is_smooth(&self) -> bool {
        match self {
            Ty::Float => true,
            Ty::Array(_, elem) => **elem == Ty::Float,
            _ => false,
        }
    }

    /// The names of sizes that it mentions.
    pub fn sizes(&self, found: &mut Vec<String>) {
        match self {
            Ty::Array(dims, elem) => {
                dims.iter().for_each(|d| d.names(found));
                elem.sizes(found);
            }
            Ty::Record(d) | Ty::Sum(d) => d.names(found),
            Ty::Tuple(parts) => parts.iter().for_each(|part| part.sizes(found)),
            Ty::Float | Ty::Int | Ty::Bool | Ty::Place(_) | Ty::Wild(_) => {}
        }
    }

    pub fn renamed(&self, names: &[(String, Dim)]) -> Ty {
        match self {
            Ty::Place(d) => Ty::Place(d.renamed(names)),
            Ty::Wild(d) => Ty::Wild(d.renamed(names)),
            Ty::Record(d) => Ty::Record(d.renamed(names)),
            Ty::Sum(d) => Ty::Sum(d.renamed(names)),
            Ty::Array(dims, elem) => {
                Ty::Array(dims.iter().map(|d| d.renamed(names)).collect(), Box::new(elem.renamed(names)))
            }
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|p| p.renamed(names)).collect()),
            Ty::Float | Ty::Int | Ty::Bool => self.clone(),
        }
    }

    /// Whether a value of the other type can replace one of this: the machine type and the shape are the same, and a
    /// valid index stays one.
    pub fn takes(&self, other: &Ty) -> bool {
        match (self, other) {
            (Ty::Int | Ty::Wild(_), Ty::Int | Ty::Place(_) | Ty::Wild(_)) => true,
            (Ty::Array(a, s), Ty::Array(b, t)) => a == b && s.takes(t),
            _ => self == other,
        }
    }
}

pub fn float_name(single: bool) -> &'static str {
    if single { "f32" } else { "f64" }
}

/// An expression and its type.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    pub ty: Ty,
    pub kind: NodeKind,
}

#[derive(Clone, PartialEq, Debug)]
pub enum NodeKind {
    Var(String),
    /// A call of the definition with this name.
    Call(String, Vec<Node>),
    /// Text with expressions in it.
    Form(Vec<Piece>),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Piece {
    Text(String),
    Dim(Dim),
    /// A float, with its type where that is `f32`.
    Number(String),
    /// The name of the program's float type.
    FloatName,
    /// An expression in which these names are bound.
    Hole(Vec<(String, Ty)>, Node),
}

/// The filling of a hole in a form: an expression, and its bound variables.
pub type Filling = (Vec<(String, Ty)>, Node);

/// An expression without bound variables.
pub fn plain(node: Node) -> Filling {
    (Vec::new(), node)
}

/// An expression with one bound variable.
pub fn under(name: &str, ty: Ty, node: Node) -> Filling {
    (vec![(name.to_string(), ty)], node)
}

pub fn var(name: &str, ty: Ty) -> Node {
    Node { ty, kind: NodeKind::Var(name.to_string()) }
}

/// An expression from a template: `~` is the next filling, `#n#` a size, `^0.5^` a float and `§` the name of the float type.
pub fn form(ty: Ty, template: &str, fillings: Vec<Filling>) -> Node {
    let mut pieces = Vec::new();
    let mut fillings = fillings.into_iter();
    let mut rest = template;
    while let Some(at) = rest.find(['~', '#', '^', '§']) {
        let (before, from) = rest.split_at(at);
        if !before.is_empty() {
            pieces.push(Piece::Text(before.to_string()));
        }
        let mark = from.chars().next().unwrap_or(' ');
        rest = from.strip_prefix(mark).unwrap_or_default();
        match mark {
            '~' => {
                let (binds, node) = fillings.next().unwrap_or_else(|| plain(var("missing", Ty::Float)));
                pieces.push(Piece::Hole(binds, node));
            }
            '§' => pieces.push(Piece::FloatName),
            _ => {
                let (inside, after) = rest.split_once(mark).unwrap_or((rest, ""));
                rest = after;
                let text = inside.to_string();
                pieces.push(if mark == '#' { Piece::Dim(Dim(text)) } else { Piece::Number(text) });
            }
        }
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_string()));
    }
    Node { ty, kind: NodeKind::Form(pieces) }
}

impl Node {
    pub fn print(&self, single: bool, out: &mut String) {
        match &self.kind {
            NodeKind::Var(name) => out.push_str(name),
            NodeKind::Call(name, arguments) => {
                let _ = write!(out, "{name}(");
                for (k, argument) in arguments.iter().enumerate() {
                    out.push_str(if k > 0 { ", " } else { "" });
                    argument.print(single, out);
                }
                out.push(')');
            }
            NodeKind::Form(pieces) => pieces.iter().for_each(|piece| piece.print(single, out)),
        }
    }

    pub fn text(&self, single: bool) -> String {
        let mut out = String::new();
        self.print(single, &mut out);
        out
    }

    /// Its subexpressions, with their bound variables.
    pub fn holes(&self) -> Vec<(&[(String, Ty)], &Node)> {
        match &self.kind {
            NodeKind::Var(_) => Vec::new(),
            NodeKind::Call(_, arguments) => arguments.iter().map(|node| (&[][..], node)).collect(),
            NodeKind::Form(pieces) => pieces.iter().filter_map(Piece::hole).collect(),
        }
    }

    pub fn hole_mut(&mut self, at: usize) -> Option<&mut Node> {
        match &mut self.kind {
            NodeKind::Var(_) => None,
            NodeKind::Call(_, arguments) => arguments.get_mut(at),
            NodeKind::Form(pieces) => {
                let hole = |piece| if let &mut Piece::Hole(_, ref mut node) = piece { Some(node) } else { None };
                pieces.iter_mut().filter_map(hole).nth(at)
            }
        }
    }

    pub fn at_mut(&mut self, path: &[usize]) -> Option<&mut Node> {
        match path.split_first() {
            None => Some(self),
            Some((first, rest)) => self.hole_mut(*first)?.at_mut(rest),
        }
    }

    pub fn at(&self, path: &[usize]) -> Option<&Node> {
        match path.split_first() {
            None => Some(self),
            Some((first, rest)) => self.holes().get(*first)?.1.at(rest),
        }
    }

    /// The number of expressions in it.
    pub fn size(&self) -> usize {
        1 + self.holes().iter().map(|(_, node)| node.size()).sum::<usize>()
    }

    /// The names that it mentions and does not bind.
    pub fn free(&self) -> BTreeSet<String> {
        if let NodeKind::Var(name) = &self.kind {
            return BTreeSet::from([name.clone()]);
        }
        let mut free = BTreeSet::new();
        for (binds, node) in self.holes() {
            let inner = node.free().into_iter().filter(|name| binds.iter().all(|(bound, _)| bound != name));
            free.extend(inner);
        }
        free
    }

    /// The definitions that it calls.
    pub fn calls(&self, found: &mut BTreeSet<String>) {
        if let NodeKind::Call(name, _) = &self.kind {
            found.insert(name.clone());
        }
        self.holes().iter().for_each(|(_, node)| node.calls(found));
    }

    /// The names of sizes that its text mentions.
    pub fn sizes(&self, found: &mut Vec<String>) {
        if let NodeKind::Form(pieces) = &self.kind {
            for piece in pieces {
                if let Piece::Dim(dim) = piece {
                    dim.names(found);
                }
            }
        }
        self.holes().iter().for_each(|(_, node)| node.sizes(found));
    }

    /// Substitutes an expression for the free occurrences of a name.
    pub fn substitute(&mut self, name: &str, value: &Node) {
        match &mut self.kind {
            NodeKind::Var(own) => {
                if own == name {
                    *self = value.clone();
                }
            }
            NodeKind::Call(_, arguments) => arguments.iter_mut().for_each(|node| node.substitute(name, value)),
            NodeKind::Form(pieces) => {
                for piece in pieces {
                    if let Piece::Hole(binds, node) = piece
                        && binds.iter().all(|(bound, _)| bound != name)
                    {
                        node.substitute(name, value);
                    }
                }
            }
        }
    }

    /// With other names of sizes.
    pub fn renamed(&self, names: &[(String, Dim)]) -> Node {
        let kind = match &self.kind {
            NodeKind::Var(name) => NodeKind::Var(name.clone()),
            NodeKind::Call(name, nodes) => {
                NodeKind::Call(name.clone(), nodes.iter().map(|n| n.renamed(names)).collect())
            }
            NodeKind::Form(pieces) => NodeKind::Form(pieces.iter().map(|p| p.renamed(names)).collect()),
        };
        Node { ty: self.ty.renamed(names), kind }
    }
}

impl Piece {
    fn print(&self, single: bool, out: &mut String) {
        match self {
            Piece::Text(text) => out.push_str(text),
            Piece::Dim(dim) if dim.0.contains(' ') => {
                let _ = write!(out, "({})", dim.0);
            }
            Piece::Dim(dim) => out.push_str(&dim.0),
            Piece::Number(number) => {
                let suffix = if single { "f32" } else { "" };
                let (open, close) = if number.starts_with('-') { ("(", ")") } else { ("", "") };
                let _ = write!(out, "{open}{number}{suffix}{close}");
            }
            Piece::FloatName => out.push_str(float_name(single)),
            Piece::Hole(_, node) => node.print(single, out),
        }
    }

    fn hole(&self) -> Option<(&[(String, Ty)], &Node)> {
        if let Piece::Hole(binds, node) = self { Some((binds.as_slice(), node)) } else { None }
    }

    fn renamed(&self, names: &[(String, Dim)]) -> Piece {
        match self {
            Piece::Dim(dim) => Piece::Dim(dim.renamed(names)),
            Piece::Hole(binds, node) => {
                let binds = binds.iter().map(|(name, ty)| (name.clone(), ty.renamed(names))).collect();
                Piece::Hole(binds, node.renamed(names))
            }
            other => other.clone(),
        }
    }
}

/// The smallest expression of a type.
pub fn least(ty: &Ty) -> Node {
    let template = match ty {
        Ty::Float => "^0.5^".to_string(),
        Ty::Int => "1".to_string(),
        Ty::Place(_) | Ty::Wild(_) => "0".to_string(),
        Ty::Bool => "true".to_string(),
        Ty::Array(dims, elem) => {
            let axes: Vec<String> = dims.iter().enumerate().map(|(k, d)| format!("z{k} < #{}#", d.0)).collect();
            let template = format!("(for {} => ~)", axes.join(", "));
            return form(ty.clone(), &template, vec![plain(least(elem))]);
        }
        Ty::Tuple(parts) => {
            let template = format!("({})", vec!["~"; parts.len()].join(", "));
            return form(ty.clone(), &template, parts.iter().map(|part| plain(least(part))).collect());
        }
        Ty::Record(c) => format!("{{ p = ^0.5^, tag = 1, v = (for z < #{}# => ^0.5^), q = (^0.5^, ^0.25^) }}", c.0),
        Ty::Sum(c) => format!("(let z: Item[#{}#] = One(^0.5^) in z)", c.0),
    };
    form(ty.clone(), &template, Vec::new())
}
