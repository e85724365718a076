//! Scans: loops of the program that carry scalars from one iteration to the next by an associative step.
//!
//! A step is associative if the steps of many iterations together are again one of its kind: `s + t`, `s * t`, `max(s, t)`,
//! or `a * s + b` with `t`, `a`, `b` that do not depend on `s`. Such a loop can be done in chunks. A first pass over each
//! chunk finds its step as a whole (the *summary*), these give the state that each chunk begins with (*advance*), and a
//! second pass does the iterations as they are. Every iteration writes elements of its own, so chunks are independent
//! once their first states are known.
//!
//! Integers, bools, and `max` and `min` give the same bits as in order. Floats with `+` and `*` do not: they are found in
//! relaxed code only, and there a chunk's summary is used only where it is sound: no step magnifies (`|a| <= 1`) and
//! the state stays finite. Past any other chunk the state is what its iterations leave, as in order.

use crate::emit::operands_of;
use crate::{Expr, For, LocalId, LocalInfo, LoopFunc, Operand, SpanId, Stmt, Ty};
use arr_ir::{Const, Prim, Scalar};
use std::collections::{HashMap, HashSet};

/// How a loop can be done in chunks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scan {
    /// To be done before: the arrays that iterations write become the loop's own.
    pub before: Vec<Stmt>,
    /// To be done after: they are the state again.
    pub after: Vec<Stmt>,
    /// An iteration, which manages no memory. It fails only where the summary does.
    pub body: Vec<Stmt>,
    pub states: Vec<ScanState>,
    /// What an iteration adds to the summary of a chunk, which is the values of `parts`. Writes nothing.
    pub summary: Vec<Stmt>,
    pub parts: Vec<ScanPart>,
    /// From the states before a chunk, `entry`, and its parts to those after it, `next`.
    pub advance: Vec<Stmt>,
    /// Whether `next` may be used; where it may not, a chunk is done before the next begins. Bound by `advance`.
    pub sound: Option<Operand>,
    /// The states have the same bits as in order.
    pub exact: bool,
    /// The summary may be taken in any order: it is made of sums, and fails nowhere.
    pub commutes: bool,
}

/// A scalar that is carried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScanState {
    /// Mutable, declared around the loop.
    pub local: LocalId,
    pub step: ScanStep,
    pub entry: LocalId,
    pub next: Operand,
}

/// The kind of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScanStep {
    /// The state stays.
    Same,
    /// `op(s, t)`
    By(Prim),
    /// `a * s + b`
    Linear,
}

/// A part of the summary of a chunk, a mutable local.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScanPart {
    pub local: LocalId,
    /// That of no iterations.
    pub init: Const,
}

/// Summaries of more statements are not made: they would cost as much as the loop.
const LONGEST: usize = 40;

/// Marks the loops of the program that are scans.
pub(crate) fn mark(func: &mut LoopFunc, relaxed: bool) {
    let names = func.locals.iter().map(|(_, info)| info.name.clone()).collect();
    let mut body = std::mem::take(&mut func.body);
    let mut scope = Scope { func, names, relaxed };
    scope.block(&mut body);
    func.body = body;
}

struct Scope<'a> {
    func: &'a mut LoopFunc,
    names: HashSet<String>,
    relaxed: bool,
}

impl Scope<'_> {
    fn block(&mut self, stmts: &mut [Stmt]) {
        for stmt in stmts {
            match stmt {
                // Loops in kernels are not divided: the kernel is.
                Stmt::For(l) if l.counted => {
                    l.scan = Finder::new(self, l).and_then(|finder| finder.find(l)).map(Box::new);
                    if l.scan.is_none() {
                        self.block(&mut l.body);
                    }
                }
                Stmt::While(l) => self.block(&mut l.body),
                Stmt::If { then_body, else_body, .. } => {
                    self.block(then_body);
                    self.block(else_body);
                }
                _ => {}
            }
        }
    }

    fn local(&mut self, hint: &str, ty: Ty, mutable: bool) -> LocalId {
        let mut name = hint.to_string();
        let mut count = 1;
        while !self.names.insert(name.clone()) {
            count += 1;
            name = format!("{hint}.{count}");
        }
        self.func.locals.push(LocalInfo { name, ty, mutable })
    }
}

