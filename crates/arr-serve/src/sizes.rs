//! Sizes of a call from the shapes of its arguments, prepared once per function.

use arr_base::{Code, Diagnostic, MAX_SIZE, NamedSize, NamedSizes, SizedAxis, solve_sizes};
use arr_data::EdgeValue;
use arr_driver::{Dims, Lent};
use arr_ir::{Const, Data, Func, Poly, Value, VarId};
use smallvec::SmallVec;

/// The declared size of an axis.
#[derive(Clone, Debug)]
enum Declared {
    /// The size name of this number.
    Name(usize),
    Number(i64),
    /// Anything else, which needs an evaluation.
    Other(Poly),
}

/// The axes of the leaves of all parameters.
#[derive(Clone, Debug)]
pub struct SizePlan {
    leaves: Vec<Vec<Declared>>,
    names: Vec<VarId>,
    /// The leaves that are the parameters of sizes.
    params: Vec<VarId>,
    /// The parameter of each leaf, by number.
    arguments: Vec<usize>,
}

impl SizePlan {
    pub fn of(func: &Func) -> SizePlan {
        let declared = |poly: &Poly| {
            if let Some(number) = poly.as_constant() {
                return Declared::Number(number);
            }
            let name = poly.as_var().and_then(|var| func.sizes.iter().position(|size| *size == var));
            name.map_or_else(|| Declared::Other(poly.clone()), Declared::Name)
        };
        let (mut leaves, mut arguments) = (Vec::new(), Vec::new());
        for (argument, param) in func.edge_params.iter().enumerate() {
            for leaf in param.ty.leaves() {
                leaves.push(leaf.ty.dims.iter().map(|&size| declared(func.types.poly(size))).collect());
                arguments.push(argument);
            }
        }
        SizePlan { leaves, names: func.sizes.clone(), params: func.params.clone(), arguments }
    }

