//! Warnings: names that nothing uses, definitions and names that hide a built-in function, and exponents that are rounded.
//!
//! They are found on the syntax of the file that was asked about. The names that an expression uses without binding
//! them are found from the inside out; what binds a name takes it out of them, and warns if it is not there.

use crate::data::builtins;
use crate::data::tables::{DefInfo, Tables};
use arr_base::{Code, Diagnostic, Span};
use arr_syntax::ast::{
    BinaryOp, Binding, Def, DerivativeDef, Expr, ExprKind, Generator, Import, Item, Loop, LoopKind, Param, Pattern,
    PatternKind, Size, SizeKind, Type, TypeArg, TypeBody, TypeKind, split_qualified,
};
use rustc_hash::FxHashSet;

type Names<'a> = FxHashSet<&'a str>;

impl Tables {
    /// The warnings about the file that was asked about.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let Some(module) = self.modules.first() else { return Vec::new() };
        let mut walk = Walk { found: Vec::new() };
        let mut used = Names::default();
        let mut examples = String::new();
        for item in &module.syntax.items {
            merge(&mut used, walk.item(item));
            if let Item::Def(Def { doc, .. }) = item {
                doc.iter().for_each(|line| examples.push_str(line));
            }
        }
        for item in &module.syntax.items {
            if let Item::Import(import) = item {
                walk.import(import, &used, &examples);
            }
        }
        self.unused_definitions(&examples, &mut walk.found);
        walk.found
    }

    /// Definitions whose names begin with `_`, which are for their file alone, and that nothing in it uses.
    fn unused_definitions(&self, examples: &str, found: &mut Vec<Diagnostic>) {
        let used: FxHashSet<usize> =
            self.defs.iter().flat_map(|d| d.all_uses().filter(|used| *used != d.id).collect::<Vec<_>>()).collect();
        let own = |d: &&DefInfo| d.module == 0 && !d.test && d.name.starts_with('_');
        for def in self.defs.iter().filter(own) {
            if !used.contains(&def.id) && !mentions(examples, &def.name) {
                let title = format!("nothing uses the definition `{}`", def.name);
                let d = warning(Code::UNUSED_DEFINITION, title, def.span, "not used");
                found.push(d.hint("a name that begins with `_` is for its own file; leave the definition out"));
            }
        }
    }
}

fn warning(code: Code, title: String, span: Span, label: &str) -> Diagnostic {
    Diagnostic::warning(code, title).at(span, label)
}

/// Whether a text has a name as a word.
fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\'')).any(|word| word == name)
}

/// Adds names; the fewer are moved.
fn merge<'a>(to: &mut Names<'a>, mut from: Names<'a>) {
    if from.len() > to.len() {
        std::mem::swap(to, &mut from);
    }
    to.extend(from);
}

struct Walk {
    found: Vec<Diagnostic>,
}

