//! The function on its way to text: the axes of kernels, what is bound to variables, and operations on tensors.

use crate::ahead::Ahead;
use crate::error::{Error, Result, UnknownSize, internal};
use crate::in_place::Order;
use crate::text::{Text, elem_name, list, number, tensor};
use crate::traps::{LaneTrap, Site, SiteKind};
use crate::values::{Affine, Arr, AxisId, Bound, Range, Scal, Val, union};
use arr_base::Span;
use arr_ir::{Atom, Const, Func, Prim, Scalar, SizeId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// An axis that is longer is not what a module is for.
const LONGEST: i64 = 1 << 40;

/// The extent of an axis: that of the tensors, and that of the program where it is smaller at some points.
pub(crate) struct Extent {
    pub bound: i64,
    pub exact: Option<Scal>,
}

/// How many zeros come before and behind an array along each axis, and between two of its elements.
pub(crate) struct Margins {
    pub low: Vec<i64>,
    pub high: Vec<i64>,
    pub interior: Vec<i64>,
}

/// The function on its way to text.
pub(crate) struct Emitter<'f> {
    pub func: &'f Func,
    pub text: Text,
    /// Values, and how many regions were open where they were bound.
    pub env: FxHashMap<VarId, (Bound, usize)>,
    /// The extents of axes.
    pub bounds: Vec<i64>,
    /// The axes of the kernels around.
    pub space: Vec<AxisId>,
    /// Conditions under which a lane takes part.
    pub active: Vec<Scal>,
    /// The failure so far, of the function.
    pub trap: Option<String>,
    /// The failures so far of lanes.
    pub lane: Option<LaneTrap>,
    pub sites: Vec<Site>,
    /// The most points that an axis of unknown length may have.
    pub limit: Option<i64>,
    /// The sizes that were compared with it, or are in `unknown`.
    pub limited: FxHashSet<SizeId>,
    /// The sizes that only a run knows, if there is no limit.
    pub unknown: Vec<UnknownSize>,
    /// The place of the present statement.
    pub here: Option<Span>,
    /// The least size in bytes of arrays whose updates are ordered.
    pub in_place_from: i64,
    /// What the present iteration has read.
    pub order: Option<Order>,
    /// A zero that depends on what has to come before the update that is written.
    pub after: Option<String>,
    /// The loops around, the innermost last, and what they read ahead.
    pub ahead: Vec<Ahead>,
    /// The element that is read.
    pub reading: Option<VarId>,
}

