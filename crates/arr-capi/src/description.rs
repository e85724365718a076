//! The interface of a compiled function, as data: the compiler writes it into the object, [`crate::call`] reads it.
//!
//! A C function gets one slot of eight bytes for each parameter behind the context: a scalar's bits, or a pointer to a
//! struct. Structs nest without pointers, so every leaf of a parameter is at a fixed offset.

use arr_base::{Polynomial, Scalar};
use std::mem::size_of;

/// The size of an array struct: the address of the elements and one `int64_t` per axis.
pub const fn array_bytes(rank: usize) -> usize {
    size_of::<u64>() * (1 + rank)
}

/// A parameter: its name and its type as written in the program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Argument {
    pub name: String,
    pub ty: String,
}

/// The location of a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At {
    /// The slot itself.
    Slot(usize),
    /// At this offset in bytes behind the address in a slot.
    Behind(usize, usize),
    /// Nowhere: it has only one possible value.
    Nowhere,
}

/// The size of an axis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dim {
    /// As in the program.
    pub text: String,
    /// Over the rows of the sizes and, behind them, of the leaves.
    pub size: Polynomial<usize>,
}

/// A leaf of a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    pub argument: usize,
    /// The path to it from the parameter, as in the program: `.mean`.
    pub path: String,
    pub at: At,
    pub elem: Scalar,
    /// Nothing for a scalar.
    pub dims: Option<Vec<Dim>>,
    /// The number of constructors, if the leaf is a tag.
    pub choices: usize,
    /// The constructors that contain it: the leaf of the tag, and its value there.
    pub carried_by: Vec<(usize, i64)>,
}

/// A leaf of the result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// The result's name in C and the path from it to the leaf: `d_p.mean`.
    pub name: String,
    pub at: At,
    pub elem: Scalar,
    /// Nothing for a scalar.
    pub rank: Option<usize>,
}

/// A position in the program, for messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceLocation {
    pub file: String,
    pub line: usize,
    pub column: usize,
}

/// An array constant: its elements are in the object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constant {
    pub elem: Scalar,
    pub len: usize,
}

/// A compiled function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Description {
    /// As in the program.
    pub name: String,
    /// The number of size parameters.
    pub sizes: usize,
    pub arguments: Vec<Argument>,
    /// In the order of the compiled function's parameters.
    pub leaves: Vec<Leaf>,
    /// In the order of its results.
    pub outputs: Vec<Output>,
    /// By the numbers in failures.
    pub places: Vec<Option<SourceLocation>>,
    pub constants: Vec<Constant>,
    /// Whether there are loops to divide between threads.
    pub divides: bool,
    /// Whether there are matrix products, which divide themselves.
    pub products: bool,
}

/// The number of the form that [`Description::encode`] writes: one more with every change of it.
pub(crate) const ENCODING: usize = 2;

/// A description in the form of an object: numbers, and the text that they point into.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Encoded {
    pub words: Vec<u64>,
    pub text: Vec<u8>,
}

const NOTHING: u64 = u64::MAX;

impl Encoded {
    fn number(&mut self, n: usize) {
        self.words.push(n as u64);
    }

    fn text(&mut self, text: &str) {
        let at = (self.text.len() as u64) << 32;
        self.text.extend(text.as_bytes());
        self.words.push(at | text.len() as u64);
    }

    fn list<T>(&mut self, items: &[T], mut each: impl FnMut(&mut Encoded, &T)) {
        self.number(items.len());
        items.iter().for_each(|item| each(self, item));
    }

    fn at(&mut self, at: At) {
        let (kind, slot, offset) = match at {
            At::Nowhere => (0, 0, 0),
            At::Slot(slot) => (1, slot, 0),
            At::Behind(slot, offset) => (2, slot, offset),
        };
        [kind, slot, offset].into_iter().for_each(|n| self.number(n));
    }

    fn elem(&mut self, elem: Scalar) {
        self.number(elem as usize);
    }

    fn leaf(&mut self, leaf: &Leaf) {
        self.number(leaf.argument);
        self.text(&leaf.path);
        self.at(leaf.at);
        self.elem(leaf.elem);
        match &leaf.dims {
            None => self.words.push(NOTHING),
            Some(dims) => self.list(dims, |e, dim| {
                e.text(&dim.text);
                e.number(dim.size.terms.len());
                for (factors, &coefficient) in &dim.size.terms {
                    e.words.push(coefficient as u64);
                    e.list(factors, |e, &factor| e.number(factor));
                }
            }),
        }
        self.number(leaf.choices);
        self.list(&leaf.carried_by, |e, (tag, value)| {
            e.number(*tag);
            e.words.push(*value as u64);
        });
    }
}

impl Description {
    pub fn encode(&self) -> Encoded {
        let mut e = Encoded::default();
        e.text(&self.name);
        e.number(self.sizes);
        e.list(&self.arguments, |e, argument| {
            e.text(&argument.name);
            e.text(&argument.ty);
        });
        e.list(&self.leaves, Encoded::leaf);
        e.list(&self.outputs, |e, output| {
            e.text(&output.name);
            e.at(output.at);
            e.elem(output.elem);
            e.words.push(output.rank.map_or(NOTHING, |n| n as u64));
        });
        e.list(&self.places, |e, place| match place {
            None => e.words.push(NOTHING),
            Some(place) => {
                e.number(place.line);
                e.number(place.column);
                e.text(&place.file);
            }
        });
        e.list(&self.constants, |e, constant| {
            e.elem(constant.elem);
            e.number(constant.len);
        });
        e.number(usize::from(self.divides));
        e.number(usize::from(self.products));
        e
    }

