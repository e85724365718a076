//! The description of a program for other hosts, as JSON.
//!
//! Locals are named; the names are unique. An operand is the name of a local as a string, or an object with the type of a
//! constant and its value. Numbers that JSON does not have are the strings `NaN`, `inf` and `-inf`. `narrow` says that kernels
//! hold an `i64` in 32 bits: the host must refuse sizes and integers that do not fit.

use crate::program::{Access, HostFor, Integers, Kernel, Part, Program, Step};
use arr_ir::{Const, Scalar};
use arr_loops::{Expr, LocalId, Operand, ParamSize, SpanId, Ty};
use serde_json::{Map, Value, json};

/// The program without its text: kernels with their bindings and blocks of parameters, slots, fault sites, parameters,
/// results, constant arrays, and the steps of the host as a tree.
pub fn manifest(program: &Program) -> Value {
    let writer = Writer { program };
    let func = &program.func;
    let params: Vec<Value> = func
        .params
        .iter()
        .map(|p| {
            let dims: Vec<Value> = p.dims.iter().map(|d| writer.size(d)).collect();
            json!({ "local": writer.name(p.local), "type": writer.elem(p.local), "dims": dims })
        })
        .collect();
    let outputs: Vec<Value> = func
        .outputs
        .iter()
        .map(|o| {
            let elem = func.elem(o.value).name();
            json!({ "value": writer.operand(o.value), "type": elem, "dims": writer.operands(&o.dims) })
        })
        .collect();
    let slots: Vec<Value> = program
        .slots
        .iter()
        .map(|&local| json!({ "local": writer.name(local), "type": writer.number(local).name() }))
        .collect();
    let places: Vec<Value> =
        program.places.iter().map(|(_, p)| json!({ "demand": p.fault.name(), "span": writer.span(p.span) })).collect();
    json!({
        "format": 1,
        "name": func.name,
        "i64": if program.integers == Integers::Narrow { "i32" } else { "i64" },
        "narrow": program.integers == Integers::Narrow,
        "needs": { "f64": program.needs.f64, "int64": program.needs.int64, "subgroups": program.needs.subgroups },
        "sizes": writer.names(&func.sizes),
        "params": params,
        "outputs": outputs,
        "literals": writer.literals(),
        "slots": slots,
        "places": places,
        "kernels": program.kernels.iter().map(|(_, k)| writer.kernel(k)).collect::<Vec<_>>(),
        "steps": writer.steps(&program.steps),
    })
}

/// The bytes of a scalar in a block of parameters or a buffer.
pub fn width(scalar: Scalar, integers: Integers) -> u32 {
    match scalar {
        Scalar::F64 => 8,
        Scalar::I64 if integers == Integers::Native => 8,
        _ => 4,
    }
}

struct Writer<'a> {
    program: &'a Program,
}