/// What a value of the body is to the state.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Form {
    /// Does not depend on it.
    Free,
    /// A step of one scalar of the state. `None` stands for a factor of one, nothing added, nothing compared with.
    Linear {
        of: LocalId,
        ratio: Option<Operand>,
        offset: Option<Operand>,
    },
    Lattice {
        of: LocalId,
        prim: Prim,
        bound: Operand,
    },
    Other,
}

/// An array of the state.
struct Array {
    state: LocalId,
    /// The array as the loop's own, and its elements.
    own: LocalId,
    data: LocalId,
    /// Where it is made unique, if iterations write it.
    unique: Option<SpanId>,
    stored: bool,
    /// The operands of every offset that is read or written.
    places: Vec<Vec<Operand>>,
}

struct Finder<'a, 'b> {
    scope: &'a mut Scope<'b>,
    sets: Vec<(LocalId, Operand)>,
    /// The locals of the loop and what they are bound to.
    bound: HashMap<LocalId, Option<Expr>>,
    /// Steps of inductions.
    inductions: HashMap<LocalId, Operand>,
    index: LocalId,
    forms: HashMap<LocalId, Form>,
    arrays: Vec<Array>,
    /// Names of the state's arrays in an iteration, as rows of `arrays`.
    buffers: HashMap<LocalId, usize>,
    /// Places in them: the row, and what was added to the address.
    addresses: HashMap<LocalId, (usize, Vec<Operand>)>,
    /// Locals of the body that are gone in the scan's.
    moved: HashMap<LocalId, LocalId>,
    /// The summary's copies of the body's locals.
    copies: HashMap<LocalId, Operand>,
    body: Vec<Stmt>,
    summary: Vec<Stmt>,
}

impl<'a, 'b> Finder<'a, 'b> {
    /// `None` if the loop does not end with its state being set.
    fn new(scope: &'a mut Scope<'b>, l: &For) -> Option<Finder<'a, 'b>> {
        let first = l.body.iter().position(|s| matches!(s, Stmt::Set { .. }))?;
        let sets = l.body.get(first..)?.iter().map(|stmt| match stmt {
            Stmt::Set { local, value } => Some((*local, *value)),
            _ => None,
        });
        let sets = sets.collect::<Option<Vec<_>>>()?;
        let inductions: HashMap<_, _> = l.inductions.iter().map(|i| (i.local, i.step)).collect();
        let bound = inductions.keys().map(|&local| (local, None)).chain([(l.index, None)]).collect();
        Some(Finder {
            scope,
            sets,
            bound,
            inductions,
            index: l.index,
            forms: HashMap::new(),
            arrays: Vec::new(),
            buffers: HashMap::new(),
            addresses: HashMap::new(),
            moved: HashMap::new(),
            copies: HashMap::new(),
            body: Vec::new(),
            summary: Vec::new(),
        })
    }

    fn find(mut self, l: &For) -> Option<Scan> {
        for stmt in &l.body {
            self.stmt(stmt)?;
        }
        let writes = self.arrays.iter().any(|array| array.stored);
        let apart = self.arrays.iter().all(|array| !array.stored || self.is_own_place(&array.places));
        (writes && apart).then_some(())?;
        self.finish()
    }

    fn is_state(&self, local: LocalId) -> bool {
        self.sets.iter().any(|&(target, _)| target == local)
    }

    fn form(&self, operand: Operand) -> Form {
        match operand {
            Operand::Const(_) => Form::Free,
            Operand::Local(local) if self.is_state(local) => Form::Other,
            Operand::Local(local) => self.forms.get(&local).copied().unwrap_or(Form::Free),
        }
    }

    fn is_free(&self, operand: Operand) -> bool {
        self.form(operand) == Form::Free
    }