    /// The sizes, where every name is the extent of some axis and everything fits; `None` if it takes more to tell.
    pub fn quick(&self, leaves: &[Lent<'_>]) -> Option<SmallVec<[i64; 8]>> {
        const OPEN: i64 = -1;
        let mut sizes: SmallVec<[i64; 8]> = SmallVec::from_elem(OPEN, self.names.len());
        let mut others = false;
        for (declared, leaf) in self.leaves.iter().zip(leaves) {
            let dims = dims_of(leaf);
            for (declared, &extent) in declared.iter().zip(dims) {
                match declared {
                    Declared::Name(at) => {
                        let size = sizes.get_mut(*at)?;
                        if *size != OPEN && *size != extent {
                            return None;
                        }
                        *size = extent;
                    }
                    Declared::Number(number) if *number != extent => return None,
                    Declared::Number(_) => {}
                    Declared::Other(_) => others = true,
                }
            }
        }
        if sizes.iter().any(|&size| !(0..=MAX_SIZE).contains(&size)) || others && !self.others_fit(&sizes, leaves) {
            return None;
        }
        Some(sizes)
    }

    fn others_fit(&self, sizes: &[i64], leaves: &[Lent<'_>]) -> bool {
        let mut value = |var: VarId| {
            let named = self.names.iter().position(|name| *name == var).and_then(|at| sizes.get(at).copied());
            named.or_else(|| {
                let at = self.params.iter().position(|param| *param == var)?;
                if let Some(Lent::Scalar(Const::I64(n))) = leaves.get(at) { Some(*n) } else { None }
            })
        };
        self.leaves.iter().zip(leaves).all(|(declared, leaf)| {
            declared.iter().zip(dims_of(leaf)).all(|(declared, &extent)| match declared {
                Declared::Other(poly) => poly.eval(&mut value) == Some(extent),
                _ => true,
            })
        })
    }

    /// The extents of all leaves, of which those that are not shown are negative. Fails with E0704 if nothing fits.
    pub fn extents(&self, func: &Func, leaves: &[Lent<'_>]) -> Result<Vec<Dims>, Vec<Diagnostic>> {
        let (_, extents) = self.solved(func, leaves)?;
        let mut extents = extents.into_iter();
        Ok(leaves.iter().map(|leaf| extents.by_ref().take(dims_of(leaf).len()).collect()).collect())
    }

    /// The sizes, by the solver. Fails with E0704 if there are none that fit.
    pub fn solve(&self, func: &Func, leaves: &[Lent<'_>]) -> Result<SmallVec<[i64; 8]>, Vec<Diagnostic>> {
        Ok(self.solved(func, leaves)?.0.into_iter().collect())
    }

    /// The sizes from the extents of the leaves alone. Fails with E0704 if there are none that fit.
    pub fn of_shapes(&self, func: &Func, shapes: &[Vec<i64>]) -> Result<Vec<i64>, Vec<Diagnostic>> {
        let axes = self.axes(func, shapes.iter().map(Vec::as_slice), Some);
        let wrong = || vec![Diagnostic::error(Code::ARGUMENT_SHAPE, "the arguments do not have the declared shapes")];
        solve_sizes(&func.sizes, NamedSizes::new(), &axes).map(|solved| solved.names).map_err(|_| wrong())
    }

    /// The sizes, and the extents of all axes.
    fn solved(&self, func: &Func, leaves: &[Lent<'_>]) -> Result<(Vec<i64>, Vec<i64>), Vec<Diagnostic>> {
        let mut integers = NamedSizes::new();
        for ((leaf, &param), &argument) in leaves.iter().zip(&func.params).zip(&self.arguments) {
            if let Lent::Scalar(Const::I64(value)) = leaf {
                integers.insert(param, NamedSize { value: *value, argument });
            }
        }
        let axes = self.axes(func, leaves.iter().map(dims_of), |extent| (extent >= 0).then_some(extent));
        match solve_sizes(&func.sizes, integers, &axes) {
            Ok(solved) => Ok((solved.names, solved.extents)),
            Err(_) => Err(explained(func, leaves)),
        }
    }

    /// The axes of leaves with these extents, as far as `shown` tells them.
    fn axes<'f, 's>(
        &self,
        func: &'f Func,
        shapes: impl Iterator<Item = &'s [i64]>,
        shown: impl Fn(i64) -> Option<i64>,
    ) -> Vec<SizedAxis<'f, VarId>> {
        let mut axes = Vec::new();
        let declared = func.edge_params.iter().flat_map(|param| param.ty.leaves());
        for (at, (shape, declared)) in shapes.zip(declared).enumerate() {
            let argument = self.arguments.get(at).copied().unwrap_or(0);
            for (&size, &extent) in declared.ty.dims.iter().zip(shape) {
                axes.push(SizedAxis { argument, size: func.types.poly(size), extent: shown(extent) });
            }
        }
        axes
    }
}

fn dims_of<'l>(leaf: &'l Lent<'_>) -> &'l [i64] {
    if let Lent::Array(array) = leaf { array.dims() } else { &[] }
}

/// The diagnostics for arguments that do not fit, which values of these shapes get.
fn explained(func: &Func, leaves: &[Lent<'_>]) -> Vec<Diagnostic> {
    const MOST_BYTES: usize = 1 << 30;
    let general = || vec![Diagnostic::error(Code::ARGUMENT_SHAPE, "the arguments do not have the declared shapes")];
    let mut left = MOST_BYTES;
    let mut rest = leaves.iter();
    let mut args = Vec::new();
    for param in &func.edge_params {
        let count = param.ty.leaves().len();
        let mut values = Vec::new();
        for leaf in rest.by_ref().take(count) {
            let value = match leaf {
                Lent::Scalar(c) => Value::Scalar(*c),
                Lent::Array(array) => {
                    let count = arr_base::element_count(array.dims()).unwrap_or(usize::MAX);
                    let Some(after) = count.checked_mul(8).and_then(|bytes| left.checked_sub(bytes)) else {
                        return general();
                    };
                    left = after;
                    Value::array(array.dims().to_vec(), Data::zeros(array.elem(), count))
                }
            };
            values.push(value);
        }
        let Some(value) = EdgeValue::from_leaves(&param.ty, &values) else { return general() };
        args.push(value);
    }
    arr_data::bind(func, &args).err().unwrap_or_else(general)
}
