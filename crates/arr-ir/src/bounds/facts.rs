//! Known facts about integers at a point of a function: definitions, inequalities, and the scopes they hold in.

use super::answers::{Answers, Known};
use super::earlier::Earlier;
use crate::integers::poly_of;
use crate::{Atom, Func, Poly, Prim, SizeId, VarId};
use arr_base::IdMap;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Polynomials with more terms, or of higher degree, become symbols.
const MAX_TERMS: usize = 12;
const MAX_DEGREE: usize = 4;
/// The magnitude of a size name, in bits.
const SIZE_BITS: u32 = arr_base::MAX_SIZE.ilog2();
/// Integers of this many bits, and the sum of two, fit in `i64`.
const MAX_BITS: u32 = 62;
/// The greatest coefficient in calculations: products of two are far from wrapping.
const MAX_COEFFICIENT: u64 = 1 << 44;

/// The definition of a variable, beyond its polynomial.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Def {
    /// Quotient, rounded toward negative infinity.
    Quotient(Poly, Poly),
    Min(Poly, Poly),
    Max(Poly, Poly),
    /// The first where the condition holds, otherwise the second. From a `select` or an `if`.
    Choice(Atom, Poly, Poly),
    /// A comparison or connective of conditions.
    Condition(Prim, Vec<Atom>),
    /// A truth value, with the polynomials that are not negative if it is true and if it is false.
    Known {
        yes: Vec<Poly>,
        no: Vec<Poly>,
    },
}

/// The definition of a symbol.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Term {
    Prim(Prim, Vec<Poly>),
    /// An element of an array.
    Read(VarId, Vec<Poly>),
}

/// What the elements of an array of truth values imply about their own point.
#[derive(Clone, Debug)]
pub(super) struct Conditions {
    pub point: Vec<VarId>,
    pub yes: Vec<Poly>,
    pub no: Vec<Poly>,
}

/// Bounds of the elements of an array of integers: at least the first, at most the second.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Elements {
    pub(super) low: Vec<Poly>,
    pub(super) high: Vec<Poly>,
}

/// The facts known at a point of a function. Statements are added in program order; facts from conditions and checks
/// hold until the scope in which they were added is left.
#[derive(Clone)]
pub struct Bounds {
    pub(super) defs: IdMap<VarId, Def>,
    /// Variables that are polynomials over others.
    pub(super) polys: IdMap<VarId, Poly>,
    /// The greatest number of bits of an integer's magnitude, where it is known: arithmetic on it does not wrap as long
    /// as the result fits.
    pub(super) bits: IdMap<VarId, u32>,
    /// The extents of existing arrays: computing them did not wrap.
    pub(super) dims: Vec<SizeId>,
    /// The element counts of these arrays, where they are products: computing them did not wrap, either.
    pub(super) counts: Vec<Poly>,
    /// Not negative where they are in scope.
    pub(super) natural: IdMap<VarId, ()>,
    /// Polynomials that are not negative.
    pub(super) facts: Vec<Rc<Poly>>,
    /// The facts that mention a variable.
    pub(super) mentions: IdMap<VarId, Vec<usize>>,
    /// The facts whose constant is negative.
    pub(super) negative: Vec<usize>,
    pub(super) elements: IdMap<VarId, Elements>,
    pub(super) conditions: IdMap<VarId, Conditions>,
    /// The symbols given to arithmetic, so that equal arithmetic has one symbol.
    pub(super) symbols: FxHashMap<Rc<Term>, VarId>,
    /// The definitions of symbols, whatever scope they are in.
    pub(super) terms: IdMap<VarId, Rc<Term>>,
    /// What was checked at all points of earlier nests and loops.
    pub(super) earlier: Vec<Rc<Earlier>>,
    /// How many scopes were open where a variable was bound. A variable that is missing here is bound by a block.
    pub(super) depths: IdMap<VarId, usize>,
    /// The extent of each index's axis.
    pub(super) extents: IdMap<VarId, Poly>,
    /// Whether the facts contradict each other: the code that follows never runs.
    pub(super) unreachable: bool,
    /// All facts and natural variables.
    pub(super) known: Known,
    /// Shared with all copies.
    pub(super) answers: Rc<RefCell<Answers>>,
    scopes: Vec<Scope>,
}