    fn stmt(&mut self, stmt: &Stmt) -> Option<()> {
        match stmt {
            Stmt::Let { local, expr } => {
                self.bound.insert(*local, Some(expr.clone()));
                self.bind(*local, expr)
            }
            Stmt::MakeUnique { local, buffer, span } => {
                let row = *self.buffers.get(buffer)?;
                self.bound.insert(*local, None);
                self.buffers.insert(*local, row);
                self.arrays.get_mut(row)?.unique.get_or_insert(*span);
                Some(())
            }
            Stmt::Store { address, offset, value } => {
                self.is_free(*offset).then_some(())?;
                let row = self.touch(*address, *offset)?;
                self.arrays.get_mut(row)?.stored = true;
                let address = self.moved.get(address).copied().unwrap_or(*address);
                self.body.push(Stmt::Store { address, offset: *offset, value: *value });
                Some(())
            }
            Stmt::Check { demand, args, span } => {
                args.iter().all(|&a| self.is_free(a)).then_some(())?;
                self.body.push(stmt.clone());
                let args = args.iter().map(|&a| self.copy_of(a)).collect();
                self.summary.push(Stmt::Check { demand: *demand, args, span: *span });
                Some(())
            }
            Stmt::Set { local, value } => {
                if matches!(self.scope.func.ty(*local), Ty::Scalar(_)) {
                    self.body.push(stmt.clone());
                    return Some(());
                }
                let &Operand::Local(value) = value else { return None };
                let row = *self.buffers.get(&value)?;
                (self.arrays.get(row)?.state == *local).then_some(())
            }
            _ => None,
        }
    }

    fn bind(&mut self, local: LocalId, expr: &Expr) -> Option<()> {
        let form = match expr {
            Expr::Copy(Operand::Local(state)) if self.is_state(*state) => match self.scope.func.ty(*state) {
                Ty::Scalar(_) => Form::Linear { of: *state, ratio: None, offset: None },
                Ty::Buffer(elem) => {
                    let row = self.array(*state, elem);
                    self.buffers.insert(local, row);
                    return Some(());
                }
                Ty::Address(_) => return None,
            },
            Expr::Copy(operand) => self.form(*operand),
            Expr::Data(buffer) => match self.buffers.get(buffer) {
                Some(&row) => {
                    let data = self.arrays.get(row)?.data;
                    self.addresses.insert(local, (row, Vec::new()));
                    self.moved.insert(local, data);
                    return Some(());
                }
                None => Form::Free,
            },
            Expr::Offset(address, offset) => {
                self.is_free(*offset).then_some(())?;
                if let Some((row, mut place)) = self.addresses.get(address).cloned() {
                    place.push(*offset);
                    self.addresses.insert(local, (row, place));
                }
                Form::Free
            }
            Expr::Load(address, offset) => match (self.addresses.contains_key(address), self.is_free(*offset)) {
                (true, true) => {
                    let row = self.touch(*address, *offset)?;
                    // What this iteration wrote is not there when the summary is made.
                    if self.arrays.get(row)?.stored { Form::Other } else { Form::Free }
                }
                (true, false) => return None,
                (false, free) => {
                    if free {
                        Form::Free
                    } else {
                        Form::Other
                    }
                }
            },
            Expr::Prim(prim, args) => self.step(*prim, args),
            Expr::Literal(_) => return None,
        };
        self.body.push(Stmt::Let { local, expr: self.renamed(expr, false) });
        if form != Form::Free {
            self.forms.insert(local, form);
            return Some(());
        }
        let expr = self.renamed(expr, true);
        let LocalInfo { name, ty, .. } = self.scope.func.locals[local].clone();
        let copy = self.scope.local(&name, ty, false);
        self.copies.insert(local, copy.into());
        self.summary.push(Stmt::Let { local: copy, expr });
        Some(())
    }

    /// The row of an array of the state.
    fn array(&mut self, state: LocalId, elem: Scalar) -> usize {
        if let Some(row) = self.arrays.iter().position(|array| array.state == state) {
            return row;
        }
        let name = self.scope.func.locals[state].name.clone();
        let own = self.scope.local(&format!("{name}.own"), Ty::Buffer(elem), false);
        let data = self.scope.local(&format!("{name}.own.data"), Ty::Address(elem), false);
        self.arrays.push(Array { state, own, data, unique: None, stored: false, places: Vec::new() });
        self.arrays.len() - 1
    }

    /// Notes that a place of an array of the state is read or written.
    fn touch(&mut self, address: LocalId, offset: Operand) -> Option<usize> {
        let (row, mut place) = self.addresses.get(&address).cloned()?;
        place.push(offset);
        self.arrays.get_mut(row)?.places.push(place);
        Some(row)
    }