impl Walk {
    fn item<'a>(&mut self, item: &'a Item) -> Names<'a> {
        let mut names = Names::default();
        match item {
            Item::Def(def) => {
                if builtins::lookup(&def.name.text).is_some_and(|builtin| !builtin.is_common_name()) {
                    self.hides_builtin(&def.name.text, def.name.span);
                }
                names = self.definition(def);
            }
            Item::Test(test) => names = self.definition(&test.def),
            Item::Derivative(rule) => {
                names = self.free(&rule.body);
                self.cotangent(rule, &names);
                rule.params.iter().filter_map(|p| p.ty.as_ref()).for_each(|ty| type_names(ty, &mut names));
            }
            Item::Type(def) => match &def.body {
                TypeBody::Alias(ty) => type_names(ty, &mut names),
                TypeBody::Sum(all) => all.iter().flat_map(|c| &c.fields).for_each(|ty| type_names(ty, &mut names)),
            },
            Item::Import(_) | Item::Error(_) => {}
        }
        names
    }

    /// Warns of a declared derivative that forgets the cotangent of its result: where that is 1, as in the gradient of
    /// the definition itself, nothing else shows it.
    fn cotangent(&mut self, rule: &DerivativeDef, names: &Names<'_>) {
        let Some(Pattern { kind: PatternKind::Name(name), span }) = rule.params.last().map(|p| &p.pattern) else {
            return;
        };
        if !names.contains(name.as_str()) && !name.starts_with('_') {
            let title = format!("the derivative of `{}` does not depend on `{name}`", rule.name.text);
            let d = warning(Code::UNUSED_NAME, title, *span, "the cotangent of the result, which is not used");
            self.found.push(d.hint(format!("multiply by `{name}`, or call it `_` if the derivative is zero")));
        }
    }

    fn definition<'a>(&mut self, def: &'a Def) -> Names<'a> {
        let mut names = self.free(&def.body);
        if let Some(ty) = &def.result {
            type_names(ty, &mut names);
        }
        self.params(def.params.as_deref().unwrap_or_default(), &mut names);
        names
    }

    /// Takes out the names of parameters. The type of one may mention another, and one whose type has a size that is
    /// used is used.
    fn params<'a>(&mut self, params: &'a [Param], names: &mut Names<'a>) {
        let gives_size = |param: &Param| {
            let mut own = Names::default();
            param.ty.iter().for_each(|ty| sizes_of(ty, &mut own));
            own.iter().any(|name| names.contains(name))
        };
        let unclear: Vec<&Param> = params.iter().filter(|p| !gives_size(p)).collect();
        params.iter().filter_map(|p| p.ty.as_ref()).for_each(|ty| type_names(ty, names));
        for param in unclear {
            self.bound(&param.pattern, "parameter", names);
        }
        params.iter().for_each(|p| take_out(&p.pattern, names));
    }

    /// Warns if none of the names of a pattern is used. A name that begins with `_` is meant not to be.
    fn bound(&mut self, pattern: &Pattern, what: &str, names: &Names) {
        let mut own = Vec::new();
        pattern_names(pattern, &mut own);
        if own.is_empty() || own.iter().any(|name| name.starts_with('_') || names.contains(name)) {
            return;
        }
        let d = match (&pattern.kind, what) {
            (PatternKind::Name(name), what) => {
                let d =
                    warning(Code::UNUSED_NAME, format!("nothing uses the {what} `{name}`"), pattern.span, "not used");
                d.hint(format!("leave it out, or call it `_{name}`")).fix(pattern.span, format!("_{name}"))
            }
            (_, what) => {
                let title = format!("nothing uses what this {what} takes apart");
                warning(Code::UNUSED_NAME, title, pattern.span, "no name of it is used").hint("write `_`")
            }
        };
        self.found.push(d);
    }

    fn hides_builtin(&mut self, name: &str, span: Span) {
        let d = warning(
            Code::HIDES_BUILTIN,
            format!("the definition `{name}` hides the built-in function"),
            span,
            "hides it",
        );
        self.found.push(d.hint("give it another name, as readers expect the built-in function"));
    }

    fn import(&mut self, import: &Import, used: &Names, examples: &str) {
        let Some(name) = import.local_name() else { return };
        if !used.contains(name) && !mentions(examples, name) {
            let d = warning(Code::UNUSED_IMPORT, format!("nothing uses the import `{name}`"), import.span, "not used");
            self.found.push(d.hint("leave it out"));
        }
    }

    /// The names that an expression uses and does not bind.
    fn free<'a>(&mut self, e: &'a Expr) -> Names<'a> {
        let mut names = Names::default();
        match &*e.kind {
            ExprKind::Name(name) => {
                names.insert(name);
            }
            // What a function is given is for its caller to say, so nothing is said of its parameters.
            ExprKind::Lambda(params, body) => {
                names = self.free(body);
                params.iter().filter_map(|p| p.ty.as_ref()).for_each(|ty| type_names(ty, &mut names));
                params.iter().for_each(|p| take_out(&p.pattern, &mut names));
            }
            ExprKind::Let(bindings, body) => {
                names = self.free(body);
                bindings.iter().rev().for_each(|binding| self.binding(binding, &mut names));
            }
            ExprKind::For(generators, body) => {
                names = self.free(body);
                generators.iter().rev().for_each(|generator| self.generator(generator, &mut names));
            }
            ExprKind::Loop(l) => names = self.loop_(l),
            ExprKind::Match(e, arms) => {
                names = self.free(e);
                for (pattern, arm) in arms {
                    let mut inner = self.free(arm);
                    take_out(pattern, &mut inner);
                    constructors(pattern, &mut inner);
                    merge(&mut names, inner);
                }
            }
            kind => {
                if let ExprKind::Binary(BinaryOp::Pow, _, exponent) = kind {
                    self.exponent(exponent);
                }
                kind.for_each_child(|child| merge(&mut names, self.free(child)));
                if let ExprKind::Assert(_, ty) = kind {
                    type_names(ty, &mut names);
                }
            }
        }
        names
    }

    /// Warns of an exponent such as `1 / 2`, which is 0.
    fn exponent(&mut self, e: &Expr) {
        let ExprKind::Binary(BinaryOp::Div, a, b) = &*e.kind else { return };
        let whole = |e: &Expr| match &*e.kind {
            ExprKind::Number(number) if !number.is_decimal() => number.decimal_digits().parse::<u64>().ok(),
            _ => None,
        };
        let (Some(a), Some(b)) = (whole(a), whole(b)) else { return };
        if let (Some(quotient), Some(1..)) = (a.checked_div(b), a.checked_rem(b)) {
            let title = format!("the exponent `{a} / {b}` is {quotient}");
            let d = warning(Code::ROUNDED_EXPONENT, title, e.span, "`/` of integers rounds down");
            self.found.push(d.hint(format!("with a point it is a fraction: `{a}.0 / {b}.0`")));
        }
    }

    fn binding<'a>(&mut self, binding: &'a Binding, names: &mut Names<'a>) {
        self.bound(&binding.pattern, "`let`", names);
        take_out(&binding.pattern, names);
        constructors(&binding.pattern, names);
        merge(names, self.free(&binding.value));
        binding.ty.iter().for_each(|ty| type_names(ty, names));
    }

    fn generator<'a>(&mut self, generator: &'a Generator, names: &mut Names<'a>) {
        match generator {
            Generator::Range(name, extent) => {
                names.remove(name.text.as_str());
                merge(names, self.free(extent));
            }
            Generator::Inferred(name) => {
                names.remove(name.text.as_str());
            }
            Generator::Element(pattern, array) => {
                take_out(pattern, names);
                merge(names, self.free(array));
            }
        }
    }

    fn loop_<'a>(&mut self, l: &'a Loop) -> Names<'a> {
        let mut names = self.free(&l.body);
        if let LoopKind::While(condition) = &l.kind {
            merge(&mut names, self.free(condition));
        }
        take_out(&l.state, &mut names);
        match &l.kind {
            LoopKind::Range(name, extent) => {
                names.remove(name.text.as_str());
                merge(&mut names, self.free(extent));
            }
            LoopKind::Element(pattern, array) => {
                take_out(pattern, &mut names);
                merge(&mut names, self.free(array));
            }
            LoopKind::While(_) => {}
        }
        merge(&mut names, self.free(&l.init));
        l.ty.iter().for_each(|ty| type_names(ty, &mut names));
        names
    }
}

