//! Entries: a definition or an expression as a core function.

use crate::data::problem::Problem;
use crate::data::tables::{DefInfo, Inferred, Tables};
use crate::data::types::Ty;
use crate::data::values::{Arg, Hint, Val};
use crate::elaborate::calls::parameters::Declared;
use crate::elaborate::{Elab, Mode};
use crate::messages::tidy;
use crate::resolve::names;
use crate::sink_updates::sink_updates;
use arr_base::Diagnostic;
use arr_ir::{Atom, Const, EdgeParam, Func, Op, Scalar};
use arr_syntax::ast::Expr;

/// The direction in which an entry is differentiated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GradientMode {
    Reverse,
    /// Half of the gradient of the result as one number: the cotangent is 1/2. A declared derivative that forgets its
    /// cotangent, or is not linear in it, gives something else.
    ReverseOfHalf,
    /// The value in front of the gradient. Without named parameters that with respect to all that hold floats.
    ReverseWithValue,
    Forward,
    /// The tangent of the result as one number.
    ForwardOfNumber,
}

impl GradientMode {
    /// Whether a result of several floats is taken as one number, their weighted sum.
    fn is_of_number(self) -> bool {
        matches!(self, GradientMode::ReverseOfHalf | GradientMode::ForwardOfNumber)
    }
}

/// What was found wrong on the way to a function.
type Failed = Vec<Diagnostic>;

/// The problems of the definitions that these use, and of them; empty if there are none.
fn problems_of(tables: &Tables, roots: &[usize]) -> Failed {
    tables.look_at(roots.iter().copied());
    let reachable = tables.reachable(roots);
    let infos = reachable.iter().filter_map(|d| tables.info(*d));
    let mut found: Failed = infos.flat_map(DefInfo::all_problems).cloned().collect();
    tidy(&mut found);
    found
}

fn find_entry<'a>(tables: &'a Tables, name: &str) -> Result<(usize, &'a DefInfo), Failed> {
    let found = tables.def_index(name).and_then(|d| Some((d, tables.info(d)?)));
    let Some((def, info)) = found else {
        let names = tables.entry_names();
        return Err(vec![Problem::NoEntry { name: name.to_string(), names }.into()]);
    };
    let problems = problems_of(tables, &[def]);
    if problems.is_empty() { Ok((def, info)) } else { Err(problems) }
}

/// An elaborator in which the constants that these definitions use are evaluated.
fn elaborator<'a>(tables: &'a Tables, name: &str, uses: &[usize]) -> Elab<'a> {
    let mut e = Elab::new(tables, Mode::Elaborate, name);
    for def in tables.reachable(uses) {
        let Some(info) = tables.info(def) else { continue };
        if info.params.is_some() || matches!(info.inferred.get(), Some(Inferred::Const(..))) {
            continue;
        }
        let outer = e.b.span.replace(info.span);
        let val = e.use_def(def, &Hint::None);
        e.b.span = outer;
        e.name_value(&val, &info.name);
        e.constants.insert(def, val);
    }
    e
}

/// The types that stand for the type parameters of an entry: `f64` where that is allowed, as all bounds do.
fn entry_types(info: &DefInfo) -> Vec<(&str, Scalar)> {
    info.type_params.iter().map(|(name, _)| (name.as_str(), Scalar::F64)).collect()
}

/// A test's name as IR text can write it.
fn plain(name: &str) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() || c == '\'' { c } else { '_' };
    match name.strip_prefix('"') {
        Some(title) => format!("test_{}", title.trim_end_matches('"').chars().map(word).collect::<String>()),
        None => name.to_string(),
    }
}

struct Entry<'a> {
    e: Elab<'a>,
    info: &'a DefInfo,
    declared: Declared<'a>,
}