    /// Whether an iteration reads and writes one place that no other does.
    fn is_own_place(&self, places: &[Vec<Operand>]) -> bool {
        let [first, others @ ..] = places else { return false };
        let varies = |operand: &Operand| matches!(operand, Operand::Local(local) if self.bound.contains_key(local));
        let mut varying = first.iter().filter(|&operand| varies(operand));
        let (Some(Operand::Local(place)), None) = (varying.next(), varying.next()) else { return false };
        let index = Operand::Local(self.index);
        let moves = match self.bound.get(place) {
            _ if *place == self.index => true,
            _ if self.inductions.contains_key(place) => {
                self.inductions.get(place).and_then(|step| step.as_int()).is_some_and(|step| step != 0)
            }
            Some(Some(Expr::Prim(Prim::Add | Prim::Sub, args))) => {
                matches!(args.as_slice(), [a, b] if (*a == index && !varies(b)) || (*b == index && !varies(a)))
            }
            _ => false,
        };
        moves && others.iter().all(|other| other == first)
    }

    fn copy_of(&self, operand: Operand) -> Operand {
        match operand {
            Operand::Local(local) => match (self.copies.get(&local), self.moved.get(&local)) {
                (Some(&copy), _) => copy,
                (_, Some(&moved)) => moved.into(),
                _ => operand,
            },
            Operand::Const(_) => operand,
        }
    }

    /// An expression for the scan's body, or for its summary.
    fn renamed(&self, expr: &Expr, summary: bool) -> Expr {
        let operand = |o: Operand| match o {
            _ if summary => self.copy_of(o),
            Operand::Local(local) => self.moved.get(&local).copied().unwrap_or(local).into(),
            Operand::Const(_) => o,
        };
        let local = |l: LocalId| if let Operand::Local(renamed) = operand(l.into()) { renamed } else { l };
        match expr {
            Expr::Prim(prim, args) => Expr::Prim(*prim, args.iter().map(|&a| operand(a)).collect()),
            Expr::Copy(a) => Expr::Copy(operand(*a)),
            Expr::Data(buffer) => Expr::Data(local(*buffer)),
            Expr::Offset(address, offset) => Expr::Offset(local(*address), operand(*offset)),
            Expr::Load(address, offset) => Expr::Load(local(*address), operand(*offset)),
            Expr::Literal(id) => Expr::Literal(*id),
        }
    }

    // Steps.

    fn step(&mut self, prim: Prim, args: &[Operand]) -> Form {
        let forms: Vec<Form> = args.iter().map(|&a| self.form(a)).collect();
        if forms.iter().all(|&form| form == Form::Free) {
            return Form::Free;
        }
        let elem = args.first().map(|&a| self.scope.func.elem(a));
        let stepped = match (elem, forms.as_slice(), args) {
            (Some(Scalar::Bool), &[a, b], &[x, y]) if matches!(prim, Prim::And | Prim::Or) => {
                self.lattice(prim, [a, b], [x, y])
            }
            (Some(elem), &[a, b], &[x, y]) if elem != Scalar::Bool && matches!(prim, Prim::Max | Prim::Min) => {
                self.lattice(prim, [a, b], [x, y])
            }
            (Some(elem), _, _) if elem == Scalar::Bool || elem.is_float() && !self.scope.relaxed => None,
            (Some(elem), _, _) => self.linear(prim, &forms, args, elem),
            _ => None,
        };
        stepped.unwrap_or(Form::Other)
    }

    fn lattice(&mut self, prim: Prim, forms: [Form; 2], args: [Operand; 2]) -> Option<Form> {
        let (form, term) = match forms {
            [form, Form::Free] => (form, args[1]),
            [Form::Free, form] => (form, args[0]),
            _ => return None,
        };
        let term = self.copy_of(term);
        match form {
            Form::Linear { of, ratio: None, offset: None } => Some(Form::Lattice { of, prim, bound: term }),
            Form::Lattice { of, prim: before, bound } if before == prim => {
                Some(Form::Lattice { of, prim, bound: self.emit(prim, &[bound, term])? })
            }
            _ => None,
        }
    }