/// Facts that hold only until a scope is left.
#[derive(Clone, Default)]
struct Scope {
    facts: usize,
    natural: Vec<VarId>,
    limited: Vec<VarId>,
    dims: usize,
    counts: usize,
    symbols: Vec<Rc<Term>>,
    earlier: usize,
    /// The axes of a nest or a loop, whose body runs for each of their points.
    axes: Vec<VarId>,
    unreachable: bool,
    known: Known,
}

impl Bounds {
    /// The facts at the start of a function: its sizes, and the extents of its parameters, are not negative.
    pub fn new(func: &Func) -> Bounds {
        let mut bounds = Bounds {
            defs: IdMap::default(),
            polys: IdMap::default(),
            bits: IdMap::default(),
            dims: Vec::new(),
            counts: Vec::new(),
            natural: IdMap::default(),
            facts: Vec::new(),
            mentions: IdMap::default(),
            negative: Vec::new(),
            elements: IdMap::default(),
            conditions: IdMap::default(),
            symbols: FxHashMap::default(),
            terms: IdMap::default(),
            earlier: Vec::new(),
            depths: func.sizes.iter().chain(&func.params).map(|&v| (v, 0)).collect(),
            extents: IdMap::default(),
            unreachable: false,
            known: Known::default(),
            answers: Rc::default(),
            scopes: Vec::new(),
        };
        for &size in &func.sizes {
            bounds.bits.insert(size, SIZE_BITS);
            bounds.natural.insert(size, ());
        }
        for &param in &func.params {
            bounds.note_array(func, &func.ty(param).dims);
            for &dim in &func.ty(param).dims {
                let poly = bounds.size(func, dim);
                if !bounds.is_natural(&poly) {
                    bounds.add_fact(poly);
                }
            }
        }
        bounds
    }

    /// Opens a scope: anything assumed from here on is forgotten when it is left.
    pub fn enter(&mut self) {
        self.scopes.push(Scope {
            facts: self.facts.len(),
            unreachable: self.unreachable,
            known: self.known,
            dims: self.dims.len(),
            counts: self.counts.len(),
            earlier: self.earlier.len(),
            ..Scope::default()
        });
    }

    /// Leaves the innermost scope.
    pub fn leave(&mut self) {
        let Some(scope) = self.scopes.pop() else { return };
        self.unreachable = scope.unreachable;
        self.known = scope.known;
        self.dims.truncate(scope.dims);
        self.counts.truncate(scope.counts);
        // The numbers of facts ascend, as facts are added at the end.
        for dropped in (scope.facts..self.facts.len()).rev() {
            let Some(fact) = self.facts.pop() else { break };
            for v in fact.vars() {
                if let Some(list) = self.mentions.get_mut(&v) {
                    list.truncate(list.partition_point(|&k| k < dropped));
                }
            }
            self.negative.truncate(self.negative.partition_point(|&k| k < dropped));
        }
        scope.natural.iter().for_each(|v| {
            self.natural.remove(v);
        });
        scope.limited.iter().for_each(|v| {
            self.bits.remove(v);
        });
        scope.symbols.iter().for_each(|key| {
            self.symbols.remove(key);
        });
        if scope.axes.is_empty() {
            self.earlier.truncate(scope.earlier);
        } else {
            let axes = scope.axes.iter().filter_map(|v| Some((*v, self.extents.get(v)?.clone())));
            let axes: Vec<(VarId, Poly)> = axes.collect();
            self.generalise(scope.earlier, &axes);
        }
    }

