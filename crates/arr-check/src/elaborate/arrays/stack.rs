//! Array literals: constants as one literal, small arrays by choice, large ones by writing the elements.

use crate::data::problem::{Problem, Role};
use crate::data::types::Ty;
use crate::data::values::{Arg, Hint, Val};
use crate::declare::lowering::MAX_PARTS;
use crate::elaborate::Elab;
use crate::elaborate::elab::MAX_VARS;
use crate::elaborate::sum_values::ROUNDS;
use arr_base::Span;
use arr_ir::{Atom, Const, Literal, Prim, Scalar, SizeId, Type};
use arr_syntax::ast::Expr;

/// Up to this many elements, each place of an array chooses its element.
const MAX_CHOICES: usize = 8;

impl<'a> Elab<'a> {
    /// `[a, b]`
    pub fn array_literal(&mut self, items: &'a [Expr], span: Span, hint: &Hint) -> Val {
        if items.is_empty() {
            return self.empty_array(span, hint);
        }
        let mut values: Vec<Option<Val>> = vec![None; items.len()];
        let mut parts = 0;
        let mut element_hint = match hint.inner() {
            Hint::None => self.joint_hint(Hint::None, items),
            inner => inner,
        };
        for round in ROUNDS {
            for (e, slot) in items.iter().zip(values.iter_mut()) {
                if self.round(e) != round {
                    continue;
                }
                let val = self.expr(e, &element_hint);
                parts += val.ty.parts(MAX_VARS);
                if parts > MAX_VARS {
                    return self.fail(Problem::TooLarge { span: e.span });
                }
                // No number is a boolean, so a boolean says nothing about the numbers beside it.
                if !val.is_error() && val.ty.as_scalar() != Some(Scalar::Bool) {
                    element_hint = Hint::of(&val.ty);
                }
                *slot = Some(val);
            }
        }
        let args = values.into_iter().flatten().zip(items).map(|(val, e)| Arg { val, span: e.span }).collect();
        self.stack(args)
    }

    /// The type of what has no elements: what is expected, with the size 0 on each axis.
    fn empty_type(&mut self, hint: &Hint, zero: SizeId) -> Option<Ty> {
        match hint {
            Hint::None => None,
            Hint::Elem(elem) => Some(Ty::Scalar(*elem)),
            Hint::Array(inner) => Some(self.empty_type(inner, zero)?.under(&[zero])),
            Hint::Tuple(items) => {
                items.iter().map(|item| self.empty_type(item, zero)).collect::<Option<_>>().map(Ty::Tuple)
            }
            Hint::Record(fields) => {
                let fields = fields.iter().map(|(name, field)| Some((name.clone(), self.empty_type(field, zero)?)));
                fields.collect::<Option<_>>().map(Ty::Record)
            }
            Hint::Sum(name, _) => self.expected_sum(name, hint),
        }
    }

    fn empty_array(&mut self, span: Span, hint: &Hint) -> Val {
        let zero = self.size_const(0);
        let Some(ty @ Ty::Array(..)) = self.empty_type(hint, zero) else {
            return self.fail(Problem::Ambiguous { span, what: "an empty array" });
        };
        let empty = |(_, leaf): (String, Type)| {
            let literal = Literal { elem: leaf.elem, dims: vec![0; leaf.dims.len()], data: Vec::new() };
            Atom::Var(self.b.literal(literal, "empty"))
        };
        let leaves = ty.leaves().into_iter().map(empty).collect();
        Val::new(ty, leaves)
    }

    /// Values of one type as an array of them.
    pub fn stack(&mut self, args: Vec<Arg>) -> Val {
        let Some(first) = args.iter().find(|a| !a.val.is_error()) else { return Val::error() };
        let ty = first.val.ty.clone();
        if let Some(f) = args.iter().find(|a| a.val.ty.has_fn()) {
            return self.fail(Problem::FunctionValue { span: f.span, place: "an element of an array", hint: None });
        }
        let first_span = first.span;
        let spans: Vec<Span> = args.iter().map(|a| a.span).collect();
        let facts = vec![(first_span, format!("this element has type `{}`", self.show(&ty)))];
        let values: Vec<Val> = args
            .into_iter()
            .map(|a| self.conform_with(a.val, &ty, Role::ArrayElement, a.span, facts.clone()))
            .collect();
        if values.iter().any(Val::is_error) {
            return Val::error();
        }
        if let Some(span) = self.too_many_computed(&values, &spans) {
            let what = format!("an array of more than {MAX_PARTS} computed elements, written one by one, is");
            return self.fail(Problem::Unsupported { span, what });
        }
        let n = self.size_const(i64::try_from(values.len()).unwrap_or(i64::MAX));
        let mut leaves = Vec::new();
        for (at, (_, leaf)) in ty.leaves().into_iter().enumerate() {
            let atoms: Vec<Atom> = values.iter().filter_map(|v| v.leaves.get(at).copied()).collect();
            leaves.push(self.stack_leaf(&atoms, &leaf, n));
        }
        Val::new(ty.under(&[n]), leaves)
    }