impl Emitter<'_> {
    pub(crate) fn unsupported<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(Error::Unsupported(what.into(), self.here))
    }

    // Types.

    pub(crate) fn dims(&self, axes: &[AxisId]) -> Vec<i64> {
        axes.iter().map(|&a| self.bounds.get(a).copied().unwrap_or(0)).collect()
    }

    pub(crate) fn ty(&self, axes: &[AxisId], elem: Scalar) -> String {
        tensor(&self.dims(axes), elem_name(elem))
    }

    pub(crate) fn val_ty(&self, v: &Val) -> String {
        self.ty(&v.axes, v.elem)
    }

    // Variables.

    pub(crate) fn bind(&mut self, var: VarId, bound: Bound) {
        let depth = self.text.depth();
        self.env.insert(var, (bound, depth));
    }

    pub(crate) fn hint(&self, var: VarId) -> String {
        self.func.name(var).to_string()
    }

    pub(crate) fn array(&self, var: VarId) -> Result<Arr> {
        match self.env.get(&var) {
            Some((Bound::Array(array), _)) => Ok(array.clone()),
            _ => internal(format!("`{}` is not an array", self.func.name(var))),
        }
    }

    pub(crate) fn scalar(&mut self, atom: Atom) -> Result<Scal> {
        match atom {
            Atom::Const(c) => Ok(Scal::Const(c)),
            Atom::Var(v) => match self.env.get(&v) {
                Some((Bound::Scalar(scal), _)) => Ok(scal.clone()),
                _ => internal(format!("`{}` is not a scalar", self.func.name(v))),
            },
        }
    }

    /// The tensor of an operand. That of a product or of windows is kept.
    pub(crate) fn operand(&mut self, atom: Atom) -> Result<Scal> {
        let scal = self.scalar(atom)?;
        let (Scal::Product { .. } | Scal::Windows(_), Atom::Var(v)) = (&scal, atom) else { return Ok(scal) };
        let val = Scal::Tensor(self.val(&scal)?);
        if self.env.get(&v).is_some_and(|(_, depth)| *depth == self.text.depth()) {
            self.bind(v, Bound::Scalar(val.clone()));
        }
        Ok(val)
    }

    pub(crate) fn bound(&mut self, atom: Atom) -> Result<Bound> {
        match atom.var().and_then(|v| self.env.get(&v)) {
            Some((Bound::Array(array), _)) => Ok(Bound::Array(array.clone())),
            _ => Ok(Bound::Scalar(self.operand(atom)?)),
        }
    }

    // Sizes.

    pub(crate) fn size(&mut self, size: SizeId) -> Result<Scal> {
        let poly = self.func.types.poly(size).clone();
        let mut sum = Scal::Const(Const::I64(0));
        for (monomial, &coefficient) in &poly.terms {
            let mut product = Scal::Const(Const::I64(coefficient));
            for &var in monomial {
                let factor = self.operand(Atom::Var(var))?;
                product = self.prim(Prim::Mul, &[product, factor], "size")?;
            }
            sum = self.prim(Prim::Add, &[sum, product], "size")?;
        }
        Ok(sum)
    }

    pub(crate) fn extent(&mut self, size: SizeId) -> Result<Extent> {
        let exact = self.size(size)?;
        if let Some(c) = exact.as_const().and_then(Const::as_i64) {
            if c > LONGEST {
                return self.unsupported(format!("there are {c} points, and there is no room for so many"));
            }
            return Ok(Extent { bound: c.max(0), exact: None });
        }
        let Range(_, most) = self.range(&exact);
        if most <= LONGEST {
            return Ok(Extent { bound: most.max(0), exact: Some(exact) });
        }
        let Some(limit) = self.limit else {
            self.unknown_size(size);
            return Ok(Extent { bound: 1, exact: Some(exact) });
        };
        if !self.limited.contains(&size) {
            let fine = self.prim(Prim::Le, &[exact.clone(), Scal::Const(Const::I64(limit))], "fits")?;
            self.check(&fine, SiteKind::TooMany { limit }, &[])?;
            // A size that is bound once is looked at once, where everything that follows is inside.
            if self.text.depth() == 1 {
                self.limited.insert(size);
            }
        }
        Ok(Extent { bound: limit.max(0), exact: Some(exact) })
    }

    /// Notes a size that only a run knows. What is written after it is thrown away.
    fn unknown_size(&mut self, size: SizeId) {
        if !self.limited.insert(size) {
            return;
        }
        let func = self.func;
        let vars = func.types.poly(size).vars();
        let params = func.params.iter().filter(|param| vars.contains(param)).map(|&v| func.name(v).to_string());
        self.unknown.push(UnknownSize { span: self.here, params: params.collect() });
    }

    pub(crate) fn axis(&mut self, bound: i64) -> AxisId {
        self.bounds.push(bound);
        self.bounds.len() - 1
    }

    pub(crate) fn index(&self, axis: AxisId) -> Scal {
        Scal::Affine(Affine { base: None, constant: 0, terms: vec![(axis, 1)] })
    }

    /// The number of a point among those of axes, in the order of iteration.
    pub(crate) fn row_major(&mut self, axes: &[AxisId], hint: &str) -> Result<Scal> {
        let mut number = Scal::Const(Const::I64(0));
        for (&axis, bound) in axes.iter().zip(self.dims(axes)) {
            number = self.prim(Prim::Mul, &[number, Scal::Const(Const::I64(bound))], hint)?;
            let index = self.index(axis);
            number = self.prim(Prim::Add, &[number, index], hint)?;
        }
        Ok(number)
    }

    pub(crate) fn range(&self, scal: &Scal) -> Range {
        match scal {
            Scal::Const(c) => c.as_i64().map_or(Range::ANY, |c| Range(c, c)),
            Scal::Tensor(v) => v.range,
            Scal::Product { .. } | Scal::Windows(_) => Range::ANY,
            Scal::Affine(a) => {
                let start = a.base.as_ref().map_or(Range(0, 0), |v| v.range);
                let mut sum = start.of(Prim::Add, Range(a.constant, a.constant));
                for &(axis, coefficient) in &a.terms {
                    let last = self.bounds.get(axis).copied().unwrap_or(0).max(1) - 1;
                    sum = sum.of(Prim::Add, Range(0, last).of(Prim::Mul, Range(coefficient, coefficient)));
                }
                sum
            }
        }
    }

    // Tensors.

    pub(crate) fn constant(&mut self, value: Const, axes: &[AxisId]) -> String {
        let ty = self.ty(axes, value.scalar());
        self.text.value("c", format!("stablehlo.constant dense<{}> : {ty}", number(value)))
    }

    pub(crate) fn splat(&mut self, value: Const, dims: &[i64]) -> String {
        let ty = tensor(dims, elem_name(value.scalar()));
        self.text.value("c", format!("stablehlo.constant dense<{}> : {ty}", number(value)))
    }

    /// The tensor of a scalar, over the axes that it depends on.
    pub(crate) fn val(&mut self, scal: &Scal) -> Result<Val> {
        match scal {
            Scal::Tensor(v) => Ok(v.clone()),
            Scal::Const(c) => {
                let range = self.range(scal);
                Ok(Val::new(self.constant(*c, &[]), Vec::new(), c.scalar()).within(range))
            }
            Scal::Affine(a) => self.affine(a),
            Scal::Product { factors, zero_wins, .. } => {
                let (first, rest) = match factors.split_first() {
                    Some(split) => split,
                    None => return internal("a product of nothing"),
                };
                let mut product = self.val(first)?;
                for factor in rest {
                    product = self.times(&Scal::Tensor(product), factor, *zero_wins)?;
                }
                Ok(product)
            }
            Scal::Windows(windows) => self.elements(&windows.array, &windows.index, &windows.hint),
        }
    }

    fn affine(&mut self, a: &Affine) -> Result<Val> {
        let range = self.range(&Scal::Affine(a.clone()));
        let mut sum = match (&a.base, a.constant) {
            (Some(base), 0) => Some(base.clone()),
            (Some(base), c) => {
                let c = Scal::Const(Const::I64(c));
                Some(self.elementwise("i", "stablehlo.add", &[Scal::Tensor(base.clone()), c])?)
            }
            (None, 0) if !a.terms.is_empty() => None,
            (None, c) => Some(self.val(&Scal::Const(Const::I64(c)))?),
        };
        for &(axis, coefficient) in &a.terms {
            let ty = self.ty(&[axis], Scalar::I64);
            let name = self.text.value("iota", format!("stablehlo.iota dim = 0 : {ty}"));
            let mut term = Val::new(name, vec![axis], Scalar::I64);
            if coefficient != 1 {
                let by = Scal::Const(Const::I64(coefficient));
                term = self.elementwise("i", "stablehlo.multiply", &[Scal::Tensor(term), by])?;
            }
            sum = Some(match sum {
                None => term,
                Some(sum) => self.elementwise("i", "stablehlo.add", &[Scal::Tensor(sum), Scal::Tensor(term)])?,
            });
        }
        match sum {
            Some(sum) => Ok(Val { range, ..sum }),
            None => internal("an index of nothing"),
        }
    }

    /// The value at every point of more axes.
    pub(crate) fn widened(&mut self, scal: &Scal, axes: &[AxisId]) -> Result<String> {
        if let Scal::Const(c) = scal {
            return Ok(self.constant(*c, axes));
        }
        let v = self.val(scal)?;
        if v.axes == axes {
            return Ok(v.name);
        }
        let places: Option<Vec<usize>> = v.axes.iter().map(|a| axes.iter().position(|b| a == b)).collect();
        let Some(places) = places else { return internal("a value depends on an axis that is not there") };
        let (from, to) = (self.val_ty(&v), self.ty(axes, v.elem));
        let op = format!("stablehlo.broadcast_in_dim {}, dims = {} : ({from}) -> {to}", v.name, list(places));
        Ok(self.text.value("b", op))
    }

    /// The operands over the axes of all of them.
    pub(crate) fn together(&mut self, args: &[Scal]) -> Result<(Vec<AxisId>, Vec<String>)> {
        let axes = union(&args.iter().map(Scal::axes).collect::<Vec<_>>());
        let names = args.iter().map(|a| self.widened(a, &axes)).collect::<Result<_>>()?;
        Ok((axes, names))
    }

    /// An operation whose operands and result have one type.
    pub(crate) fn elementwise(&mut self, hint: &str, op: &str, args: &[Scal]) -> Result<Val> {
        let elem = args.first().map_or(Scalar::Bool, Scal::elem);
        let (axes, names) = self.together(args)?;
        let ty = self.ty(&axes, elem);
        let name = self.text.value(hint, format!("{op} {} : {ty}", names.join(", ")));
        Ok(Val::new(name, axes, elem))
    }

    pub(crate) fn compare(&mut self, hint: &str, how: &str, a: &Scal, b: &Scal) -> Result<Val> {
        let elem = a.elem();
        let (axes, names) = self.together(&[a.clone(), b.clone()])?;
        let kind = match elem {
            Scalar::F32 | Scalar::F64 => "FLOAT",
            Scalar::I32 | Scalar::I64 => "SIGNED",
            Scalar::U32 | Scalar::Bool => "UNSIGNED",
        };
        let (from, to) = (self.ty(&axes, elem), self.ty(&axes, Scalar::Bool));
        let op = format!("stablehlo.compare {how}, {}, {kind} : ({from}, {from}) -> {to}", names.join(", "));
        Ok(Val::new(self.text.value(hint, op), axes, Scalar::Bool))
    }

    pub(crate) fn select(&mut self, hint: &str, mask: &Scal, yes: &Scal, no: &Scal) -> Result<Val> {
        let elem = yes.elem();
        let (axes, names) = self.together(&[mask.clone(), yes.clone(), no.clone()])?;
        let (mask, ty) = (self.ty(&axes, Scalar::Bool), self.ty(&axes, elem));
        let range = self.range(yes).or(self.range(no));
        let name = self.text.value(hint, format!("stablehlo.select {} : {mask}, {ty}", names.join(", ")));
        Ok(Val::new(name, axes, elem).within(range))
    }

    pub(crate) fn convert(&mut self, hint: &str, a: &Scal, to: Scalar) -> Result<Val> {
        let v = self.val(a)?;
        let (from, ty) = (self.val_ty(&v), self.ty(&v.axes, to));
        let name = self.text.value(hint, format!("stablehlo.convert {} : ({from}) -> {ty}", v.name));
        Ok(Val::new(name, v.axes, to))
    }

    pub(crate) fn not(&mut self, a: &Scal) -> Result<Scal> {
        if let Scal::Const(Const::Bool(b)) = a {
            return Ok(Scal::Const(Const::Bool(!b)));
        }
        Ok(Scal::Tensor(self.elementwise("not", "stablehlo.not", std::slice::from_ref(a))?))
    }

    pub(crate) fn and(&mut self, a: &Scal, b: &Scal) -> Result<Scal> {
        match (a.as_const().and_then(Const::as_bool), b.as_const().and_then(Const::as_bool)) {
            (Some(true), _) => Ok(b.clone()),
            (_, Some(true)) => Ok(a.clone()),
            (Some(false), _) | (_, Some(false)) => Ok(Scal::Const(Const::Bool(false))),
            _ => Ok(Scal::Tensor(self.elementwise("and", "stablehlo.and", &[a.clone(), b.clone()])?)),
        }
    }

    /// Whether a lane takes part.
    pub(crate) fn taking_part(&mut self) -> Result<Scal> {
        let mut all = Scal::Const(Const::Bool(true));
        for condition in self.active.clone() {
            all = self.and(&all, &condition)?;
        }
        Ok(all)
    }

    /// A product, in which a zero may win.
    pub(crate) fn times(&mut self, a: &Scal, b: &Scal, zero_wins: bool) -> Result<Val> {
        let product = self.elementwise("mul", "stablehlo.multiply", &[a.clone(), b.clone()])?;
        if !zero_wins {
            return Ok(product);
        }
        let mut zero = Scal::Const(Const::Bool(false));
        for factor in [a, b] {
            let none = Scal::Const(Const::zero(factor.elem()));
            let is = match factor.as_const() {
                Some(c) if !c.is_zero() => continue,
                _ => Scal::Tensor(self.compare("zero", "EQ", factor, &none)?),
            };
            zero = match zero {
                Scal::Const(_) => is,
                zero => Scal::Tensor(self.elementwise("zero", "stablehlo.or", &[zero, is])?),
            };
        }
        let none = Scal::Const(Const::zero(product.elem));
        self.select("mulz", &zero, &none, &Scal::Tensor(product))
    }

    /// The axes of a tensor in another order.
    pub(crate) fn transposed(&mut self, name: String, dims: &[i64], elem: Scalar, order: &[usize]) -> String {
        if order.iter().copied().eq(0..order.len()) {
            return name;
        }
        let moved: Vec<i64> = order.iter().map(|&k| dims[k]).collect();
        let (from, to) = (tensor(dims, elem_name(elem)), tensor(&moved, elem_name(elem)));
        self.text.value("t", format!("stablehlo.transpose {name}, dims = {} : ({from}) -> {to}", list(order)))
    }

    /// A tensor whose elements run the other way along these of its axes.
    pub(crate) fn turned(&mut self, name: String, dims: &[i64], elem: Scalar, along: &[usize]) -> String {
        if along.is_empty() {
            return name;
        }
        let ty = tensor(dims, elem_name(elem));
        self.text.value("turned", format!("stablehlo.reverse {name}, dims = {} : {ty}", list(along)))
    }

    /// An array with zeros before, behind and between its elements. Returns its extents too.
    pub(crate) fn among_zeros(&mut self, hint: &str, array: &Arr, margins: &Margins) -> (String, Vec<i64>) {
        let Margins { low, high, interior } = margins;
        let grown = |k: usize| {
            let dim = array.dims.get(k).copied().unwrap_or(0);
            dim + low[k] + high[k] + (dim - 1).max(0) * interior[k]
        };
        let dims: Vec<i64> = (0..array.dims.len()).map(grown).collect();
        let zero = self.splat(Const::zero(array.elem), &[]);
        let elem = elem_name(array.elem);
        let op = format!(
            "stablehlo.pad {}, {zero}, low = {}, high = {}, interior = {} : ({}, tensor<{elem}>) -> {}",
            array.name,
            list(low),
            list(high),
            list(interior),
            array.ty(),
            tensor(&dims, elem)
        );
        (self.text.value(hint, op), dims)
    }

    pub(crate) fn reshaped(&mut self, name: String, from: &[i64], to: &[i64], elem: Scalar) -> String {
        if from == to {
            return name;
        }
        let (from, to) = (tensor(from, elem_name(elem)), tensor(to, elem_name(elem)));
        self.text.value("r", format!("stablehlo.reshape {name} : ({from}) -> {to}"))
    }

    /// Tensors of these extents one after another along an axis.
    pub(crate) fn beside(&mut self, hint: &str, names: &[String], dims: &[i64], at: usize, elem: Scalar) -> String {
        if let [one] = names {
            return one.clone();
        }
        let count = names.len() as i64;
        let all: Vec<i64> = dims.iter().enumerate().map(|(k, &dim)| if k == at { dim * count } else { dim }).collect();
        let types = vec![tensor(dims, elem_name(elem)); names.len()].join(", ");
        let (names, all) = (names.join(", "), tensor(&all, elem_name(elem)));
        self.text.value(hint, format!("stablehlo.concatenate {names}, dim = {at} : ({types}) -> {all}"))
    }

    /// A tensor over axes in this order, as a value.
    pub(crate) fn over(&mut self, name: String, axes: &[AxisId], elem: Scalar) -> Val {
        let mut order: Vec<usize> = (0..axes.len()).collect();
        order.sort_by_key(|&k| axes[k]);
        let dims = self.dims(axes);
        let ordered = self.transposed(name.clone(), &dims, elem, &order);
        let unordered = (ordered != name).then(|| (name, axes.to_vec()));
        Val { unordered, ..Val::new(ordered, order.iter().map(|&k| axes[k]).collect(), elem) }
    }
}