    fn linear(&mut self, prim: Prim, forms: &[Form], args: &[Operand], elem: Scalar) -> Option<Form> {
        let one = Operand::Const(Const::one(elem));
        let term = |this: &Self, k: usize| args.get(k).map(|&a| this.copy_of(a));
        let (of, ratio, offset) = match (prim, forms) {
            (Prim::Neg, &[Form::Linear { of, ratio, offset }]) => {
                (of, Some(self.emit(Prim::Neg, &[ratio.unwrap_or(one)])?), self.each(Prim::Neg, offset, &[])?)
            }
            (Prim::Add, &[Form::Linear { of, ratio, offset }, Form::Free]) => {
                (of, ratio, Some(self.sum(Prim::Add, offset, term(self, 1)?)?))
            }
            (Prim::Add, &[Form::Free, Form::Linear { of, ratio, offset }]) => {
                (of, ratio, Some(self.sum(Prim::Add, offset, term(self, 0)?)?))
            }
            (Prim::Sub, &[Form::Linear { of, ratio, offset }, Form::Free]) => {
                (of, ratio, Some(self.sum(Prim::Sub, offset, term(self, 1)?)?))
            }
            (Prim::Sub, &[Form::Free, Form::Linear { of, ratio, offset }]) => {
                let ratio = self.emit(Prim::Neg, &[ratio.unwrap_or(one)])?;
                let term = term(self, 0)?;
                let offset = match offset {
                    Some(b) => self.emit(Prim::Sub, &[term, b])?,
                    None => term,
                };
                (of, Some(ratio), Some(offset))
            }
            (Prim::Mul, &[Form::Linear { of, ratio, offset }, Form::Free]) => {
                let t = term(self, 1)?;
                (of, Some(self.scaled(ratio, t)?), self.each(Prim::Mul, offset, &[t])?)
            }
            (Prim::Mul, &[Form::Free, Form::Linear { of, ratio, offset }]) => {
                let t = term(self, 0)?;
                (of, Some(self.scaled(ratio, t)?), self.each(Prim::Mul, offset, &[t])?)
            }
            (Prim::Div, &[Form::Linear { of, ratio, offset }, Form::Free]) if elem.is_float() => {
                let t = term(self, 1)?;
                let ratio = self.emit(Prim::Div, &[ratio.unwrap_or(one), t])?;
                (of, Some(ratio), self.each(Prim::Div, offset, &[t])?)
            }
            (
                Prim::Add | Prim::Sub,
                &[
                    Form::Linear { of, ratio, offset },
                    Form::Linear { of: same, ratio: other_ratio, offset: other_offset },
                ],
            ) if of == same => {
                let ratio = self.emit(prim, &[ratio.unwrap_or(one), other_ratio.unwrap_or(one)])?;
                let offset = match other_offset {
                    Some(other) => Some(self.sum(prim, offset, other)?),
                    None => offset,
                };
                (of, Some(ratio), offset)
            }
            _ => return None,
        };
        Some(Form::Linear { of, ratio, offset })
    }

    /// What is added, and `term` more (or less).
    fn sum(&mut self, prim: Prim, offset: Option<Operand>, term: Operand) -> Option<Operand> {
        match (offset, prim) {
            (Some(offset), _) => self.emit(prim, &[offset, term]),
            (None, Prim::Sub) => self.emit(Prim::Neg, &[term]),
            (None, _) => Some(term),
        }
    }

    /// A primitive on what is added, if anything is.
    fn each(&mut self, prim: Prim, offset: Option<Operand>, others: &[Operand]) -> Option<Option<Operand>> {
        match offset {
            Some(offset) => Some(Some(self.emit(prim, &[&[offset], others].concat())?)),
            None => Some(None),
        }
    }

    fn scaled(&mut self, ratio: Option<Operand>, term: Operand) -> Option<Operand> {
        match ratio {
            Some(ratio) => self.emit(Prim::Mul, &[ratio, term]),
            None => Some(term),
        }
    }

    fn emit(&mut self, prim: Prim, args: &[Operand]) -> Option<Operand> {
        let (result, stmt) = self.scope.prim(prim, args)?;
        self.summary.extend(stmt);
        Some(result)
    }

    // The scan.

