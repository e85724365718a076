//! Single equations, and laws over random systems of them.
#![allow(clippy::unwrap_used)]

use super::{AxisFault, NamedSize, NamedSizes, SizeError, SizedAxis, SolvedSizes, solve_sizes};
use crate::{MAX_SIZE, Polynomial};

type Size = Polynomial<char>;

/// An axis of an argument, with its extent if that is shown.
#[derive(Clone, Debug)]
struct Row {
    argument: usize,
    size: Size,
    extent: Option<i64>,
}

fn solve(names: &[char], given: NamedSizes<char>, rows: &[Row]) -> Result<SolvedSizes, Vec<SizeError<char>>> {
    let axes: Vec<SizedAxis<'_, char>> =
        rows.iter().map(|row| SizedAxis { argument: row.argument, size: &row.size, extent: row.extent }).collect();
    solve_sizes(names, given, &axes)
}

/// The values of `n` and `m` where `k`, argument 0, is 2 and each argument after it has one axis.
fn names(axes: &[(Size, Option<i64>)]) -> Result<Vec<i64>, Vec<SizeError<char>>> {
    let row = |(at, (size, extent)): (usize, &(Size, Option<i64>))| Row {
        argument: at + 1,
        size: size.clone(),
        extent: *extent,
    };
    let rows: Vec<Row> = axes.iter().enumerate().map(row).collect();
    let given = NamedSizes::from([('k', NamedSize { value: 2, argument: 0 })]);
    solve(&['n', 'm'], given, &rows).map(|solved| solved.names)
}

/// The fault of the only axis that does not fit.
fn fault(axis: usize, fault: AxisFault) -> Result<Vec<i64>, Vec<SizeError<char>>> {
    Err(vec![SizeError::Axis { axis, fault }])
}

fn n() -> Size {
    Size::var('n')
}

fn m() -> Size {
    Size::var('m')
}

fn k() -> Size {
    Size::var('k')
}

fn number(value: i64) -> Size {
    Size::constant(value)
}

#[test]
fn names_that_stand_alone_come_first() {
    let axes = |extent| [(n().add(&number(1)), Some(extent)), (n(), Some(3)), (m(), Some(5))];
    assert_eq!(names(&axes(4)), Ok(vec![3, 5]));
    assert_eq!(names(&axes(3)), fault(0, AxisFault::Differs { size: 4, other: Some(2) }));
    let twice = [(n(), Some(3)), (n(), Some(4))];
    assert_eq!(names(&twice), fault(1, AxisFault::Differs { size: 3, other: Some(1) }));
}

#[test]
fn linear_sizes_fix_what_nothing_else_does() {
    let one = |size: Size, extent| names(&[(size, Some(extent))]).map(|names| names[0]);
    assert_eq!(one(n().add(&number(1)), 4), Ok(3));
    assert_eq!(one(n().add(&n()).sub(&number(1)), 5), Ok(3));
    assert_eq!(one(number(9).sub(&n()), 5), Ok(4));
    assert_eq!(one(n().mul(&k()), 6), Ok(3));
    // What cancels is no unknown.
    assert_eq!(one(n().mul(&n()).mul(&k().sub(&number(2))).add(&n()), 6), Ok(6));
    assert_eq!(names(&[(n().mul(&m()).add(&n()), Some(8)), (m(), Some(3))]), Ok(vec![2, 3]));
    // In rounds: `m` from `k`, then `n` from `m`.
    assert_eq!(names(&[(n().add(&m()), Some(9)), (m().add(&k()), Some(5))]), Ok(vec![6, 3]));
    // Not whole; negative; not linear, though it looks so at 0, 1 and 2; two unknowns.
    let cubic = [(vec!['n'], 3), (vec!['n', 'n'], -3), (vec!['n', 'n', 'n'], 1)];
    let cubic = cubic.into_iter().fold(Size::default(), |mut sum, (monomial, coefficient)| {
        sum.add_term(monomial, coefficient);
        sum
    });
    let open = [(n().add(&n()), 5), (n().add(&number(5)), 2), (n().mul(&n()), 4), (cubic, 9), (n().add(&m()), 3)];
    for (size, extent) in open {
        assert_eq!(names(&[(size, Some(extent))]), fault(0, AxisFault::NoSolution));
    }
}