/// An elaborator with the parameters of an entry made.
fn open<'a>(tables: &'a Tables, name: &str, suffix: &str) -> Result<(Entry<'a>, usize), Failed> {
    let (def, info) = find_entry(tables, name)?;
    let uses: Vec<usize> = info.all_uses().collect();
    let mut e = elaborator(tables, &format!("{}{suffix}", plain(name)), &uses);
    e.b.span = Some(info.span);
    let declared = e.declare(info, &entry_types(info));
    for (param, val) in info.params().iter().zip(&declared.params) {
        if val.ty.has_fn() {
            let place = "a parameter at the program's edge";
            let hint = format!("write a definition without such a parameter that calls `{name}` with a function");
            return Err(vec![Problem::FunctionValue { span: param.span, place, hint: Some(hint) }.into()]);
        }
    }
    Ok((Entry { e, info, declared }, def))
}

impl<'a> Entry<'a> {
    /// The entry applied to its own parameters.
    fn apply(&mut self, def: usize) -> Val {
        let Some(params) = &self.info.params else {
            return self.e.use_def(def, &Hint::None);
        };
        let args = params.iter().zip(&self.declared.params);
        let args = args.map(|(p, val)| Arg { val: val.clone(), span: p.span }).collect();
        self.e.b.span = Some(self.info.span);
        self.e.apply_def(def, args, &Hint::None)
    }

    /// The function, with the entry's parameters and this result.
    fn finish(mut self, result: Val) -> Result<Func, Failed> {
        let params: Vec<Val> = std::mem::take(&mut self.declared.params);
        let mut edges = Vec::new();
        for (sig, val) in self.info.params().iter().zip(&params) {
            if let Some(ty) = val.ty.edge() {
                edges.push(EdgeParam { name: sig.name.clone(), ty, text: sig.text.clone() });
            }
        }
        let sizes = self.declared.sizes;
        finish(self.e, sizes, params, edges, result, self.info.span)
    }
}

fn finish(
    mut e: Elab,
    sizes: Vec<arr_ir::VarId>,
    params: Vec<Val>,
    edges: Vec<EdgeParam>,
    result: Val,
    span: arr_base::Span,
) -> Result<Func, Failed> {
    if result.ty.has_fn() {
        let place = "the result at the program's edge";
        e.fail(Problem::FunctionValue { span, place, hint: None });
    }
    if !e.problems.is_empty() {
        tidy(&mut e.problems);
        return Err(e.problems);
    }
    // Without an edge type the body has text that could not be parsed, which the parser has reported.
    let Some(edge) = result.ty.edge() else { return Err(Vec::new()) };
    let mut func = e.b.finish(result.leaves);
    sink_updates(&mut func);
    if let Some(&what) = func.broken.first() {
        return Err(vec![Problem::Broken { span, what }.into()]);
    }
    func.sizes = sizes;
    func.params = params.iter().flat_map(|p| &p.leaves).filter_map(|a| a.var()).collect();
    func.edge_params = edges;
    func.edge_result = edge;
    Ok(func)
}

pub(crate) fn elaborate(tables: &Tables, name: &str) -> Result<Func, Failed> {
    let (mut entry, def) = open(tables, name, "")?;
    let result = entry.apply(def);
    entry.finish(result)
}

pub(crate) fn elaborate_number(tables: &Tables, name: &str) -> Result<(Func, bool), Failed> {
    let (mut entry, def) = open(tables, name, "")?;
    let result = entry.apply(def);
    let whole = result.ty.clone();
    let number = entry.e.as_number(result);
    let is_sum = number.ty != whole;
    Ok((entry.finish(number)?, is_sum))
}

pub(crate) fn elaborate_expr(tables: &Tables, expr: &Expr) -> Result<Func, Failed> {
    let report = names::resolve_expr(tables, expr);
    let uses: Vec<usize> = report.uses.iter().map(|(u, _)| *u).collect();
    let mut problems = report.problems;
    problems.extend(problems_of(tables, &uses));
    if !problems.is_empty() {
        tidy(&mut problems);
        return Err(problems);
    }
    let mut e = elaborator(tables, "eval", &uses);
    let result = e.expr(expr, &Hint::None);
    finish(e, Vec::new(), Vec::new(), Vec::new(), result, expr.span)
}

