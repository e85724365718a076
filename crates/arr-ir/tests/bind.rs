//! Size parameters from the shapes of arguments.

use arr_ir::{BindError, Const, Data, Scalar, Value, bind_sizes, parse_func};

fn bind(params: &str, args: &[Value]) -> Result<Vec<i64>, Vec<BindError>> {
    bind_sizes(&parse_func(&format!("func f{params} -> () {{ return }}")).unwrap(), args)
}

fn zeros(dims: &[i64]) -> Value {
    Value::array(dims.to_vec(), Data::zeros(Scalar::F64, dims.iter().product::<i64>() as usize))
}

fn int(i: i64) -> Value {
    Value::Scalar(Const::I64(i))
}

fn dim(
    param: usize,
    axis: usize,
    expected: &str,
    value: Option<i64>,
    found: i64,
    fixed_by: Option<(usize, usize)>,
) -> BindError {
    BindError::Dim { param, axis, expected: expected.into(), value, found, fixed_by }
}

#[test]
fn bare_names_bind_first() {
    assert_eq!(bind("[n, m](x: [n + 1]f64, y: [n][m]f64)", &[zeros(&[4]), zeros(&[3, 5])]), Ok(vec![3, 5]));
    let wrong = bind("[n, m](x: [n + 1]f64, y: [n][m]f64)", &[zeros(&[3]), zeros(&[3, 5])]);
    assert_eq!(wrong, Err(vec![dim(0, 0, "n + 1", Some(4), 3, Some((1, 0)))]));
    let disagree = bind("[n](x: [n]f64, y: [n]f64)", &[zeros(&[3]), zeros(&[4])]);
    assert_eq!(disagree, Err(vec![dim(1, 0, "n", Some(3), 4, Some((0, 0)))]));
}

#[test]
fn linear_sizes_bind_when_nothing_else_does() {
    assert_eq!(bind("[n](x: [n + 1]f64)", &[zeros(&[4])]), Ok(vec![3]));
    assert_eq!(bind("[n](x: [2*n - 1]f64)", &[zeros(&[5])]), Ok(vec![3]));
    assert_eq!(bind("[n](x: [-n + 9]f64)", &[zeros(&[5])]), Ok(vec![4]));
    assert_eq!(bind("[n, m](x: [n*m + n]f64, y: [m]f64)", &[zeros(&[8]), zeros(&[3])]), Ok(vec![2, 3]));
    // In rounds: `m` from `k`, then `n` from `m`.
    assert_eq!(
        bind("[n, m](x: [n + m]f64, y: [m + k]f64, k: i64)", &[zeros(&[9]), zeros(&[5]), int(2)]),
        Ok(vec![6, 3])
    );
    assert_eq!(bind("[n](x: [2*n]f64)", &[zeros(&[5])]), Err(vec![dim(0, 0, "2*n", None, 5, None)]));
    assert_eq!(bind("[n](x: [n + 5]f64)", &[zeros(&[2])]), Err(vec![dim(0, 0, "n + 5", None, 2, None)]));
    assert_eq!(bind("[n](x: [n*n]f64)", &[zeros(&[4])]), Err(vec![dim(0, 0, "n*n", None, 4, None)]));
}

#[test]
fn integer_parameters_are_sizes() {
    assert_eq!(bind("(x: [k]f64, k: i64)", &[zeros(&[4]), int(4)]), Ok(vec![]));
    assert_eq!(bind("(x: [k]f64, k: i64)", &[zeros(&[4]), int(3)]), Err(vec![dim(0, 0, "k", Some(3), 4, None)]));
    assert_eq!(bind("(x: [3]f64)", &[zeros(&[4])]), Err(vec![dim(0, 0, "3", Some(3), 4, None)]));
}

#[test]
fn all_faults_are_reported() {
    assert_eq!(bind("(x: f64)", &[]), Err(vec![BindError::Count { expected: 1, found: 0 }]));
    let errors = bind("[n, m](x: [n]f64, y: [n][m]i64, z: [n]f64)", &[zeros(&[2]), zeros(&[2]), zeros(&[3])]);
    let elem = BindError::Elem { param: 1, expected: Scalar::I64, found: Scalar::F64 };
    assert_eq!(errors, Err(vec![elem, dim(2, 0, "n", Some(2), 3, Some((0, 0)))]));
    let rank = BindError::Rank { param: 0, expected: 2, found: 1 };
    assert_eq!(bind("[n](x: [n][n]f64)", &[zeros(&[2])]), Err(vec![rank]));
    assert_eq!(
        bind("[n](x: f64)", &[Value::Scalar(Const::F64(1.0))]),
        Err(vec![BindError::Unbound { size: "n".into() }])
    );
}
