//! The tree-sitter grammar: it reads what the compiler reads, and finds the same items.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use arr_syntax::ast::{ImportPath, Item};
use support::{module, programs};
use tree_sitter::{Node, Parser, Query, QueryCursor, StreamingIterator, Tree};

fn parse(text: &str) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_arr::LANGUAGE.into()).unwrap();
    parser.parse(text, None).unwrap()
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.children(&mut node.walk()).collect()
}

/// The first place that could not be read.
fn fault(tree: &Tree) -> Option<String> {
    let mut todo = vec![tree.root_node()];
    while let Some(node) = todo.pop() {
        if node.is_error() || node.is_missing() {
            return Some(format!("{} at {}", node.to_sexp(), node.start_position()));
        }
        todo.extend(children(node).into_iter().rev());
    }
    None
}

/// "definition dot", "test \"name\"" and so on, by tree-sitter.
fn items(tree: &Tree, text: &str) -> Vec<String> {
    let items = children(tree.root_node()).into_iter().filter(|node| !node.is_extra());
    let name = |node: Node| {
        let name = node.child_by_field_name(if node.kind() == "import" { "module" } else { "name" }).unwrap();
        name.utf8_text(text.as_bytes()).unwrap().to_string()
    };
    items.map(|node| format!("{} {}", node.kind(), name(node))).collect()
}

/// The same by the compiler.
fn own_items(text: &str) -> Vec<String> {
    let describe = |item: Item| match item {
        Item::Def(def) => format!("definition {}", def.name.text),
        Item::Type(def) => format!("type_definition {}", def.name.text),
        Item::Import(import) => match import.path {
            ImportPath::Std(name) => format!("import {}", name.text),
            ImportPath::File { path, .. } => format!("import \"{path}\""),
        },
        Item::Derivative(def) => format!("derivative {}", def.name.text),
        Item::Test(test) => format!("test {}", test.def.name.text),
        Item::Error(_) => panic!("an error in a sound program"),
    };
    module(text).unwrap().items.into_iter().map(describe).collect()
}

#[test]
fn every_program_of_the_repository_is_read() {
    for (path, text) in programs() {
        let tree = parse(&text);
        assert_eq!(fault(&tree), None, "{path}");
        assert_eq!(items(&tree, &text), own_items(&text), "{path}");
    }
}

/// The tests of `test/corpus` in tree-sitter's own format: a title between lines of `=`, a program, a line of `-`, a tree.
#[test]
fn corpus() {
    let dir = support::root().join("grammar/tree-sitter-arr/test/corpus");
    let mut count = 0;
    for entry in std::fs::read_dir(dir).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let parts: Vec<&str> = text.split("==================\n").collect();
        for pair in parts.get(1..).unwrap().chunks(2) {
            let [title, case] = pair else { panic!("a title without a case") };
            let (program, expected) = case.split_once("\n---\n").unwrap();
            assert_eq!(parse(program).root_node().to_sexp(), compact(expected), "{title}");
            assert!(module(program).is_some(), "{title}");
            count += 1;
        }
    }
    assert!(count >= 7);
}

/// A tree as tree-sitter prints it: on one line, with single blanks.
fn compact(tree: &str) -> String {
    tree.split_whitespace().collect::<Vec<_>>().join(" ").replace(" )", ")")
}

#[test]
fn faults_are_found() {
    for text in ["def f = (1", "def = 1", "def f(x: [n]) = 1", "test x = 1", "type T = ", "let x = 1"] {
        assert!(fault(&parse(text)).is_some(), "{text}");
    }
}

#[test]
fn words_of_some_places_are_names_elsewhere() {
    let text = "def test(derivative: f64, as: f64) = gradient(within, test)\ndef derivative(x) = x\n";
    assert_eq!(fault(&parse(text)), None);
    assert_eq!(items(&parse(text), text), ["definition test", "definition derivative"]);
}

/// What each word of a program is highlighted as: the last pattern that captures it wins.
fn highlights(text: &str) -> Vec<(String, String)> {
    let tree = parse(text);
    let query = Query::new(&tree_sitter_arr::LANGUAGE.into(), tree_sitter_arr::HIGHLIGHTS).unwrap();
    let mut cursor = QueryCursor::new();
    let mut found: Vec<(usize, usize, usize, u32)> = Vec::new();
    let mut matches = cursor.matches(&query, tree.root_node(), text.as_bytes());
    while let Some(m) = matches.next() {
        for capture in m.captures {
            let node = capture.node;
            found.push((node.start_byte(), node.end_byte(), m.pattern_index, capture.index));
        }
    }
    found.sort();
    let names = query.capture_names();
    let mut out: Vec<(String, String)> = Vec::new();
    for (i, (start, end, _, capture)) in found.iter().enumerate() {
        let last = found.get(i + 1).is_none_or(|next| (next.0, next.1) != (*start, *end));
        if last {
            out.push((text.get(*start..*end).unwrap().into(), names[*capture as usize].into()));
        }
    }
    out
}

#[test]
fn highlights_of_chosen_words() {
    let text = r#"--| doc
import linalg as la
type Shape[n] = Circle(f64) | Empty -- note
def area(s: Shape[n], x: [n]f64) -> f64 = match s { Circle(r) => grad(f)(r) + x.y.0, _ => la.det(A) }
derivative area(s, y, dy) = true
test "works" within 1e-9 = not area(q) == 3.0f32
def tau = 6
"#;
    let found = highlights(text);
    for (word, name) in [
        ("--| doc", "comment.documentation"),
        ("-- note", "comment"),
        ("import", "keyword.import"),
        ("linalg", "module"),
        ("la", "module"),
        ("type", "keyword"),
        ("Shape", "type"),
        ("Circle", "constructor"),
        ("f64", "type.builtin"),
        ("area", "function"),
        ("x", "variable.parameter"),
        ("n", "variable.parameter"),
        ("->", "operator"),
        ("match", "keyword"),
        ("grad", "function.builtin"),
        ("y", "property"),
        ("0", "property"),
        ("_", "variable.builtin"),
        ("det", "function.call"),
        ("derivative", "keyword"),
        ("true", "boolean"),
        ("test", "keyword"),
        ("\"works\"", "string.special"),
        ("within", "keyword"),
        ("1e-9", "number"),
        ("not", "keyword.operator"),
        ("3.0f32", "number"),
        ("tau", "constant"),
        ("{", "punctuation.bracket"),
        (",", "punctuation.delimiter"),
    ] {
        let kinds: Vec<&str> = found.iter().filter(|(w, _)| w == word).map(|(_, n)| n.as_str()).collect();
        assert!(kinds.contains(&name), "{word} is {kinds:?}, not {name}");
    }
}

/// The generated files are committed, with a sum of the grammar that they were generated from.
#[test]
fn the_generated_parser_is_not_older_than_the_grammar() {
    let dir = support::root().join("grammar/tree-sitter-arr");
    let grammar = std::fs::read_to_string(dir.join("grammar.js")).unwrap().replace('\r', "");
    let recorded = std::fs::read_to_string(dir.join("src/grammar.sum")).unwrap_or_default();
    let sum = format!("{:016x}", fnv(grammar.as_bytes()));
    assert_eq!(
        recorded.trim(),
        sum,
        "grammar.js has changed: generate src/ again as README.md says, and write {sum} to src/grammar.sum"
    );
}

/// The FNV-1a hash with 64 bits.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, b| (hash ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
}