    fn finish(mut self) -> Option<Scan> {
        let checks = self.summary.iter().any(|stmt| matches!(stmt, Stmt::Check { .. }));
        let mut made = Made::default();
        let states: Vec<(LocalId, Operand)> =
            self.sets.iter().copied().filter(|&(l, _)| matches!(self.scope.func.ty(l), Ty::Scalar(_))).collect();
        for (local, value) in states {
            match self.form(value) {
                Form::Linear { of, ratio, offset } if of == local => {
                    made.linear(&mut self, local, ratio, offset)?;
                }
                Form::Lattice { of, prim, bound } if of == local => made.lattice(&mut self, local, prim, bound)?,
                _ => return None,
            }
        }
        let Made { states, parts, advance, sound, ok, sums } = made;
        let exact = sound.is_none();
        let (advance, sound) = match (sound, ok) {
            (Some(finite), Some(ok)) => {
                let (sound, stmt) = self.scope.prim(Prim::And, &[finite, ok.into()])?;
                (advance.into_iter().chain(stmt).collect(), Some(sound))
            }
            (sound, _) => (advance, sound),
        };
        let summary = used(self.summary);
        let dear = summary.iter().any(|stmt| match stmt {
            Stmt::Let { expr: Expr::Prim(prim, _), .. } => prim.is_expensive(),
            _ => false,
        });
        if states.is_empty() || summary.len() > LONGEST || dear && !exact {
            return None;
        }
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for Array { state, own, data, unique, .. } in self.arrays {
            before.push(match unique {
                Some(span) => Stmt::MakeUnique { local: own, buffer: state, span },
                None => Stmt::Let { local: own, expr: Expr::Copy(state.into()) },
            });
            before.push(Stmt::Let { local: data, expr: Expr::Data(own) });
            after.push(Stmt::Set { local: state, value: own.into() });
        }
        let commutes = sums && !checks;
        Some(Scan { before, after, body: self.body, states, summary, parts, advance, sound, exact, commutes })
    }
}

impl Scope<'_> {
    /// A primitive, and the statement that computes it unless it is constant.
    fn prim(&mut self, prim: Prim, args: &[Operand]) -> Option<(Operand, Option<Stmt>)> {
        let elems: Vec<Scalar> = args.iter().map(|&a| self.func.elem(a)).collect();
        let elem = prim.result(&elems)?;
        let constants: Option<Vec<Const>> =
            args.iter().map(|a| if let Operand::Const(c) = a { Some(*c) } else { None }).collect();
        if let Some(folded) = constants.and_then(|c| prim.eval(&c)) {
            return Some((folded.into(), None));
        }
        let local = self.local("t", Ty::Scalar(elem), false);
        Some((local.into(), Some(Stmt::Let { local, expr: Expr::Prim(prim, args.to_vec()) })))
    }
}

/// The states of a scan, and how a summary is used.
#[derive(Default)]
struct Made {
    states: Vec<ScanState>,
    parts: Vec<ScanPart>,
    advance: Vec<Stmt>,
    /// Whether all states stay finite; `None` if that does not matter.
    sound: Option<Operand>,
    /// The part that says that no step magnifies.
    ok: Option<LocalId>,
    /// Whether all steps are sums of floats.
    sums: bool,
}

impl Made {
    fn part(&mut self, finder: &mut Finder<'_, '_>, local: LocalId, what: &str, init: Const) -> LocalId {
        let name = format!("{}.{what}", finder.scope.func.locals[local].name);
        let part = finder.scope.local(&name, Ty::Scalar(init.scalar()), true);
        self.parts.push(ScanPart { local: part, init });
        part
    }

    fn entry(&mut self, finder: &mut Finder<'_, '_>, local: LocalId) -> LocalId {
        let LocalInfo { name, ty, .. } = finder.scope.func.locals[local].clone();
        finder.scope.local(&format!("{name}.entry"), ty, false)
    }

    fn advance(&mut self, finder: &mut Finder<'_, '_>, prim: Prim, args: &[Operand]) -> Option<Operand> {
        let (result, stmt) = finder.scope.prim(prim, args)?;
        self.advance.extend(stmt);
        Some(result)
    }

    fn lattice(&mut self, finder: &mut Finder<'_, '_>, local: LocalId, prim: Prim, bound: Operand) -> Option<()> {
        let elem = finder.scope.func.elem(local.into());
        let init = match prim {
            Prim::And => Const::Bool(true),
            Prim::Or => Const::Bool(false),
            _ => crate::lower::extreme(elem, prim == Prim::Max),
        };
        let part = self.part(finder, local, prim.name(), init);
        let value = finder.emit(prim, &[part.into(), bound])?;
        finder.summary.push(Stmt::Set { local: part, value });
        let entry = self.entry(finder, local);
        let next = self.advance(finder, prim, &[entry.into(), part.into()])?;
        self.states.push(ScanState { local, step: ScanStep::By(prim), entry, next });
        self.sums = false;
        Some(())
    }