    /// Decodes the output of [`Description::encode`]; `None` for anything else.
    pub fn decode(words: &[u64], text: &[u8]) -> Option<Description> {
        let mut d = Decoder { words: words.iter(), text };
        Some(Description {
            name: d.text()?,
            sizes: d.number()?,
            arguments: d.list(|d| Some(Argument { name: d.text()?, ty: d.text()? }))?,
            leaves: d.list(Decoder::leaf)?,
            outputs: d.list(|d| Some(Output { name: d.text()?, at: d.at()?, elem: d.elem()?, rank: d.option()? }))?,
            places: d.list(|d| {
                Some(match d.option()? {
                    None => None,
                    Some(line) => Some(SourceLocation { line, column: d.number()?, file: d.text()? }),
                })
            })?,
            constants: d.list(|d| Some(Constant { elem: d.elem()?, len: d.number()? }))?,
            divides: d.number()? != 0,
            products: d.number()? != 0,
        })
    }
}

struct Decoder<'a> {
    words: std::slice::Iter<'a, u64>,
    text: &'a [u8],
}

impl Decoder<'_> {
    fn number(&mut self) -> Option<usize> {
        usize::try_from(*self.words.next()?).ok()
    }

    fn integer(&mut self) -> Option<i64> {
        self.words.next().map(|&word| word as i64)
    }

    fn option(&mut self) -> Option<Option<usize>> {
        match *self.words.next()? {
            NOTHING => Some(None),
            n => Some(Some(usize::try_from(n).ok()?)),
        }
    }

    fn text(&mut self) -> Option<String> {
        let word = self.number()?;
        let (at, len) = (word >> 32, word & 0xffff_ffff);
        String::from_utf8(self.text.get(at..at.checked_add(len)?)?.to_vec()).ok()
    }

    fn list<T>(&mut self, each: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        self.items(count, each)
    }

    fn items<T>(&mut self, count: usize, mut each: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        (0..count).map(|_| each(self)).collect()
    }

    fn at(&mut self) -> Option<At> {
        let (kind, slot, offset) = (self.number()?, self.number()?, self.number()?);
        Some(match kind {
            0 => At::Nowhere,
            1 => At::Slot(slot),
            2 => At::Behind(slot, offset),
            _ => return None,
        })
    }

    fn elem(&mut self) -> Option<Scalar> {
        Scalar::ALL.get(self.number()?).copied()
    }

    fn leaf(&mut self) -> Option<Leaf> {
        Some(Leaf {
            argument: self.number()?,
            path: self.text()?,
            at: self.at()?,
            elem: self.elem()?,
            dims: match self.option()? {
                None => None,
                Some(rank) => Some(self.items(rank, Decoder::dim)?),
            },
            choices: self.number()?,
            carried_by: self.list(|d| Some((d.number()?, d.integer()?)))?,
        })
    }

    fn dim(&mut self) -> Option<Dim> {
        let text = self.text()?;
        let mut size = Polynomial::default();
        for (coefficient, factors) in self.list(|d| Some((d.integer()?, d.list(Decoder::number)?)))? {
            size.add_term(factors, coefficient);
        }
        Some(Dim { text, size })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn example() -> Description {
        let dim = |text: &str, size| Dim { text: text.to_string(), size };
        let row = |at: usize, times: i64| Polynomial::var(at).mul(&Polynomial::constant(times));
        let leaf = Leaf {
            argument: 0,
            path: ".mean".to_string(),
            at: At::Behind(0, 16),
            elem: Scalar::F64,
            dims: Some(vec![dim("k", row(0, 1)), dim("2 * d - 1", row(1, 2).sub(&Polynomial::constant(1)))]),
            choices: 0,
            carried_by: vec![(3, 1)],
        };
        let tag =
            Leaf { dims: None, choices: 2, at: At::Slot(1), elem: Scalar::I64, path: String::new(), ..leaf.clone() };
        Description {
            name: "f'".to_string(),
            sizes: 2,
            arguments: vec![Argument { name: "p".to_string(), ty: "Mixture[k, d]".to_string() }],
            leaves: vec![leaf, tag],
            outputs: vec![
                Output { name: String::new(), at: At::Nowhere, elem: Scalar::Bool, rank: None },
                Output { name: "d_p.mean".to_string(), at: At::Behind(4, 8), elem: Scalar::U32, rank: Some(0) },
            ],
            places: vec![None, Some(SourceLocation { file: "é.arr".to_string(), line: 3, column: 7 })],
            constants: vec![Constant { elem: Scalar::I32, len: 5 }],
            divides: true,
            products: false,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let encoded = example().encode();
        assert_eq!(Description::decode(&encoded.words, &encoded.text), Some(example()));
    }

    #[test]
    fn what_is_cut_short_is_not_read() {
        let encoded = example().encode();
        for len in 0..encoded.words.len() {
            assert_eq!(Description::decode(&encoded.words[..len], &encoded.text), None);
        }
    }
}
