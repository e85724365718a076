//! The nest of some sums over pairs: every element written out where it is needed, each once.

use super::{Length, as_sum, length};
use arr_base::Span;
use arr_ir::{Atom, Axis, Block, Func, Op, Prim, Reduction, Scalar, Stmt, VarId};
use rustc_hash::FxHashMap;

/// The maximal number of statements of a nest.
const MAX_STMTS: usize = 400;
/// The maximal chain of pair arrays made from each other; bounds the depth of recursion.
const MAX_DEPTH: usize = 64;

/// The values of names in the code.
type Known = FxHashMap<VarId, Atom>;

/// A statement of a nest, and its results at the points of its short axes.
struct Column {
    at: usize,
    /// By point, each with a number for every short axis: the arrays of the results.
    points: Vec<(Vec<i64>, Vec<VarId>)>,
}

pub(super) struct Sums<'a> {
    func: &'a mut Func,
    block: &'a Block,
    /// Pair arrays: the statement that makes each, and the index of the result.
    arrays: &'a FxHashMap<VarId, (usize, usize)>,
    /// The term of the nest.
    stmts: Vec<Stmt>,
    elements: FxHashMap<(VarId, Vec<Atom>), Vec<Atom>>,
    values: FxHashMap<(Prim, Vec<Atom>), Atom>,
    /// Differences, by the variables that they are bound to.
    differences: FxHashMap<VarId, [Atom; 2]>,
    span: Option<Span>,
}