    fn linear(
        &mut self,
        finder: &mut Finder<'_, '_>,
        local: LocalId,
        ratio: Option<Operand>,
        offset: Option<Operand>,
    ) -> Option<()> {
        let elem = finder.scope.func.elem(local.into());
        let float = elem.is_float();
        let first = self.states.is_empty();
        let entry = self.entry(finder, local);
        let mut next = Operand::Local(entry);
        if let Some(ratio) = ratio {
            let part = self.part(finder, local, "ratio", Const::one(elem));
            let mut value = finder.emit(Prim::Mul, &[ratio, part.into()])?;
            if float {
                // What a chunk keeps of the state before it soon is a subnormal number, and those are slow.
                let size = finder.emit(Prim::Abs, &[part.into()])?;
                let small = finder.emit(Prim::Lt, &[size, real(elem, negligible(elem)).into()])?;
                value = finder.emit(Prim::Select, &[small, Const::zero(elem).into(), value])?;
            }
            finder.summary.push(Stmt::Set { local: part, value });
            next = self.advance(finder, Prim::Mul, &[part.into(), next])?;
            if float {
                self.must_not_magnify(finder, local, ratio)?;
            }
        }
        if let Some(offset) = offset {
            // Minus zero is what leaves every number as it is.
            let zero = if float { real(elem, -0.0) } else { Const::zero(elem) };
            let part = self.part(finder, local, "offset", zero);
            let before = match ratio {
                Some(ratio) => finder.emit(Prim::Mul, &[ratio, part.into()])?,
                None => part.into(),
            };
            let value = finder.emit(Prim::Add, &[before, offset])?;
            finder.summary.push(Stmt::Set { local: part, value });
            next = self.advance(finder, Prim::Add, &[next, part.into()])?;
        }
        if float {
            let size = self.advance(finder, Prim::Abs, &[next])?;
            let limit = Operand::Const(real(elem, f64::INFINITY));
            let finite = self.advance(finder, Prim::Lt, &[size, limit])?;
            self.sound = Some(match self.sound {
                Some(others) => self.advance(finder, Prim::And, &[others, finite])?,
                None => finite,
            });
        }
        let step = match (ratio, offset) {
            (None, None) => ScanStep::Same,
            (None, Some(_)) => ScanStep::By(Prim::Add),
            (Some(_), None) => ScanStep::By(Prim::Mul),
            (Some(_), Some(_)) => ScanStep::Linear,
        };
        self.sums = (self.sums || first) && ratio.is_none();
        self.states.push(ScanState { local, step, entry, next });
        Some(())
    }

    fn must_not_magnify(&mut self, finder: &mut Finder<'_, '_>, local: LocalId, ratio: Operand) -> Option<()> {
        let elem = finder.scope.func.elem(ratio);
        let part = match self.ok {
            Some(part) => part,
            None => {
                let part = self.part(finder, local, "sound", Const::Bool(true));
                *self.ok.insert(part)
            }
        };
        let size = finder.emit(Prim::Abs, &[ratio])?;
        let small = finder.emit(Prim::Le, &[size, Const::one(elem).into()])?;
        let value = finder.emit(Prim::And, &[part.into(), small])?;
        finder.summary.push(Stmt::Set { local: part, value });
        Some(())
    }
}

/// A factor below which nothing is kept of a state: far below what rounding loses of any sum that it is part of.
fn negligible(elem: Scalar) -> f64 {
    if elem == Scalar::F32 { 2f64.powi(-100) } else { 2f64.powi(-960) }
}

fn real(elem: Scalar, value: f64) -> Const {
    if elem == Scalar::F32 { Const::F32(value as f32) } else { Const::F64(value) }
}

/// Without what nothing uses.
fn used(stmts: Vec<Stmt>) -> Vec<Stmt> {
    let mut needed = HashSet::new();
    let mut kept = Vec::new();
    for stmt in stmts.into_iter().rev() {
        let reads = match &stmt {
            Stmt::Let { local, .. } if !needed.contains(local) => continue,
            Stmt::Let { expr, .. } => operands_of(expr),
            Stmt::Set { value, .. } => vec![*value],
            Stmt::Check { args, .. } => args.clone(),
            _ => Vec::new(),
        };
        needed.extend(reads.into_iter().filter_map(|o| if let Operand::Local(local) = o { Some(local) } else { None }));
        kept.push(stmt);
    }
    kept.reverse();
    kept
}