/// The parameters to differentiate with respect to.
fn chosen(info: &DefInfo, wrt: &[String]) -> Result<Vec<usize>, Failed> {
    if wrt.is_empty() {
        return Ok(vec![0]);
    }
    let params: Vec<String> = info.params().iter().map(|p| p.name.clone()).collect();
    let mut at: Vec<usize> = Vec::new();
    let mut problems = Vec::new();
    for name in wrt {
        // Parameters that are patterns share a name, which means the first of them, then the second, and so on.
        match (0..params.len()).find(|i| params.get(*i) == Some(name) && !at.contains(i)) {
            Some(i) => at.push(i),
            None => {
                let (name, def) = (name.clone(), info.name.clone());
                problems.push(Problem::BadWrt { name, params: params.clone(), def }.into());
            }
        }
    }
    if problems.is_empty() { Ok(at) } else { Err(problems) }
}

pub(crate) fn elaborate_gradient(
    tables: &Tables,
    name: &str,
    wrt: &[String],
    mode: GradientMode,
    kept_calls: bool,
) -> Result<Func, Failed> {
    let suffix = match mode {
        GradientMode::Reverse | GradientMode::ReverseOfHalf => "_grad",
        GradientMode::ReverseWithValue => "_value_and_grad",
        GradientMode::Forward | GradientMode::ForwardOfNumber => "_jvp",
    };
    let (mut entry, def) = open(tables, name, suffix)?;
    entry.e.kept_calls = kept_calls;
    let mut chosen = chosen(entry.info, wrt)?;
    if wrt.is_empty() && mode == GradientMode::ReverseWithValue {
        let params = entry.declared.params.iter().enumerate();
        let floats: Vec<usize> = params.filter(|(_, val)| val.ty.has_float()).map(|(at, _)| at).collect();
        // Where there is none, the first one gives the diagnostic.
        chosen = if floats.is_empty() { chosen } else { floats };
    }
    let mut tangent_types = Vec::new();
    for at in &chosen {
        let (param, val) = (entry.info.params().get(*at), entry.declared.params.get(*at));
        let span = param.map_or(entry.info.span, |p| p.span);
        let ty = val.map_or(Ty::unit(), |v| v.ty.clone());
        tangent_types.push(entry.e.tangent_type(&ty, span));
    }
    let Some(tangent_types) = tangent_types.into_iter().collect::<Option<Vec<Ty>>>() else {
        tidy(&mut entry.e.problems);
        return Err(entry.e.problems);
    };
    match mode {
        GradientMode::Forward | GradientMode::ForwardOfNumber => forward(entry, def, &chosen, tangent_types, mode),
        reverse_mode => reverse(entry, def, &chosen, tangent_types, reverse_mode),
    }
}

/// The entry as a function of one tuple of the chosen parameters, evaluated in a block whose params are its floats.
fn trace(entry: &mut Entry, def: usize, chosen: &[usize], mode: GradientMode) -> (Vec<Atom>, arr_ir::Block, Val) {
    let originals = entry.declared.params.clone();
    let (mut inputs, mut params) = (Vec::new(), Vec::new());
    // In the order of `chosen`, which is the order of the results.
    for at in chosen {
        let Some(val) = entry.declared.params.get_mut(*at) else { continue };
        for atom in &mut val.leaves {
            if entry.e.b.func.is_float(*atom) {
                let copy = entry.e.copy_of(*atom);
                inputs.push(*atom);
                params.push(copy);
                *atom = Atom::Var(copy);
            }
        }
    }
    entry.e.b.open_with(params);
    let mut y = entry.apply(def);
    if mode.is_of_number() {
        y = entry.e.as_number(y);
    }
    let body = entry.e.b.close(y.leaves.clone());
    entry.declared.params = originals;
    (inputs, body, y)
}