impl<'a> Sums<'a> {
    pub(super) fn new(func: &'a mut Func, block: &'a Block, arrays: &'a FxHashMap<VarId, (usize, usize)>) -> Sums<'a> {
        Sums {
            func,
            block,
            arrays,
            stmts: Vec::new(),
            elements: FxHashMap::default(),
            values: FxHashMap::default(),
            differences: FxHashMap::default(),
            span: None,
        }
    }

    /// One nest for all, and the statements that join its results; `None` if it would grow too long.
    pub(super) fn of(mut self, group: &[usize]) -> Option<Vec<Stmt>> {
        let block = self.block;
        let (axes, over, _) = as_sum(self.func, block.stmts.get(*group.first()?)?)?;
        let point = *axes.iter().find(|a| length(self.func, a.extent) == Length::Long)?;
        let point = Axis { index: self.func.copy_var(point.index), ..point };
        let over = Axis { index: self.func.copy_var(over.index), ..over };
        let (mut columns, mut terms, mut vars) = (Vec::new(), Vec::new(), Vec::new());
        for &at in group {
            let stmt = block.stmts.get(at)?;
            self.span = stmt.span;
            columns.push(self.column(at, stmt, point, over, &mut terms, &mut vars)?);
        }
        let mut sums = Vec::new();
        for &array in &vars {
            let (name, elem) = (self.func.name(array).to_string(), self.func.ty(array).elem);
            sums.push(self.func.scalar_var(name, elem));
        }
        let body = Block { params: Vec::new(), stmts: std::mem::take(&mut self.stmts), results: terms };
        let sum = Op::Reduce { kind: Reduction::Sum, axes: vec![over], body };
        let results = sums.iter().map(|&v| Atom::Var(v)).collect();
        let body = Block { params: Vec::new(), stmts: vec![Stmt { vars: sums, op: sum, span: self.span }], results };
        let nest = Stmt { vars, op: Op::Build { axes: vec![point], body }, span: self.span };
        let mut out = vec![nest];
        for column in &columns {
            out.extend(self.joined(column));
        }
        Some(out)
    }

    /// The terms of a statement at each point of its short axes.
    fn column(
        &mut self,
        at: usize,
        stmt: &Stmt,
        point: Axis,
        over: Axis,
        terms: &mut Vec<Atom>,
        vars: &mut Vec<VarId>,
    ) -> Option<Column> {
        let (axes, own, term) = as_sum(self.func, stmt)?;
        let short: Vec<Axis> = axes.iter().copied().filter(|a| length(self.func, a.extent) == Length::Short).collect();
        let mut points = Vec::new();
        for numbers in self.points(&short)? {
            let mut known = Known::default();
            known.insert(own.index, over.index.into());
            for axis in axes {
                known.insert(axis.index, point.index.into());
            }
            for (axis, &k) in short.iter().zip(&numbers) {
                known.insert(axis.index, Atom::int(k));
            }
            terms.extend(self.block(term, known, 0)?);
            let mut arrays = Vec::new();
            for &var in &stmt.vars {
                let ty = self.func.types.array(vec![point.extent], self.func.ty(var).elem);
                arrays.push(if short.is_empty() { var } else { self.func.var_like(var, ty) });
            }
            vars.extend(&arrays);
            points.push((numbers, arrays));
        }
        Some(Column { at, points })
    }

    /// Every combination of indices, the last the fastest; `None` if their number is unknown.
    fn points(&self, short: &[Axis]) -> Option<Vec<Vec<i64>>> {
        let mut all = vec![Vec::new()];
        for axis in short {
            let extent = self.func.types.poly(axis.extent).as_constant()?;
            let with =
                |numbers: &Vec<i64>| (0..extent).map(|k| [numbers.as_slice(), &[k]].concat()).collect::<Vec<_>>();
            all = all.iter().flat_map(with).collect();
        }
        Some(all)
    }

    // Code.

    /// The results of code in which names are known.
    fn block(&mut self, block: &Block, mut known: Known, depth: usize) -> Option<Vec<Atom>> {
        for stmt in &block.stmts {
            let results = self.stmt(stmt, &known, depth)?;
            known.extend(stmt.vars.iter().copied().zip(results));
        }
        Some(block.results.iter().map(|&a| of(&known, a)).collect())
    }

    /// The results of a statement, which keeps its place: a check that comes back to a read is recorded there.
    fn stmt(&mut self, stmt: &Stmt, known: &Known, depth: usize) -> Option<Vec<Atom>> {
        let around = self.span;
        self.span = stmt.span.or(around);
        let results = self.results(stmt, known, depth);
        self.span = around;
        results
    }

    fn results(&mut self, stmt: &Stmt, known: &Known, depth: usize) -> Option<Vec<Atom>> {
        match &stmt.op {
            Op::Prim(prim, args) => {
                let args = args.iter().map(|&a| of(known, a)).collect();
                let elem = self.func.ty(*stmt.vars.first()?).elem;
                let name = self.func.name(*stmt.vars.first()?).to_string();
                Some(vec![self.prim(*prim, args, &name, elem)?])
            }
            Op::Read { array, index, .. } => {
                let index = index.iter().map(|&a| of(known, a)).collect();
                Some(vec![self.element(*array, index, stmt, depth)?])
            }
            Op::Reduce { axes, body, .. } => self.short_sum(stmt, axes.first()?, body, known, depth),
            _ => None,
        }
    }

    /// A sum written out, in order.
    fn short_sum(&mut self, stmt: &Stmt, axis: &Axis, body: &Block, known: &Known, depth: usize) -> Option<Vec<Atom>> {
        let mut sums: Vec<Atom> = Vec::new();
        for k in 0..self.func.types.poly(axis.extent).as_constant()? {
            let mut known = known.clone();
            known.insert(axis.index, Atom::int(k));
            let terms = self.block(body, known, depth)?;
            if sums.is_empty() {
                sums = terms;
                continue;
            }
            for ((sum, term), &var) in sums.iter_mut().zip(terms).zip(&stmt.vars) {
                let (name, elem) = (self.func.name(var).to_string(), self.func.ty(var).elem);
                *sum = self.prim(Prim::Add, vec![*sum, term], &name, elem)?;
            }
        }
        Some(sums)
    }

    fn element(&mut self, array: VarId, index: Vec<Atom>, stmt: &Stmt, depth: usize) -> Option<Atom> {
        let made = self.arrays.get(&array).copied();
        let key = (array, index);
        let k = made.map_or(0, |(_, k)| k);
        if let Some(results) = self.elements.get(&key) {
            return results.get(k).copied();
        }
        let Some((at, k)) = made else {
            let element = self.func.copy_var(*stmt.vars.first()?);
            let (array, index) = key.clone();
            self.push(element, Op::Read { array, index, checked: false })?;
            self.elements.insert(key, vec![element.into()]);
            return Some(element.into());
        };
        let block = self.block;
        let Op::Build { axes, body } = &block.stmts.get(at)?.op else { return None };
        if depth >= MAX_DEPTH {
            return None;
        }
        let known = axes.iter().map(|a| a.index).zip(key.1.iter().copied()).collect();
        let results = self.block(body, known, depth + 1)?;
        let element = results.get(k).copied();
        self.elements.insert(key, results);
        element
    }

    fn prim(&mut self, prim: Prim, args: Vec<Atom>, name: &str, elem: Scalar) -> Option<Atom> {
        let key = (prim, self.unsigned(prim, args));
        if let Some(&value) = self.values.get(&key) {
            return Some(value);
        }
        let var = self.func.scalar_var(name, elem);
        let (prim, args) = key.clone();
        if let (Prim::Sub, &[a, b]) = (prim, args.as_slice()) {
            self.differences.insert(var, [a, b]);
        }
        self.push(var, Op::Prim(prim, args))?;
        self.values.insert(key, var.into());
        Some(var.into())
    }

    /// The square of a difference is that of the difference the other way round, bit for bit.
    fn unsigned(&self, prim: Prim, args: Vec<Atom>) -> Vec<Atom> {
        let difference = |a: &Atom| a.var().and_then(|v| self.differences.get(&v)).copied();
        match args.as_slice() {
            [a, b] if prim == Prim::Mul && a == b => {
                let other = difference(a).and_then(|[x, y]| self.values.get(&(Prim::Sub, vec![y, x])).copied());
                match other {
                    Some(other) if self.values.contains_key(&(prim, vec![other, other])) => vec![other, other],
                    _ => args,
                }
            }
            _ => args,
        }
    }

    fn push(&mut self, var: VarId, op: Op) -> Option<()> {
        self.stmts.push(Stmt { vars: vec![var], op, span: self.span });
        (self.stmts.len() <= MAX_STMTS).then_some(())
    }

    /// A statement's arrays, from the results of the nest.
    fn joined(&mut self, column: &Column) -> Option<Stmt> {
        let stmt = self.block.stmts.get(column.at)?;
        let (axes, ..) = as_sum(self.func, stmt)?;
        let fresh: Vec<Axis> =
            axes.iter().map(|a| Axis { index: self.func.copy_var(a.index), extent: a.extent }).collect();
        let short = |a: &&Axis| length(self.func, a.extent) == Length::Short;
        let own: Vec<VarId> = fresh.iter().filter(short).map(|a| a.index).collect();
        let long = fresh.iter().find(|a| !short(a))?.index;
        if own.is_empty() {
            return None;
        }
        let mut body = Block::default();
        let mut results: Vec<Atom> = Vec::new();
        for (numbers, arrays) in column.points.iter().rev() {
            let mut code = CodeWriter { func: self.func, stmts: &mut body.stmts, span: stmt.span };
            let here = code.here(&own, numbers);
            let elements: Vec<Atom> = arrays.iter().map(|&array| code.read(array, long)).collect();
            results = match here.filter(|_| !results.is_empty()) {
                Some(here) => elements.iter().zip(results).map(|(&e, other)| code.select(here, e, other)).collect(),
                None => elements,
            };
        }
        body.results = results;
        Some(Stmt { vars: stmt.vars.clone(), op: Op::Build { axes: fresh, body }, span: stmt.span })
    }
}

/// The value of an operand.
fn of(known: &Known, a: Atom) -> Atom {
    a.var().and_then(|v| known.get(&v)).copied().unwrap_or(a)
}

/// Scalar code under construction.
struct CodeWriter<'c> {
    func: &'c mut Func,
    stmts: &'c mut Vec<Stmt>,
    span: Option<Span>,
}