/// The names that a pattern binds.
fn pattern_names<'a>(pattern: &'a Pattern, out: &mut Vec<&'a str>) {
    match &pattern.kind {
        PatternKind::Name(name) => out.push(name),
        PatternKind::Tuple(items) | PatternKind::Constructor(_, items) => {
            items.iter().for_each(|p| pattern_names(p, out));
        }
        PatternKind::Record(fields) => {
            for (name, inner) in fields {
                match inner {
                    Some(inner) => pattern_names(inner, out),
                    None => out.push(&name.text),
                }
            }
        }
        PatternKind::Wildcard | PatternKind::Int(_) | PatternKind::Bool(_) | PatternKind::Error => {}
    }
}

fn take_out<'a>(pattern: &'a Pattern, names: &mut Names<'a>) {
    let mut own = Vec::new();
    pattern_names(pattern, &mut own);
    names.retain(|name| !own.contains(name));
}

/// The constructors that a pattern names: they may be those of an import.
fn constructors<'a>(pattern: &'a Pattern, names: &mut Names<'a>) {
    match &pattern.kind {
        PatternKind::Constructor(name, items) => {
            add_qualified(&name.text, names);
            items.iter().for_each(|p| constructors(p, names));
        }
        PatternKind::Tuple(items) => items.iter().for_each(|p| constructors(p, names)),
        PatternKind::Record(fields) => {
            fields.iter().filter_map(|(_, p)| p.as_ref()).for_each(|p| constructors(p, names))
        }
        _ => {}
    }
}

/// A name, and that of the module in front of it.
fn add_qualified<'a>(name: &'a str, names: &mut Names<'a>) {
    let (module, base) = split_qualified(name);
    names.extend(module);
    if module.is_none() {
        names.insert(base);
    }
}

/// The sizes of the axes that a written type has, and the arguments of named types, which may be sizes.
fn sizes_of<'a>(ty: &'a Type, names: &mut Names<'a>) {
    match &ty.kind {
        TypeKind::Named { args, .. } => argument_names(args, names),
        TypeKind::Array(size, inner) => {
            size_names(size, names);
            sizes_of(inner, names);
        }
        TypeKind::Tuple(items) => items.iter().for_each(|t| sizes_of(t, names)),
        TypeKind::Record(fields) => fields.iter().for_each(|(_, t)| sizes_of(t, names)),
        TypeKind::Function(..) | TypeKind::Error => {}
    }
}

/// The names that the arguments of a named type mention.
fn argument_names<'a>(args: &'a [TypeArg], names: &mut Names<'a>) {
    for arg in args {
        match arg {
            TypeArg::Size(size) => size_names(size, names),
            TypeArg::Type(ty) => type_names(ty, names),
        }
    }
}

/// The names that a written type mentions: types, sizes, modules.
fn type_names<'a>(ty: &'a Type, names: &mut Names<'a>) {
    match &ty.kind {
        TypeKind::Named { name, args } => {
            add_qualified(&name.text, names);
            argument_names(args, names);
        }
        TypeKind::Array(size, inner) => {
            size_names(size, names);
            type_names(inner, names);
        }
        TypeKind::Tuple(items) => items.iter().for_each(|t| type_names(t, names)),
        TypeKind::Record(fields) => fields.iter().for_each(|(_, t)| type_names(t, names)),
        TypeKind::Function(params, result) => {
            params.iter().for_each(|t| type_names(t, names));
            type_names(result, names);
        }
        TypeKind::Error => {}
    }
}

fn size_names<'a>(size: &'a Size, names: &mut Names<'a>) {
    match &size.kind {
        SizeKind::Name(name) => add_qualified(name, names),
        SizeKind::Add(a, b) | SizeKind::Sub(a, b) | SizeKind::Mul(a, b) => {
            size_names(a, names);
            size_names(b, names);
        }
        SizeKind::Int(_) | SizeKind::Computed(_) | SizeKind::Error => {}
    }
}