    /// The first element that is one too many, if there is one. Only elements that are not constant count: each is a
    /// statement of its own.
    fn too_many_computed(&self, values: &[Val], spans: &[Span]) -> Option<Span> {
        let constant = |atom: &Atom| match atom {
            Atom::Const(_) => true,
            Atom::Var(v) => self.literals.contains_key(v),
        };
        let mut computed = values.iter().zip(spans).filter(|(v, _)| !v.leaves.iter().all(constant));
        computed.nth(MAX_PARTS).map(|(_, span)| *span)
    }

    fn stack_leaf(&mut self, atoms: &[Atom], leaf: &Type, n: arr_ir::SizeId) -> Atom {
        if let Some(literal) = self.constant_array(atoms, leaf) {
            return self.literal(literal);
        }
        let dims: Vec<arr_ir::SizeId> = std::iter::once(n).chain(leaf.dims.iter().copied()).collect();
        if atoms.len() <= MAX_CHOICES {
            return self.tabulate1(&dims, "array", |e, index| {
                let Some((i, rest)) = index.split_first() else { return e.broken("an array literal without an axis") };
                if rest.is_empty() { e.select_of(*i, atoms) } else { e.choose(*i, 0, atoms, rest) }
            });
        }
        let whole = Ty::array(&dims, leaf.elem);
        let base = self.base_array(atoms, leaf, &dims);
        let mut array = Val::new(whole, vec![base]);
        for (i, atom) in atoms.iter().enumerate() {
            if leaf.dims.is_empty() && atom.constant().is_some() {
                continue;
            }
            let part = Val::new(Ty::array(&leaf.dims, leaf.elem), vec![*atom]);
            array = self.replace(&array, &[Self::int(i64::try_from(i).unwrap_or(i64::MAX))], &part, false);
        }
        array.atom().unwrap_or_else(|| self.broken("an array that is not one after its elements are written"))
    }

    /// What the elements that are not constant are written into.
    fn base_array(&mut self, atoms: &[Atom], leaf: &Type, dims: &[arr_ir::SizeId]) -> Atom {
        if !leaf.dims.is_empty() {
            return self.zero(dims, leaf.elem, "array");
        }
        let data = atoms.iter().map(|a| a.constant().unwrap_or(Const::zero(leaf.elem))).collect();
        let len = i64::try_from(atoms.len()).unwrap_or(i64::MAX);
        self.literal(Literal { elem: leaf.elem, dims: vec![len], data })
    }

    fn literal(&mut self, literal: Literal) -> Atom {
        let v = self.b.literal(literal.clone(), "array");
        self.literals.insert(v, literal);
        Atom::Var(v)
    }

    /// The literal of constants, or of literals of one shape.
    fn constant_array(&self, atoms: &[Atom], leaf: &Type) -> Option<Literal> {
        let len = i64::try_from(atoms.len()).ok()?;
        let mut data = Vec::new();
        let mut dims = vec![len];
        for atom in atoms {
            match atom {
                Atom::Const(c) => data.push(*c),
                Atom::Var(v) => {
                    let literal = self.literals.get(v)?;
                    if dims.len() == 1 {
                        dims.extend(&literal.dims);
                    }
                    data.extend(literal.data.iter().copied());
                }
            }
        }
        Some(Literal { elem: leaf.elem, dims, data })
    }

    /// `atoms[i]`, by comparing `i`.
    fn select_of(&mut self, i: Atom, atoms: &[Atom]) -> Atom {
        let Some((last, before)) = atoms.split_last() else { return self.broken("a choice of nothing") };
        let mut result = *last;
        for (at, atom) in before.iter().enumerate().rev() {
            let here = Self::int(i64::try_from(at).unwrap_or(i64::MAX));
            let cond = self.prim(Prim::Eq, vec![i, here]);
            result = self.prim(Prim::Select, vec![cond, *atom, result]);
        }
        result
    }

    /// `atoms[i][rest]`: only the chosen array is read.
    fn choose(&mut self, i: Atom, at: usize, atoms: &[Atom], rest: &[Atom]) -> Atom {
        let Some(atom) = atoms.get(at) else { return self.broken("a choice of nothing") };
        if at + 1 == atoms.len() {
            return self.read_inside(*atom, rest.to_vec());
        }
        let here = Self::int(i64::try_from(at).unwrap_or(i64::MAX));
        let cond = self.prim(Prim::Eq, vec![i, here]);
        self.lazy_if(cond, |e| e.read_inside(*atom, rest.to_vec()), |e| e.choose(i, at + 1, atoms, rest))
    }

    /// A scalar `if` whose branches are evaluated lazily.
    pub fn lazy_if(
        &mut self,
        cond: Atom,
        then: impl FnOnce(&mut Self) -> Atom,
        otherwise: impl FnOnce(&mut Self) -> Atom,
    ) -> Atom {
        self.b.open();
        let a = then(self);
        let then_block = self.b.close(vec![a]);
        self.b.open();
        let b = otherwise(self);
        let else_block = self.b.close(vec![b]);
        let results = self.b.if_(cond, then_block, else_block, "if");
        results.first().map_or(a, |v| Atom::Var(*v))
    }
}