impl Writer<'_> {
    fn name(&self, local: LocalId) -> String {
        self.program.func.locals[local].name.clone()
    }

    fn names(&self, locals: &[LocalId]) -> Vec<String> {
        locals.iter().map(|&l| self.name(l)).collect()
    }

    fn elem(&self, local: LocalId) -> &'static str {
        self.program.func.ty(local).elem().name()
    }

    fn number(&self, local: LocalId) -> Scalar {
        match self.program.func.ty(local) {
            Ty::Scalar(scalar) => scalar,
            Ty::Buffer(_) | Ty::Address(_) => Scalar::I64,
        }
    }

    /// The type in which a scalar is stored.
    fn stored(&self, scalar: Scalar) -> &'static str {
        match scalar {
            Scalar::Bool => "u32",
            _ => crate::scalar::type_name(scalar, self.program.integers),
        }
    }

    fn span(&self, span: SpanId) -> Value {
        match self.program.func.spans.get(span).copied().flatten() {
            Some(span) => json!([span.start, span.end]),
            None => Value::Null,
        }
    }

    fn operand(&self, operand: Operand) -> Value {
        match operand {
            Operand::Local(local) => Value::String(self.name(local)),
            Operand::Const(c) => json!({ c.scalar().name(): constant(c) }),
        }
    }

    fn operands(&self, operands: &[Operand]) -> Vec<Value> {
        operands.iter().map(|&o| self.operand(o)).collect()
    }

    fn size(&self, size: &ParamSize) -> Value {
        let terms = size.terms.iter().map(|(factors, c)| json!({ "times": c, "of": self.names(factors) }));
        Value::Array(terms.collect())
    }

    fn literals(&self) -> Vec<Value> {
        let literals = self.program.func.literals.iter();
        literals
            .map(|(_, l)| {
                let data: Vec<Value> = l.data.iter().map(|&c| constant(c)).collect();
                json!({ "type": l.elem.name(), "dims": l.dims, "data": data })
            })
            .collect()
    }

    fn kernel(&self, kernel: &Kernel) -> Value {
        let mut bindings = Vec::new();
        if !kernel.params.is_empty() {
            bindings.push(json!({ "binding": 0, "kind": "params" }));
        }
        if kernel.slots {
            bindings.push(json!({ "binding": 1, "kind": "slots", "access": "read_write" }));
        }
        if kernel.faults {
            bindings.push(json!({ "binding": 2, "kind": "fault", "access": "read_write" }));
        }
        for (k, binding) in kernel.buffers.iter().enumerate() {
            let access = if binding.access == Access::Read { "read" } else { "read_write" };
            let elem = self.stored(binding.elem);
            let buffer = self.name(binding.buffer);
            bindings
                .push(json!({ "binding": k + 3, "kind": "buffer", "buffer": buffer, "type": elem, "access": access }));
        }
        let mut groups = Map::new();
        groups.insert("points".to_string(), Value::Array(self.operands(&kernel.groups.points)));
        groups.insert("per_group".to_string(), json!(kernel.groups.per_group));
        if let Some(most) = kernel.groups.most {
            groups.insert("most".to_string(), json!(most));
        }
        json!({
            "entry": kernel.name,
            "workgroup": kernel.workgroup,
            "groups": groups,
            "params": self.block(&kernel.params),
            "bindings": bindings,
            "span": self.span(kernel.span),
        })
    }

    /// The uniform block: fields aligned to their size, the whole to 16 bytes.
    fn block(&self, params: &[LocalId]) -> Value {
        let mut at = 0u32;
        let mut fields = Vec::new();
        for &local in params {
            let scalar = self.number(local);
            let width = width(scalar, self.program.integers);
            at = at.div_ceil(width) * width;
            let (local, ty) = (self.name(local), self.stored(scalar));
            fields.push(json!({ "local": local, "type": ty, "of": scalar.name(), "offset": at }));
            at += width;
        }
        json!({ "bytes": at.div_ceil(16) * 16, "fields": fields })
    }

    fn steps(&self, steps: &[Step]) -> Vec<Value> {
        steps.iter().map(|step| self.step(step)).collect()
    }

    fn step(&self, step: &Step) -> Value {
        match step {
            Step::Let { local, expr } => self.binding(*local, expr),
            Step::Var { local, init } => {
                let init = init.map(|o| self.operand(o));
                json!({ "step": "var", "local": self.name(*local), "type": self.elem(*local), "init": init })
            }
            Step::Set { local, value } => {
                json!({ "step": "set", "local": self.name(*local), "value": self.operand(*value) })
            }
            Step::Alloc { local, dims, .. } | Step::AllocZeros { local, dims, .. } => {
                let zeros = matches!(step, Step::AllocZeros { .. });
                let dims = self.operands(dims);
                json!({ "step": "alloc", "local": self.name(*local), "type": self.elem(*local), "dims": dims, "zeros": zeros })
            }
            Step::MakeUnique { local, buffer, .. } => {
                json!({ "step": "unique", "local": self.name(*local), "buffer": self.name(*buffer) })
            }
            Step::Pack { local, parts, .. } => {
                let (name, ty) = (self.name(*local), self.elem(*local));
                json!({ "step": "pack", "local": name, "type": ty, "parts": self.parts(parts) })
            }
            Step::Unpack { local, parts } => {
                json!({ "step": "unpack", "local": self.name(*local), "parts": self.parts(parts) })
            }
            Step::Retain(buffer) => json!({ "step": "retain", "buffer": self.name(*buffer) }),
            Step::Release(buffer) => json!({ "step": "release", "buffer": self.name(*buffer) }),
            Step::Check { demand, args, span } => {
                let args = self.operands(args);
                json!({ "step": "check", "demand": demand.name(), "args": args, "span": self.span(*span) })
            }
            Step::CheckShape { buffer, dims, span } => {
                let (buffer, dims) = (self.name(*buffer), self.operands(dims));
                json!({ "step": "check_shape", "buffer": buffer, "dims": dims, "span": self.span(*span) })
            }
            Step::Dispatch(kernel) => {
                let kernel = self.program.kernels.get(*kernel).map(|k| k.name.as_str());
                json!({ "step": "dispatch", "kernel": kernel })
            }
            Step::Put(values) => {
                let values: Vec<Value> =
                    values.iter().map(|&(l, v)| json!({ "local": self.name(l), "value": self.operand(v) })).collect();
                json!({ "step": "put", "values": values })
            }
            Step::Fetch(locals) => json!({ "step": "fetch", "locals": self.names(locals) }),
            Step::For(l) => self.host_for(l),
            Step::While(l) => json!({
                "step": "while",
                "head": self.steps(&l.head),
                "cond": self.operand(l.cond),
                "body": self.steps(&l.body),
            }),
            Step::If { cond, then_steps, else_steps } => json!({
                "step": "if",
                "cond": self.operand(*cond),
                "then": self.steps(then_steps),
                "else": self.steps(else_steps),
            }),
        }
    }

    fn parts(&self, parts: &[Part]) -> Vec<Value> {
        parts.iter().map(|p| json!({ "buffer": self.name(p.buffer), "start": self.name(p.start) })).collect()
    }

    fn host_for(&self, l: &HostFor) -> Value {
        let inductions: Vec<Value> =
            l.inductions.iter().map(|i| json!({ "local": self.name(i.local), "step": self.operand(i.step) })).collect();
        json!({
            "step": "for",
            "index": self.name(l.index),
            "extent": self.operand(l.extent),
            "reverse": l.reverse,
            "inductions": inductions,
            "body": self.steps(&l.body),
        })
    }

    fn binding(&self, local: LocalId, expr: &Expr) -> Value {
        let (op, args) = match expr {
            Expr::Prim(prim, args) => (prim.name(), self.operands(args)),
            Expr::Copy(a) => ("copy", vec![self.operand(*a)]),
            Expr::BaseAddr(b) => ("data", vec![self.operand((*b).into())]),
            Expr::Len(b) => ("len", vec![self.operand((*b).into())]),
            Expr::Offset(a, n) => ("offset", self.operands(&[(*a).into(), *n])),
            Expr::Load(a, n) => ("load", self.operands(&[(*a).into(), *n])),
            Expr::Literal(id) => ("literal", vec![json!(arr_base::Id::index(*id))]),
        };
        json!({ "step": "let", "local": self.name(local), "type": self.elem(local), "op": op, "args": args })
    }
}

fn constant(c: Const) -> Value {
    match c {
        Const::Bool(b) => json!(b),
        Const::I32(i) => json!(i),
        Const::I64(i) => json!(i),
        Const::U32(u) => json!(u),
        Const::F32(x) => float(f64::from(x)),
        Const::F64(x) => float(x),
    }
}

fn float(x: f64) -> Value {
    if x.is_finite() {
        json!(x)
    } else if x.is_nan() {
        json!("NaN")
    } else {
        json!(if x > 0.0 { "inf" } else { "-inf" })
    }
}
