//! Broken invariants are recorded in the function by the code that meets them.

use arr_ir::walk::Subst;
use arr_ir::{Atom, Builder, Func, Op, Poly, Prim, Scalar, Stmt};

const NO_INTEGER: &str = "a size is a constant that is no integer";

#[test]
fn a_size_is_an_integer() {
    let mut func = Func::new("f");
    let n = func.scalar_var("n", Scalar::I64);
    let three = func.size_of_atom(Atom::int(3));
    assert_eq!(func.types.poly(three), &Poly::constant(3));
    let size = func.size_of_atom(n.into());
    assert_eq!(func.types.poly(size), &Poly::var(n));
    assert!(func.broken.is_empty());
    func.size_of_atom(Atom::bool(true));
    assert_eq!(func.broken, [NO_INTEGER]);
}

#[test]
fn a_size_stays_an_integer_where_a_variable_is_replaced() {
    let mut func = Func::new("f");
    let n = func.scalar_var("n", Scalar::I64);
    let size = func.types.size_var(n);
    let mut subst = Subst::new();
    subst.insert(n, Atom::int(2));
    subst.size(&mut func, size);
    assert!(func.broken.is_empty());
    subst.insert(n, Atom::bool(false));
    subst.size(&mut func, size);
    assert_eq!(func.broken, [NO_INTEGER]);
}

#[test]
fn blocks_are_closed_as_often_as_they_are_opened() {
    let mut builder = Builder::new(Func::new("f"));
    builder.open();
    builder.close(Vec::new());
    assert!(builder.finish(Vec::new()).broken.is_empty());

    let mut builder = Builder::new(Func::new("f"));
    builder.close(Vec::new());
    assert_eq!(builder.finish(Vec::new()).broken, ["a block is closed that is not open"]);

    let mut builder = Builder::new(Func::new("f"));
    builder.open();
    builder.push(Stmt { vars: Vec::new(), op: Op::Prim(Prim::Neg, vec![Atom::int(1)]), span: None });
    assert_eq!(builder.finish(Vec::new()).broken, ["a function ends inside a block"]);
}
