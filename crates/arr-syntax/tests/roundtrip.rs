//! Printed text parses to the same tree, and prints the same again.

use crate::support::*;
use arr_base::on_large_stack;
use arr_syntax::{print_expr, print_item, print_module, print_type};

const CORPUS: &str = include_str!("corpus.arr");

#[test]
fn the_corpus_comes_back() {
    let tree = module(CORPUS);
    let printed = print_module(&tree);
    golden("printed", &printed);
    let again = module(&printed);
    for (a, b) in tree.items.iter().zip(&again.items) {
        let (mut a, mut b) = (a.clone(), b.clone());
        erase::item(&mut a);
        erase::item(&mut b);
        assert_eq!(a, b, "{}", print_item(&a));
    }
    assert_eq!(tree.items.len(), again.items.len());
    assert_eq!(print_module(&again), printed);
}

#[test]
fn random_expressions_come_back() {
    on_large_stack(|| {
        for seed in 0..4_000 {
            let tree = generate::expr(&mut generate::Random::new(seed), 1 + (seed % 5) as usize);
            let printed = print_expr(&tree);
            let (mut again, diagnostics) = arr_syntax::parse_expr(file(), &printed);
            assert!(diagnostics.is_empty(), "seed {seed}\n{printed}\n{}", render_all(&printed, &diagnostics));
            assert_eq!(print_expr(&again), printed, "seed {seed}");
            erase::expr(&mut again);
            assert_eq!(again, tree, "seed {seed}\n{printed}");
        }
    });
}

#[test]
fn random_types_come_back() {
    for seed in 0..2_000 {
        let tree = generate::ty(&mut generate::Random::new(seed), 5);
        let printed = print_type(&tree);
        let text = format!("def f(x: {printed}) = x");
        let mut parsed = module(&text);
        erase::item(&mut parsed.items[0]);
        let arr_syntax::ast::Item::Def(def) = &parsed.items[0] else { panic!("not a definition") };
        assert_eq!(def.params.as_ref().unwrap()[0].ty.as_ref(), Some(&tree), "{text}");
    }
}

#[test]
fn lines_keep_to_their_width() {
    let printed = print_module(&module(CORPUS));
    for line in printed.lines() {
        assert!(line.chars().count() <= 100, "{line}");
        assert_eq!(line.trim_end(), line);
    }
}

#[test]
fn what_a_generator_may_build_prints_as_program() {
    use arr_base::Span;
    use arr_syntax::ast::*;
    let span = Span::new(file(), 0, 0);
    let new = |kind| Expr::new(kind, span);
    let minus_two = || new(ExprKind::Number(Number { digits: "-2.0".into(), suffix: None }));
    let x = || new(ExprKind::Name("x".into()));
    assert_eq!(print_expr(&new(ExprKind::Binary(BinaryOp::Pow, minus_two(), x()))), "(-2.0) ** x");
    assert_eq!(print_expr(&new(ExprKind::Unary(UnaryOp::Neg, minus_two()))), "-(-2.0)");
    assert_eq!(print_expr(&new(ExprKind::Binary(BinaryOp::Sub, x(), minus_two()))), "x - -2.0");
    let inner = new(ExprKind::Let(vec![binding("b")], x()));
    let outer = new(ExprKind::Let(vec![binding("a")], inner));
    assert_eq!(print_expr(&outer), "let a = 1\nlet b = 1\nin x");

    fn binding(name: &str) -> Binding {
        let span = Span::new(file(), 0, 0);
        Binding {
            pattern: Pattern { kind: PatternKind::Name(name.into()), span },
            ty: None,
            value: Expr::new(ExprKind::Number(Number { digits: "1".into(), suffix: None }), span),
        }
    }
}