impl CodeWriter<'_> {
    fn bind(&mut self, name: &str, elem: Scalar, op: Op) -> Atom {
        let var = self.func.scalar_var(name, elem);
        self.stmts.push(Stmt { vars: vec![var], op, span: self.span });
        var.into()
    }

    /// Whether indices have these values.
    fn here(&mut self, indices: &[VarId], numbers: &[i64]) -> Option<Atom> {
        let mut all = None;
        for (&index, &k) in indices.iter().zip(numbers) {
            let one = self.bind("here", Scalar::Bool, Op::Prim(Prim::Eq, vec![index.into(), Atom::int(k)]));
            all = Some(match all {
                Some(others) => self.bind("here", Scalar::Bool, Op::Prim(Prim::And, vec![others, one])),
                None => one,
            });
        }
        all
    }

    fn read(&mut self, array: VarId, index: VarId) -> Atom {
        let (name, elem) = (self.func.name(array).to_string(), self.func.ty(array).elem);
        self.bind(&name, elem, Op::Read { array, index: vec![index.into()], checked: false })
    }

    fn select(&mut self, here: Atom, a: Atom, b: Atom) -> Atom {
        let elem = self.func.atom_elem(a);
        self.bind("column", elem, Op::Prim(Prim::Select, vec![here, a, b]))
    }
}