#[test]
fn given_integers_and_constants_are_checked() {
    assert_eq!(names(&[(k(), Some(2))]), Ok(vec![0, 0]));
    assert_eq!(names(&[(k(), Some(3))]), fault(0, AxisFault::Differs { size: 2, other: Some(0) }));
    assert_eq!(names(&[(number(3), Some(4))]), fault(0, AxisFault::Differs { size: 3, other: None }));
}

#[test]
fn what_no_argument_fixes_makes_hidden_axes_empty_or_is_zero() {
    assert_eq!(names(&[]), Ok(vec![0, 0]));
    assert_eq!(names(&[(n(), None), (m().add(&number(1)), None)]), Ok(vec![0, 0]));
    assert_eq!(names(&[(n().sub(&number(1)), None), (n(), None)]), Ok(vec![1, 0]));
    assert_eq!(names(&[(n().add(&m()).sub(&number(4)), None), (m().sub(&number(1)), None)]), Ok(vec![3, 1]));
    // What is shown decides first.
    assert_eq!(names(&[(n().sub(&number(1)), None), (n(), Some(7))]), Ok(vec![7, 0]));
    assert_eq!(names(&[(n().sub(&number(1)), None), (n(), Some(0))]), fault(0, AxisFault::Negative));
    assert_eq!(names(&[(n().add(&n()).sub(&number(3)), None)]), fault(0, AxisFault::Negative));
    // Where `m` is 0, every `n` does.
    assert_eq!(names(&[(n().mul(&m()), Some(0)), (m(), Some(0))]), Ok(vec![0, 0]));
    assert_eq!(names(&[(n().mul(&m()), Some(1)), (m(), Some(0))]), fault(0, AxisFault::NoSolution));
    let rows = [Row { argument: 0, size: n().add(&number(2)), extent: None }];
    assert_eq!(solve(&['n'], NamedSizes::new(), &rows), Ok(SolvedSizes { names: vec![0], extents: vec![2] }));
}

#[test]
fn nothing_wraps() {
    let big = 1 << 32;
    // 2^64, which wraps to 0, and 2^160.
    let long = [n(), n(), n(), n(), n()].iter().fold(number(1), |product, factor| product.mul(factor));
    for size in [n().mul(&n()), long] {
        let shown = [(n(), Some(big)), (size.clone(), Some(0))];
        assert_eq!(names(&shown), fault(1, AxisFault::Overflow));
        assert_eq!(names(&[(n(), Some(big)), (size, None)]), fault(1, AxisFault::Overflow));
    }
    // The sum fits, though its terms do not.
    let zero = n().mul(&n()).sub(&n().mul(&m()));
    assert_eq!(names(&[(n(), Some(big)), (m(), Some(big)), (zero, Some(0))]), Ok(vec![big, big]));
    let by = NamedSize { value: MAX_SIZE + 1, argument: 1 };
    assert_eq!(names(&[(n(), Some(MAX_SIZE + 1))]), Err(vec![SizeError::TooLarge { name: 'n', by }]));
    let most = [(n(), Some(i64::MAX)), (number(i64::MIN).sub(&n()), None)];
    assert_eq!(names(&most), fault(1, AxisFault::Overflow));
}

/// Random numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn integer(&mut self, least: i64, most: i64) -> i64 {
        least + self.below((most - least + 1) as usize) as i64
    }

    /// A polynomial over some names.
    fn size(&mut self, names: &[char]) -> Size {
        let mut size = Size::default();
        for _ in 0..self.below(4) {
            let factors = if names.is_empty() { 0 } else { self.below(4) };
            let monomial: Vec<_> = (0..factors).map(|_| names[self.below(names.len())]).collect();
            size.add_term(monomial, self.integer(-3, 3));
        }
        size
    }
}

/// Names with values, the first of them given, and axes.
struct System {
    values: Vec<(char, i64)>,
    rows: Vec<Row>,
}

