//! The TextMate grammar, walked as an editor walks it: line by line, the first of the earliest matches wins.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use fancy_regex::Regex;
use serde_json::Value;
use std::collections::BTreeMap;

struct Rule {
    regex: Regex,
    name: Option<String>,
    captures: BTreeMap<usize, String>,
}

/// The rules in the order in which they are tried. The grammar has no rule that runs over lines.
fn rules() -> Vec<Rule> {
    let path = support::root().join("grammar/arr.tmLanguage.json");
    let grammar: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(grammar["scopeName"], "source.arr");
    let mut rules = Vec::new();
    flatten(&grammar, &grammar, &mut rules);
    rules
}

fn flatten(grammar: &Value, from: &Value, rules: &mut Vec<Rule>) {
    for pattern in from["patterns"].as_array().unwrap() {
        if let Some(include) = pattern["include"].as_str() {
            flatten(grammar, &grammar["repository"][include.strip_prefix('#').unwrap()], rules);
            continue;
        }
        let text = |value: &Value| value.as_str().map(str::to_string);
        let captures = pattern["captures"].as_object().into_iter().flatten();
        rules.push(Rule {
            regex: Regex::new(pattern["match"].as_str().unwrap()).unwrap(),
            name: text(&pattern["name"]),
            captures: captures.map(|(i, c)| (i.parse().unwrap(), text(&c["name"]).unwrap())).collect(),
        });
    }
}

/// The pieces of a line with their scopes; `None` for what no rule matched.
fn scopes(rules: &[Rule], line: &str) -> Vec<(String, Option<String>)> {
    let mut out = Vec::new();
    let mut at = 0;
    // Where each rule matches next. A match that lies ahead stays the next one.
    let mut next: Vec<Option<usize>> = vec![Some(0); rules.len()];
    let mut fresh = false;
    while at < line.len() {
        for (rule, next) in rules.iter().zip(&mut next) {
            if next.is_some_and(|start| start < at || !fresh) {
                *next = rule.regex.find_from_pos(line, at).unwrap().map(|m| m.start());
            }
        }
        fresh = true;
        let first = (0..rules.len()).filter(|&i| next[i].is_some()).min_by_key(|&i| next[i]);
        let Some(rule) = first.and_then(|i| rules.get(i)) else {
            out.push((line.get(at..).unwrap().to_string(), None));
            break;
        };
        let found = rule.regex.captures_from_pos(line, at).unwrap().unwrap();
        let whole = found.get(0).unwrap();
        assert!(whole.end() > at, "{} matches nothing in {line}", rule.regex.as_str());
        if whole.start() > at {
            out.push((line.get(at..whole.start()).unwrap().to_string(), None));
        }
        if let Some(name) = &rule.name {
            out.push((whole.as_str().to_string(), Some(name.clone())));
        }
        for (index, name) in &rule.captures {
            if let Some(part) = found.get(*index) {
                out.push((part.as_str().to_string(), Some(name.clone())));
            }
        }
        at = whole.end();
    }
    out
}

#[test]
fn every_token_of_every_program_has_a_scope() {
    let rules = rules();
    for (path, text) in support::programs() {
        for line in text.lines() {
            for (piece, scope) in scopes(&rules, line.trim_start_matches('\u{feff}')) {
                assert!(scope.is_some() || piece.trim().is_empty(), "{path}: {piece:?} in {line}");
            }
        }
    }
}

#[test]
fn scopes_of_chosen_words() {
    let rules = rules();
    for (line, expected) in [
        ("--| doc", vec![("--| doc", "comment.line.documentation.arr")]),
        ("x -- y", vec![("x", "variable.other.arr"), ("-- y", "comment.line.double-dash.arr")]),
        (
            "def dot[t: float](x: [n]t) -> f64 = a.b",
            vec![
                ("def", "keyword.declaration.arr"),
                ("dot", "entity.name.function.arr"),
                ("->", "keyword.operator.arrow.arr"),
                ("f64", "support.type.primitive.arr"),
                ("b", "variable.other.member.arr"),
            ],
        ),
        (
            "def tau = 6.28f32",
            vec![
                ("tau", "entity.name.constant.arr"),
                ("=", "keyword.operator.assignment.arr"),
                ("6.28", "constant.numeric.float.arr"),
                ("f32", "storage.type.numeric.arr"),
            ],
        ),
        (
            "type Shape = Circle(f64) | Empty",
            vec![
                ("type", "keyword.declaration.arr"),
                ("Shape", "entity.name.type.arr"),
                ("Circle", "entity.name.type.arr"),
                ("|", "keyword.operator.alternative.arr"),
            ],
        ),
        (
            "derivative f(x, y, dy) = derivative",
            vec![
                ("derivative", "keyword.declaration.arr"),
                ("f", "entity.name.function.arr"),
                ("derivative", "variable.other.arr"),
            ],
        ),
        (
            "test \"name\" gradient within 1e-6 (x: [n]f64) = test(within)",
            vec![
                ("test", "keyword.declaration.arr"),
                ("\"name\"", "entity.name.section.arr"),
                ("gradient", "keyword.other.arr"),
                ("within", "keyword.other.arr"),
                ("1e-6", "constant.numeric.float.arr"),
                ("test", "entity.name.function.call.arr"),
                ("within", "variable.other.arr"),
            ],
        ),
        (
            "import \"./m.arr\" as m",
            vec![
                ("import", "keyword.control.import.arr"),
                ("\"./m.arr\"", "string.quoted.double.arr"),
                ("as", "keyword.control.import.arr"),
                ("m", "entity.name.namespace.arr"),
            ],
        ),
        (
            "if not x then for i < n => grad(f)(t.0.1) else m.Circle(y')",
            vec![
                ("if", "keyword.control.conditional.arr"),
                ("not", "keyword.operator.word.arr"),
                ("for", "keyword.control.loop.arr"),
                ("<", "keyword.operator.comparison.arr"),
                ("grad", "support.function.derivative.arr"),
                ("0.1", "variable.other.member.arr"),
                ("Circle", "entity.name.type.arr"),
                ("y'", "variable.other.arr"),
            ],
        ),
        (
            "let (a, _) = \\x => x ** -2 :> [2*n]f64 in true",
            vec![
                ("let", "keyword.other.arr"),
                ("_", "variable.language.wildcard.arr"),
                ("\\", "keyword.operator.lambda.arr"),
                ("**", "keyword.operator.arithmetic.arr"),
                ("-", "keyword.operator.arithmetic.arr"),
                ("2", "constant.numeric.integer.arr"),
                (":>", "keyword.operator.assertion.arr"),
                ("in", "keyword.other.arr"),
                ("true", "constant.language.boolean.arr"),
            ],
        ),
    ] {
        let found = scopes(&rules, line);
        let mut rest = found.iter().filter_map(|(piece, scope)| Some((piece.as_str(), scope.as_deref()?)));
        for wanted in expected {
            assert!(rest.any(|piece| piece == wanted), "{wanted:?} in {line}\n{found:#?}");
        }
    }
}
