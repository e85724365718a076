//! Recognises scans: classifies how each statement of a loop's body depends on the state.

use super::step::Form;
use super::summary::{LONGEST, Made, chain, used};
use super::{Scan, Scope};
use crate::{Expr, For, LocalId, LocalInfo, Operand, SpanId, Stmt, Ty, has_trace};
use arr_ir::{Cost, Prim, Scalar};
use std::collections::HashMap;

/// An array of the state.
pub(super) struct Array {
    state: LocalId,
    /// The array as the loop's own, and its elements.
    own: LocalId,
    data: LocalId,
    /// The source position where it is made unique, if iterations write it.
    unique: Option<SpanId>,
    stored: bool,
    /// The operands of every offset that is read or written.
    places: Vec<Vec<Operand>>,
}

pub(super) struct Finder<'a, 'b> {
    pub(super) scope: &'a mut Scope<'b>,
    sets: Vec<(LocalId, Operand)>,
    /// The locals of the loop and their definitions.
    bound: HashMap<LocalId, Option<Expr>>,
    /// Steps of inductions.
    inductions: HashMap<LocalId, Operand>,
    index: LocalId,
    forms: HashMap<LocalId, Form>,
    arrays: Vec<Array>,
    /// Names of the state's arrays in an iteration, as rows of `arrays`.
    buffers: HashMap<LocalId, usize>,
    /// Addresses inside them: the row, and the summands of the address.
    addresses: HashMap<LocalId, (usize, Vec<Operand>)>,
    /// Locals of the body that do not exist in the scan's.
    moved: HashMap<LocalId, LocalId>,
    /// The summary's copies of the body's locals.
    copies: HashMap<LocalId, Operand>,
    body: Vec<Stmt>,
    pub(super) summary: Vec<Stmt>,
}

impl<'a, 'b> Finder<'a, 'b> {
    /// `None` if the loop does not end by setting its state.
    pub(super) fn new(scope: &'a mut Scope<'b>, l: &For) -> Option<Finder<'a, 'b>> {
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

    pub(super) fn find(mut self, l: &For) -> Option<Scan> {
        if has_trace(&l.body) {
            return None;
        }
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

    pub(super) fn form(&self, operand: Operand) -> Form {
        match operand {
            Operand::Const(_) => Form::Free,
            Operand::Local(local) if self.is_state(local) => Form::Other,
            Operand::Local(local) => self.forms.get(&local).copied().unwrap_or(Form::Free),
        }
    }

    pub(super) fn is_free(&self, operand: Operand) -> bool {
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
            Expr::BaseAddr(buffer) => match self.buffers.get(buffer) {
                Some(&row) => {
                    let data = self.arrays.get(row)?.data;
                    self.addresses.insert(local, (row, Vec::new()));
                    self.moved.insert(local, data);
                    return Some(());
                }
                None => Form::Free,
            },
            // A loop that reads the length of a state is no scan of its elements.
            Expr::Len(_) => return None,
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
                    // The elements written by this iteration do not exist yet when the summary is computed.
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

    /// Records that a place of an array of the state is read or written.
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

    pub(super) fn copy_of(&self, operand: Operand) -> Operand {
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
            Expr::BaseAddr(buffer) => Expr::BaseAddr(local(*buffer)),
            Expr::Len(buffer) => Expr::Len(local(*buffer)),
            Expr::Offset(address, offset) => Expr::Offset(local(*address), operand(*offset)),
            Expr::Load(address, offset) => Expr::Load(local(*address), operand(*offset)),
            Expr::Literal(id) => Expr::Literal(*id),
        }
    }

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
        let Made { states, parts, advance, sound, ok, sums, links } = made;
        let exact = sound.is_none();
        let (advance, sound) = match (sound, ok) {
            (Some(finite), Some(ok)) => {
                let (sound, stmt) = self.scope.prim(Prim::And, &[finite, ok.into()])?;
                (advance.into_iter().chain(stmt).collect(), Some(sound))
            }
            (sound, _) => (advance, sound),
        };
        let on_states = self.body.iter().filter_map(|stmt| match stmt {
            Stmt::Let { local, expr: Expr::Prim(prim, _) } => {
                matches!(self.forms.get(local), Some(Form::Linear { .. })).then_some(*prim)
            }
            _ => None,
        });
        let chain = chain(links, &self.summary, on_states);
        let summary = used(self.summary);
        let expensive = summary.iter().any(|stmt| match stmt {
            Stmt::Let { expr: Expr::Prim(prim, _), .. } => prim.cost() >= Cost::Function,
            _ => false,
        });
        if states.is_empty() || summary.len() > LONGEST || expensive && !exact {
            return None;
        }
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for Array { state, own, data, unique, .. } in self.arrays {
            before.push(match unique {
                Some(span) => Stmt::MakeUnique { local: own, buffer: state, span },
                None => Stmt::Let { local: own, expr: Expr::Copy(state.into()) },
            });
            before.push(Stmt::Let { local: data, expr: Expr::BaseAddr(own) });
            after.push(Stmt::Set { local: state, value: own.into() });
        }
        let commutes = sums && !checks;
        Some(Scan { before, after, body: self.body, states, summary, parts, advance, sound, exact, commutes, chain })
    }
}