impl System {
    /// An axis for each name that fixes it when those before it are known, and axes that fix none, in any order.
    fn random(random: &mut Random) -> System {
        let names = &['a', 'b', 'c', 'd', 'e'][..1 + random.below(5)];
        let values: Vec<(char, i64)> = names.iter().map(|&name| (name, random.integer(0, 9))).collect();
        let mut system = System { values, rows: Vec::new() };
        for at in 1..names.len() {
            let (known, name) = (&names[..at], Size::var(names[at]));
            while system.rows.len() < at {
                let (factor, rest) = (random.size(known).add(&number(random.integer(-2, 2))), random.size(known));
                if system.value(&factor) != 0 {
                    system.push(random, factor.mul(&name).add(&rest));
                }
            }
        }
        for _ in 0..random.below(4) {
            let size = random.size(names);
            system.push(random, size);
        }
        for at in (1..system.rows.len()).rev() {
            system.rows.swap(at, random.below(at + 1));
        }
        system
    }

    fn value(&self, size: &Size) -> i64 {
        size.eval(&mut |name| self.values.iter().find(|(n, _)| *n == name).map(|(_, value)| *value)).unwrap()
    }

    /// An axis of this size, or one that is larger by a number if that would be negative.
    fn push(&mut self, random: &mut Random, size: Size) {
        let size = size.add(&number((-self.value(&size)).max(0)));
        let extent = Some(self.value(&size));
        self.rows.push(Row { argument: 1 + random.below(3), size, extent });
    }

    /// Solves with the values of the first names given.
    fn solve(&self, given: usize) -> Result<SolvedSizes, Vec<SizeError<char>>> {
        let names: Vec<char> = self.values.iter().map(|(name, _)| *name).collect();
        let given = self.values[..given].iter().map(|&(name, value)| (name, NamedSize { value, argument: 0 }));
        solve(&names, given.collect(), &self.rows)
    }
}

fn systems(run: impl Fn(&mut Random, System)) {
    let mut random = Random(7);
    for _ in 0..4000 {
        let system = System::random(&mut random);
        run(&mut random, system);
    }
}

#[test]
fn solving_the_shapes_of_sizes_gives_the_sizes() {
    systems(|_, system| {
        let values = system.values.iter().map(|(_, value)| *value).collect();
        let extents = system.rows.iter().filter_map(|row| row.extent).collect();
        assert_eq!(system.solve(1), Ok(SolvedSizes { names: values, extents }), "{:?}", system.rows);
    });
}

/// Axes that are hidden take the extents that the others give them.
#[test]
fn hidden_axes_follow_from_the_others() {
    systems(|random, mut system| {
        let extents: Vec<i64> = system.rows.iter().filter_map(|row| row.extent).collect();
        let hidden = random.below(system.rows.len() + 1);
        let copies: Vec<Row> = system.rows[..hidden].iter().map(|row| Row { extent: None, ..row.clone() }).collect();
        system.rows.extend(copies);
        let solved = system.solve(1).unwrap();
        assert_eq!(solved.extents[..extents.len()], extents);
        assert_eq!(solved.extents[extents.len()..], extents[..hidden]);
    });
}

/// Where names are given, the wrong axis is the only one that does not fit.
#[test]
fn a_wrong_extent_is_named() {
    systems(|random, mut system| {
        let Some(axis) = (!system.rows.is_empty()).then(|| random.below(system.rows.len())) else { return };
        let right = system.rows[axis].extent.unwrap();
        let wrong = if right > 0 && random.below(2) == 0 { right - 1 } else { right + random.integer(1, 5) };
        system.rows[axis].extent = Some(wrong);
        let other = (!system.rows[axis].size.vars().is_empty()).then_some(0);
        let fault = AxisFault::Differs { size: right, other };
        assert_eq!(system.solve(system.values.len()), Err(vec![SizeError::Axis { axis, fault }]));
    });
}

/// Where two arguments disagree about a size, there is an error for an axis.
#[test]
fn a_disagreement_is_an_error() {
    systems(|random, mut system| {
        let Some(axis) = (!system.rows.is_empty()).then(|| random.below(system.rows.len())) else { return };
        let right = system.rows[axis].extent.unwrap();
        let wrong = Row { argument: 4, extent: Some(right + random.integer(1, 5)), ..system.rows[axis].clone() };
        let at = random.below(system.rows.len() + 1);
        system.rows.insert(at, wrong);
        let errors = system.solve(1).unwrap_err();
        assert!(!errors.is_empty());
        for error in errors {
            assert!(matches!(error, SizeError::Axis { axis, .. } if axis < system.rows.len()), "{error:?}");
        }
    });
}