fn reverse(mut entry: Entry, def: usize, chosen: &[usize], types: Vec<Ty>, mode: GradientMode) -> Result<Func, Failed> {
    let with_value = mode == GradientMode::ReverseWithValue;
    let (inputs, body, y) = trace(&mut entry, def, chosen, mode);
    if y.is_error() {
        return entry.finish(y);
    }
    let Some(elem) = y.ty.as_scalar().filter(|e| e.is_float()) else {
        let ty = entry.e.show(&y.ty);
        let span = entry.info.result_span.unwrap_or(entry.info.span);
        return Err(vec![Problem::NotScalar { span, ty, what: "a gradient", has_float: y.ty.has_float() }.into()]);
    };
    let mut results = entry.e.names_of(&y.ty, "y");
    results.extend(entry.e.gradient_names(&inputs));
    let seed = match (mode, elem) {
        (GradientMode::ReverseOfHalf, Scalar::F32) => Const::F32(0.5),
        (GradientMode::ReverseOfHalf, _) => Const::F64(0.5),
        _ => Const::one(elem),
    };
    let op = Op::Vjp { inputs, seeds: vec![Atom::Const(seed)], body };
    let vars = entry.e.b.emit(op, results);
    let mut vars = vars.into_iter().map(Atom::Var);
    let value: Vec<Atom> = vars.by_ref().take(1).collect();
    let mut gradients = vars;
    let mut parts = if with_value { vec![Val::new(y.ty, value)] } else { Vec::new() };
    for (at, ty) in chosen.iter().zip(types) {
        let Some(primal) = entry.declared.params.get(*at) else { continue };
        let count = primal.leaves.iter().filter(|a| entry.e.b.func.is_float(**a)).count();
        parts.push(entry.e.tangent_value(primal, &ty, gradients.by_ref().take(count).collect()));
    }
    let result = match <[Val; 1]>::try_from(parts) {
        Ok([one]) if !with_value => one,
        Ok(one) => Val::tuple(one.into()),
        Err(parts) => Val::tuple(parts),
    };
    entry.finish(result)
}

fn forward(mut entry: Entry, def: usize, chosen: &[usize], types: Vec<Ty>, mode: GradientMode) -> Result<Func, Failed> {
    // The tangents are parameters too, behind the entry's own.
    let mut tangents = Vec::new();
    let mut extra = Vec::new();
    for (at, ty) in chosen.iter().zip(&types) {
        let name = entry.info.params().get(*at).map_or("d".to_string(), |p| format!("d_{}", p.name));
        let val = entry.e.placeholder(ty, &name);
        entry.e.named.extend(val.leaves.iter().filter_map(|a| a.var()));
        if let Some(primal) = entry.declared.params.get(*at) {
            tangents.extend(entry.e.tangent_floats(primal, &val));
        }
        if let Some(edge) = ty.edge() {
            let text = entry.e.show(ty);
            extra.push((val, EdgeParam { name, ty: edge, text }));
        }
    }
    let (inputs, body, y) = trace(&mut entry, def, chosen, mode);
    if y.is_error() {
        return entry.finish(y);
    }
    let dy = y.ty.float_part().unwrap_or_else(Ty::unit);
    let mut results = entry.e.names_of(&y.ty, "y");
    let width = results.len();
    results.extend(entry.e.tangent_names(&y.ty, "dy"));
    let op = Op::Jvp { inputs, tangents, body };
    let vars: Vec<Atom> = entry.e.b.emit(op, results).into_iter().map(Atom::Var).collect();
    let (value, tangent) = vars.split_at(width.min(vars.len()));
    let y = Val::new(y.ty, value.to_vec());
    let dy = entry.e.tangent_value(&y, &dy, tangent.to_vec());
    let result = Val::tuple(vec![y, dy]);
    let mut func = entry.finish(result)?;
    for (val, edge) in extra {
        func.params.extend(val.leaves.iter().filter_map(|a| a.var()));
        func.edge_params.push(edge);
    }
    Ok(func)
}
