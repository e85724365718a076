//! Programs as text, their meaning, and programs that cannot be assembled. Kernels run in the tests of `arr-cpu`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use arr_x86::{
    Access, Binary, Bits, Builder, Combine, Elem, Error, Isa, MemOperand, Memory, Op, Program, Stmt, Type, Value,
    assemble, eval, print,
};

/// `out[i] = sum_j a[i, j] x[j]`, and the largest of them.
fn matvec() -> Program {
    let mut b = Builder::new();
    let [n, m, a, x, out] = [0, 1, 2, 3, 4].map(|slot| b.env_int(slot));
    let eight = b.int(8);
    let stride = b.op(Op::IntBinary(Bits::Mul, m, eight));
    let most = b.accumulator(Elem::F64, Combine::Max, 5);
    let (i, locals) = b.begin(n, &[stride]);
    let row = b.op(Op::IntBinary(Bits::Add, a, locals[0]));
    let zero = b.number(Elem::F64, 0.0);
    let sum = b.variable(Type::Float(Elem::F64), Some(zero));
    let (j, _) = b.begin(m, &[]);
    let index = Some((j, 8));
    let left = b.op(Op::Load(Elem::F64, MemOperand { base: row, index, disp: 0, access: Access::Strided(stride) }));
    let right = b.op(Op::Load(Elem::F64, MemOperand { base: x, index, disp: 0, access: Access::Same }));
    let next = b.op(Op::Fma(left, right, sum));
    b.set(sum, next);
    b.end().unwrap();
    let place = b.row(out, i, Elem::F64);
    b.store(place, sum);
    let next = b.binary(Binary::Max, most, sum);
    b.set(most, next);
    b.end().unwrap();
    b.finish().unwrap()
}

#[test]
fn text() {
    let expected = "\
v0: int = env 0
v1: int = env 1
v2: int = env 2
v3: int = env 3
v4: int = env 4
v5: int = 8
v6: int = mul v1, v5
accumulate v7: f64 by max to env 5
for v8 < v0, v9 by v6 {
  v10: int = add v2, v9
  v11: f64 = 0.0
  var v12: f64 = v11
  for v13 < v1 {
    v14: f64 = load by v6 [v10 + v13 * 8]
    v15: f64 = load same [v3 + v13 * 8]
    v16: f64 = fma v14, v15, v12
    set v12 = v16
  }
  store row [v4 + v8 * 8], v12
  v17: f64 = max v7, v12
  set v7 = v17
}
";
    assert_eq!(print(&matvec()), expected);
}

#[test]
fn meaning() {
    let program = matvec();
    for isa in Isa::ALL {
        let kernel = assemble(&program, isa).unwrap();
        let bytes = |values: &[f64]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        let mut memory = Memory::default();
        memory.add(0x1000, bytes(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        memory.add(0x2000, bytes(&[10.0, 1.0]));
        memory.add(0x3000, bytes(&[0.0; 3]));
        let mut env = [3, 2, 0x1000, 0x2000, 0x3000, 0];
        eval(&program, &kernel, &mut env, &mut memory).unwrap();
        assert_eq!(memory.region(2), bytes(&[12.0, 34.0, 56.0]));
        assert_eq!(f64::from_bits(env[5]), 56.0);
        env[0] = 4;
        assert!(matches!(eval(&program, &kernel, &mut env, &mut memory), Err(Error::Malformed(_))));
    }
}

#[test]
fn the_same_program_gives_the_same_code() {
    for isa in Isa::ALL {
        let kernel = assemble(&matvec(), isa).unwrap();
        assert_eq!(kernel, assemble(&matvec(), isa).unwrap());
        assert_eq!(kernel.step, isa.bytes() / 8);
        assert!(kernel.width >= 2 * kernel.step && kernel.bytes.len() < 3000, "{}", kernel.bytes.len());
    }
}

#[test]
fn what_is_not_well_formed() {
    let mut unbound = matvec();
    unbound.outer.body.push(Stmt::Set(Value(12), Value(99)));
    let mut one_place = matvec();
    let place = MemOperand { base: Value(4), index: None, disp: 0, access: Access::Same };
    one_place.outer.body.push(Stmt::Store(place, Value(12)));
    let mut scale = matvec();
    scale.outer.body.push(Stmt::Let(
        Value(16),
        Op::Load(Elem::F64, MemOperand { base: Value(4), index: Some((Value(8), 3)), disp: 0, access: Access::Row }),
    ));
    for program in [unbound, one_place, scale] {
        assert!(matches!(assemble(&program, Isa::Avx512), Err(Error::Malformed(_))), "{}", print(&program));
    }
    let mut b = Builder::new();
    let n = b.env_int(0);
    let step = b.int(16);
    let (_, locals) = b.begin(n, &[step]);
    let zero = b.number(Elem::F64, 0.0);
    b.store(MemOperand { base: locals[0], index: None, disp: 0, access: Access::Strided(step) }, zero);
    b.end().unwrap();
    let program = b.finish().unwrap();
    assert_eq!(assemble(&program, Isa::Avx2), Err(Error::Unsupported("scatter")));
    assert!(assemble(&program, Isa::Avx512).is_ok());
    let mut open = Builder::new();
    let n = open.env_int(0);
    open.begin(n, &[]);
    assert!(open.finish().is_err());
    assert!(Builder::new().end().is_err());
}
