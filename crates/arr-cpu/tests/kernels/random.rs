//! Random vector programs.

use arr_x86::{Access, Binary, Bits, Builder, Combine, Compare, Elem, MemOperand, Op, Program, Type, Unary, Value};

struct Generator {
    b: Builder,
    elem: Elem,
    seed: u64,
    floats: Vec<Value>,
    masks: Vec<Value>,
}

impl Generator {
    fn pick(&mut self, count: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) as usize % count
    }

    fn float(&mut self) -> Value {
        let k = self.pick(self.floats.len());
        self.floats[k]
    }

    fn step(&mut self) {
        let (x, y, z) = (self.float(), self.float(), self.float());
        let binary = [Binary::Add, Binary::Sub, Binary::Mul, Binary::MulZero, Binary::Min, Binary::Max];
        let compare = [Compare::Eq, Compare::Ne, Compare::Lt, Compare::Le, Compare::Gt, Compare::Ge];
        let value = match self.pick(10) {
            0..=3 => {
                let k = self.pick(binary.len());
                self.b.binary(binary[k], x, y)
            }
            4 => self.b.op(Op::Fma(x, y, z)),
            5 => {
                let unary = [Unary::Neg, Unary::Abs, Unary::Sqrt, Unary::Sign];
                let k = self.pick(unary.len());
                self.b.unary(unary[k], x)
            }
            6 => {
                let number = self.pick(9) as f64 - 4.0;
                self.b.number(self.elem, number)
            }
            7 if self.masks.len() > 1 => {
                let (p, q) = (self.pick(self.masks.len()), self.pick(self.masks.len()));
                let (p, q) = (self.masks[p], self.masks[q]);
                let op = [Op::And(p, q), Op::Or(p, q), Op::Not(p)][self.pick(3)];
                let mask = self.b.op(op);
                self.masks.push(mask);
                self.b.op(Op::Select(mask, x, y))
            }
            _ => {
                let k = self.pick(compare.len());
                let mask = self.b.compare(compare[k], x, y);
                self.masks.push(mask);
                self.b.op(Op::Select(mask, z, x))
            }
        };
        self.floats.push(value);
    }

    /// An inner loop: variables, sometimes more than there are registers; operands from a row of the matrix and from
    /// the vector.
    fn inner(&mut self, m: Value, x: Value, row: Value, stride: Value) {
        let ty = Type::Float(self.elem);
        let count = if self.pick(3) == 0 { 8 + self.pick(12) } else { 1 + self.pick(2) };
        let zero = self.b.number(self.elem, 0.0);
        let firsts: Vec<Value> = (0..count).map(|_| if self.pick(2) == 0 { zero } else { self.float() }).collect();
        let variables: Vec<Value> = firsts.iter().map(|first| self.b.variable(ty, Some(*first))).collect();
        let (known, masks) = (self.floats.clone(), self.masks.clone());
        let (j, _) = self.b.begin(m, &[]);
        let index = Some((j, self.elem.bytes() as u8));
        let one = self.b.op(Op::Load(self.elem, MemOperand { base: x, index, disp: 0, access: Access::Same }));
        let strided = MemOperand { base: row, index, disp: 0, access: Access::Strided(stride) };
        let other = self.b.op(Op::Load(self.elem, strided));
        self.floats.extend(variables.iter().copied().chain([one, other]));
        for _ in 0..3 + self.pick(6) + count / 2 {
            self.step();
        }
        let nexts: Vec<Value> = variables.iter().map(|_| self.float()).collect();
        for (k, (&variable, next)) in variables.iter().zip(nexts).enumerate() {
            if k == 0 || self.pick(2) == 0 {
                self.b.set(variable, next);
            }
        }
        self.b.end().unwrap();
        self.floats = known;
        self.masks = masks;
        self.floats.extend(variables);
    }
}

pub fn program(elem: Elem, seed: u64) -> Program {
    let mut g =
        Generator { b: Builder::new(), elem, seed: seed.wrapping_mul(991), floats: Vec::new(), masks: Vec::new() };
    let [n, x, y, out, m, matrix] = [0, 1, 2, 3, 4, 6].map(|slot| g.b.env_int(slot));
    let uniform = g.b.op(Op::EnvFloat(elem, 8));
    let bytes = g.b.int(elem.bytes() as i64);
    let stride = g.b.op(Op::IntBinary(Bits::Mul, m, bytes));
    let sum = (g.pick(2) == 0).then(|| g.b.accumulator(elem, Combine::Add, 9));
    let (i, locals) = g.b.begin(n, &[stride]);
    let row = g.b.op(Op::IntBinary(Bits::Add, matrix, locals[0]));
    let place = g.b.row(x, i, elem);
    let vx = g.b.op(Op::Load(elem, place));
    let column =
        g.b.op(Op::Load(elem, MemOperand { base: row, index: None, disp: 0, access: Access::Strided(stride) }));
    g.floats.extend([uniform, vx, column]);
    for _ in 0..2 + g.pick(3) {
        for _ in 0..g.pick(12) {
            g.step();
        }
        if g.pick(3) > 0 {
            g.inner(m, y, row, stride);
        }
    }
    let result = g.float();
    let place = g.b.row(out, i, elem);
    g.b.store(place, result);
    if let Some(sum) = sum {
        let term = g.float();
        let next = g.b.binary(Binary::Add, sum, term);
        g.b.set(sum, next);
    }
    g.b.end().unwrap();
    g.b.finish().unwrap()
}