    /// The number of open scopes.
    pub(super) fn depth(&self) -> usize {
        self.scopes.len()
    }

    /// Adds an axis of the operation whose body is the innermost scope.
    pub(super) fn add_axis(&mut self, index: VarId, extent: Poly) {
        self.depths.insert(index, self.depth());
        self.extents.insert(index, extent);
        if let Some(scope) = self.scopes.last_mut() {
            scope.axes.push(index);
        }
    }

    /// Gives a term a symbol, until the scope is left.
    pub(super) fn add_symbol(&mut self, key: Term, var: VarId) {
        let key = Rc::new(key);
        if let Some(scope) = self.scopes.last_mut() {
            scope.symbols.push(key.clone());
        }
        self.terms.insert(var, key.clone());
        self.symbols.insert(key, var);
    }

    /// Adds the fact that a polynomial is not negative, until the scope is left.
    pub fn add_fact(&mut self, fact: Poly) {
        if let Some(v) = fact.as_var() {
            self.set_natural(v);
            return;
        }
        if let Some(constant) = fact.as_constant() {
            self.unreachable |= constant < 0;
            return;
        }
        if self.is_natural(&fact) || !is_tame(&fact) {
            return;
        }
        self.known = self.answers.borrow_mut().with(self.known, &fact);
        let at = self.facts.len();
        for v in fact.vars() {
            self.mentions.or_default(v).push(at);
        }
        if fact.terms.get(&[]).is_some_and(|&c| c < 0) {
            self.negative.push(at);
        }
        self.facts.push(Rc::new(fact));
    }

    /// The facts that mention a variable, in the order in which they were added.
    pub(super) fn facts_about(&self, v: VarId) -> impl DoubleEndedIterator<Item = &Poly> {
        self.mentions.get(&v).into_iter().flatten().filter_map(|&k| self.facts.get(k).map(|fact| &**fact))
    }

    /// The definition of a symbol.
    pub(super) fn term(&self, v: VarId) -> Option<&Term> {
        self.terms.get(&v).map(|term| &**term)
    }

    pub(super) fn set_natural(&mut self, v: VarId) {
        if self.natural.insert(v, ()).is_some() {
            return;
        }
        self.known = self.answers.borrow_mut().with(self.known, &Poly::var(v));
        if let Some(scope) = self.scopes.last_mut() {
            scope.natural.push(v);
        }
    }

    /// Adds that an array of these extents exists.
    pub(super) fn note_array(&mut self, func: &Func, dims: &[SizeId]) {
        for &dim in dims {
            if !self.dims.contains(&dim) {
                self.dims.push(dim);
            }
        }
        let count = dims.iter().fold(Poly::constant(1), |n, &dim| {
            if is_small(&n) && is_tame(&n) { n.mul(&self.size(func, dim)) } else { n }
        });
        self.note_count(&count);
    }

    /// Adds that the magnitude of an integer takes this many bits, if the number is known and not too large.
    pub(super) fn limit(&mut self, v: VarId, bits: Option<u32>) {
        let Some(bits) = bits.filter(|&b| b <= MAX_BITS) else { return };
        if self.bits.contains_key(&v) {
            return;
        }
        self.bits.insert(v, bits);
        if let Some(scope) = self.scopes.last_mut() {
            scope.limited.push(v);
        }
        self.relate(v);
    }

    /// Whether a variable's limit was known before the innermost scope was entered: it means the same outside.
    pub(super) fn is_from_outside(&self, v: VarId) -> bool {
        self.bits.contains_key(&v) && !self.scopes.last().is_some_and(|scope| scope.limited.contains(&v))
    }

