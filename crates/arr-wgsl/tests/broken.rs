//! An impossible case ends the compilation with a description: it does not appear in the text of a kernel.

use arr_base::IndexVec;
use arr_ir::{Const, Prim, Scalar};
use arr_loops::{LoopFunc, Operand};
use arr_wgsl::builder::Builder;
use arr_wgsl::{CompileError, Options, compile};

fn function() -> LoopFunc {
    LoopFunc {
        name: "f".into(),
        sizes: Vec::new(),
        params: Vec::new(),
        body: Vec::new(),
        outputs: Vec::new(),
        locals: IndexVec::new(),
        literals: IndexVec::new(),
        spans: [None].into_iter().collect(),
        traces: Default::default(),
        sections: Default::default(),
        broken: Vec::new(),
    }
}

#[test]
fn the_host_computes_with_what_a_primitive_takes() {
    let mut builder = Builder::new(function(), Options::default(), &|_| None);
    let size = builder.local("n", arr_loops::Ty::Scalar(Scalar::I64));
    builder.local_of("sum", Prim::Add, &[size.into(), Operand::int(1)]);
    assert!(builder.func.broken.is_empty());
    builder.local_of("sum", Prim::Add, &[size.into(), Const::F64(1.0).into()]);
    assert_eq!(builder.func.broken, ["a primitive is not defined on its operands"]);
}

#[test]
fn an_operator_of_the_library_has_a_form() {
    let mut builder = Builder::new(function(), Options::default(), &|_| None);
    let operand = |elem| ("x".to_string(), elem);
    assert!(!builder.call(Prim::IsNan, &[operand(Scalar::F32)]).is_empty());
    assert!(builder.func.broken.is_empty());
    builder.call(Prim::IsNan, &[operand(Scalar::Bool)]);
    assert_eq!(builder.func.broken, ["an operator of the library has no form in WGSL"]);
}

#[test]
fn what_is_broken_is_no_program() {
    let compiled = |func| compile(func, &Options::default(), &|_| None);
    assert!(compiled(function()).is_ok());
    let mut broken = function();
    broken.broken.push("an array of a loop has no place");
    match compiled(broken) {
        Err(error @ CompileError::Broken(_)) => {
            assert!(error.to_string().ends_with("what cannot be: an array of a loop has no place"), "{error}");
        }
        other => panic!("{:?}", other.map(|program| program.wgsl)),
    }
}
