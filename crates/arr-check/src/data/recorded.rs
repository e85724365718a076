//! The types of names and expressions, recorded during checking for editors and other readers of the text.
//!
//! Checking a program does not depend on whether types are recorded. Unless they are asked for, nothing is recorded.

use arr_base::{SourceId, Span};
use arr_ir::Scalar;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What the checker knows of a place.
#[derive(Clone, PartialEq, Debug)]
pub struct Known {
    /// As a user would write it; `?k` stands for a size that has no name.
    pub ty: String,
    /// The fields of a record, with their types.
    pub fields: Vec<(String, String)>,
    /// For an index of `for` or `loop`: its extent, if that has a name.
    pub extent: Option<String>,
    /// Whether it is a function, whose type says little.
    pub function: bool,
}

/// The types of a program, by place.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Types {
    pub(crate) names: BTreeMap<Span, Known>,
    pub(crate) exprs: BTreeMap<Span, Known>,
    pub(crate) results: BTreeMap<Span, Known>,
}

impl Types {
    /// What is known of a local name or parameter, by the place that binds it.
    pub fn name(&self, span: Span) -> Option<&Known> {
        self.names.get(&span)
    }

    /// What is known of an expression.
    pub fn expr(&self, span: Span) -> Option<&Known> {
        self.exprs.get(&span)
    }

    /// The innermost expression around a place, and what is known of it.
    pub fn expr_at(&self, file: SourceId, offset: u32) -> Option<(Span, &Known)> {
        let around = |span: &Span| span.file == file && span.start <= offset && offset < span.end;
        let found = self.exprs.iter().filter(|(span, _)| around(span)).min_by_key(|(span, _)| span.len());
        found.map(|(span, known)| (*span, known))
    }

    /// The type of a definition's result, by the place of its name.
    pub fn result(&self, span: Span) -> Option<&Known> {
        self.results.get(&span)
    }

    /// The names that patterns and generators bind, in source order.
    pub fn names(&self) -> impl Iterator<Item = (Span, &Known)> {
        self.names.iter().map(|(span, known)| (*span, known))
    }

    /// Adds what is not known yet: the definition that a place belongs to is checked before its users.
    fn add(&mut self, other: Types) {
        for (ours, theirs) in
            [(&mut self.names, other.names), (&mut self.exprs, other.exprs), (&mut self.results, other.results)]
        {
            for (span, known) in theirs {
                ours.entry(span).or_insert(known);
            }
        }
    }
}

/// Where types are kept, if they were asked for.
#[derive(Debug, Default)]
pub(crate) struct Recorder(Option<Mutex<Types>>);

impl Recorder {
    pub fn on() -> Self {
        Recorder(Some(Mutex::default()))
    }

    /// Whether types were asked for.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    fn types(&self) -> Option<MutexGuard<'_, Types>> {
        Some(self.0.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes out what was kept.
    pub fn take(&self) -> Types {
        self.types().map(|mut types| std::mem::take(&mut *types)).unwrap_or_default()
    }

    /// Keeps what was found when a definition was checked once for each choice of its type parameters.
    pub fn keep(&self, instances: Vec<(Vec<(&str, Scalar)>, Types)>) {
        if let Some(mut types) = self.types() {
            types.add(generalized(instances));
        }
    }
}

/// The types of a definition with type parameters, from those of its instances.
fn generalized(mut instances: Vec<(Vec<(&str, Scalar)>, Types)>) -> Types {
    if instances.is_empty() {
        return Types::default();
    }
    let (params, mut first) = instances.remove(0);
    if instances.is_empty() || params.is_empty() {
        return first;
    }
    let each = |known: &mut Known, others: Vec<&Known>| {
        let texts = |pick: &dyn Fn(&Known) -> Option<String>| others.iter().filter_map(|k| pick(k)).collect::<Vec<_>>();
        known.ty = general_text(&known.ty, &texts(&|k| Some(k.ty.clone())), &params, &instances);
        for (at, (_, ty)) in known.fields.iter_mut().enumerate() {
            *ty = general_text(ty, &texts(&|k| k.fields.get(at).map(|f| f.1.clone())), &params, &instances);
        }
    };
    for (map, pick) in [
        (&mut first.names, (|t: &Types| &t.names) as fn(&Types) -> &BTreeMap<Span, Known>),
        (&mut first.exprs, |t| &t.exprs),
        (&mut first.results, |t| &t.results),
    ] {
        for (span, known) in map.iter_mut() {
            each(known, instances.iter().filter_map(|(_, types)| pick(types).get(span)).collect());
        }
    }
    first
}

/// The text with a type parameter wherever every instance has the type that the parameter stands for there.
fn general_text(
    text: &str,
    others: &[String],
    params: &[(&str, Scalar)],
    instances: &[(Vec<(&str, Scalar)>, Types)],
) -> String {
    if others.len() != instances.len() {
        return text.to_string();
    }
    let mut words: Vec<String> = words(text).into_iter().map(str::to_string).collect();
    let others: Vec<Vec<&str>> = others.iter().map(|t| self::words(t)).collect();
    if others.iter().any(|o| o.len() != words.len()) {
        return text.to_string();
    }
    for (at, word) in words.iter_mut().enumerate() {
        let stands = |k: usize, (_, scalar): &(&str, Scalar)| {
            *word == scalar.name()
                && instances.iter().zip(&others).all(|((types, _), other)| {
                    types.get(k).is_some_and(|(_, scalar)| other.get(at) == Some(&scalar.name()))
                })
        };
        if let Some((_, (name, _))) = params.iter().enumerate().find(|(k, param)| stands(*k, param)) {
            *word = name.to_string();
        }
    }
    words.concat()
}

/// Names and what stands between them.
fn words(text: &str) -> Vec<&str> {
    let in_word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| in_word(c) != in_word(first)).unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        words.push(word);
        rest = after;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_types() {
        assert_eq!(words("[n][2]f64").concat(), "[n][2]f64");
        assert_eq!(words("{ x: [n']t }"), ["{ ", "x", ": [", "n'", "]", "t", " }"]);
        assert_eq!(words(""), Vec::<&str>::new());
    }

    #[test]
    fn type_parameters_take_their_places() {
        let at = |a: Scalar, b: Scalar| vec![("t", a), ("u", b)];
        let first = at(Scalar::F64, Scalar::F32);
        let rest = [(at(Scalar::F32, Scalar::I64), Types::default()), (at(Scalar::I64, Scalar::I32), Types::default())];
        let general = |text: &str, others: [&str; 2]| general_text(text, &others.map(str::to_string), &first, &rest);
        assert_eq!(general("([n]f64, f32)", ["([n]f32, i64)", "([n]i64, i32)"]), "([n]t, u)");
        assert_eq!(general("(f64, f64)", ["(f32, f64)", "(i64, f64)"]), "(t, f64)");
        // Of another form, or not known in every instance: as it was in the first.
        assert_eq!(general("[n]f64", ["f32", "i64"]), "[n]f64");
        assert_eq!(general_text("f64", &["f32".to_string()], &first, &rest), "f64");
    }
}