    /// Equates a sum that was a symbol with its definition, now that nothing in it wraps.
    fn relate(&mut self, v: VarId) {
        let sum_of = |(term, &symbol): (&Rc<Term>, &VarId)| {
            let Term::Prim(prim, args) = &**term else { return None };
            let [a, b] = args.as_slice() else { return None };
            let sum = match prim {
                Prim::Add => a.add(b),
                Prim::Sub => a.sub(b),
                _ => return None,
            };
            ((symbol == v || sum.vars().contains(&v)) && is_small(&sum)).then_some((symbol, sum))
        };
        let mut sums: Vec<(VarId, Poly)> = self.symbols.iter().filter_map(sum_of).collect();
        sums.sort_by_key(|(symbol, _)| *symbol);
        for (symbol, sum) in sums {
            let unknown: Vec<VarId> = sum.vars().into_iter().filter(|w| !self.bits.contains_key(w)).collect();
            match unknown.as_slice() {
                [] if self.is_exact(&sum) => {}
                // If the sum is limited, as are all its terms but one, so is that one: neither wrapped.
                [w] if matches!(sum.terms.get(&[*w]), Some(1 | -1)) && is_linear_in(&sum, *w) => {
                    let mut others = sum.sub(&Poly::var(symbol));
                    others.terms.remove(&[*w]);
                    let bits = self.bits_of(&others);
                    if bits.is_none_or(|b| b > MAX_BITS) {
                        continue;
                    }
                    self.limit(*w, bits);
                }
                _ => continue,
            }
            let rest = sum.sub(&Poly::var(symbol));
            self.add_fact(rest.clone());
            self.add_fact(rest.neg());
        }
    }

    /// Whether the elements of an array are known to be within bounds, or to imply something about their point.
    pub fn bounds_elements(&self, array: VarId) -> bool {
        self.elements.contains_key(&array) || self.conditions.contains_key(&array)
    }

    /// An `i64` as a polynomial; `None` for anything else.
    pub fn poly(&self, func: &Func, atom: Atom) -> Option<Poly> {
        poly_of(func, |v| self.polys.get(v), atom)
    }

    /// A size, with its variables replaced by their definitions.
    pub(super) fn size(&self, func: &Func, size: SizeId) -> Poly {
        func.types.poly(size).substitute(&mut |v| self.polys.get(&v).cloned())
    }

    /// The greatest number of bits of a polynomial's magnitude; `None` if a variable has no known limit.
    pub(super) fn bits_of(&self, poly: &Poly) -> Option<u32> {
        let mut most = 0;
        for (monomial, c) in &poly.terms {
            let mut bits = u64::BITS - c.unsigned_abs().leading_zeros();
            for v in monomial {
                bits = bits.saturating_add(*self.bits.get(v)?);
            }
            most = most.max(bits);
        }
        let terms = usize::BITS - poly.terms.len().saturating_sub(1).leading_zeros();
        Some(most.saturating_add(terms))
    }

    /// Whether computing the polynomial cannot wrap.
    pub(super) fn is_exact(&self, poly: &Poly) -> bool {
        self.bits_of(poly).is_some_and(|bits| bits <= MAX_BITS)
    }

    /// Whether no term can be negative.
    pub(super) fn is_natural(&self, poly: &Poly) -> bool {
        poly.terms.iter().all(|(m, &c)| c >= 0 && m.iter().all(|v| self.natural.contains_key(v)))
    }
}

/// Whether a polynomial is small enough to calculate with.
pub(super) fn is_small(poly: &Poly) -> bool {
    poly.terms.len() <= MAX_TERMS && poly.terms.keys().all(|m| m.len() <= MAX_DEGREE)
}

/// Whether a variable occurs only in terms of degree one.
fn is_linear_in(poly: &Poly, v: VarId) -> bool {
    poly.terms.keys().filter(|m| m.contains(&v)).all(|m| m.len() == 1)
}

/// Whether coefficients are small enough to calculate with.
pub(super) fn is_tame(poly: &Poly) -> bool {
    poly.terms.values().all(|c| c.unsigned_abs() <= MAX_COEFFICIENT)
}
