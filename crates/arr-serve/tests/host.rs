//! Programs for callers in the process: values without copies, derived definitions, sizes, threads, interruption.

use arr_driver::{Block, Derivation, Execution, Failure, Lent, Owned};
use arr_ir::{Const, Data, Value};
use arr_serve::host::{Function, Module, Named, Refused};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

const PROGRAM: &str = "
type P[n] = { a: f64, b: [n]f64, k: i64 }
def loss(p: P[n], x: [n]f64) -> f64 = p.a ** p.k * sum(p.b * x)
def both(x: [n]f64) -> ([n]f64, [n]f64) = (x, x)
def odd(x: [2 * n + 1]f64) -> i64 = n
def at(x: [n]f64, i: i64) -> f64 = x[i]
def long(n: i64) -> f64 = loop x = 0.5 for i < n do sin(x) + f64(i % 3)
def product(x: [n][n]f64) -> [n][n]f64 = x @ x
";

fn module(execution: Execution) -> Module {
    Module::load("program.arr", Some(PROGRAM), execution, None).unwrap_or_else(|why| panic!("{:?}", why.failure))
}

fn named(name: &str) -> Named {
    Named { name: name.to_string(), derived: String::new() }
}

fn function(module: &Module, named: &Named) -> Function {
    module.function(named).unwrap_or_else(|why| panic!("{:?}", why.failure))
}

fn array(elements: &[f64]) -> Value {
    Value::f64s(&[elements.len() as i64], elements)
}

fn call(function: &Function, args: &[Value]) -> Result<Vec<Owned>, Refused> {
    let lent: Vec<Lent<'_>> = args.iter().map(Lent::of).collect();
    let sizes = function.sizes(&lent)?;
    let code = function.code(&sizes)?;
    Ok(function.run(&code, &sizes, &lent, None)?.into_iter().collect())
}

fn floats(block: &Block) -> Vec<f64> {
    let (elements, _) = block.bytes().as_chunks::<8>();
    elements.iter().map(|bytes| f64::from_ne_bytes(*bytes)).collect()
}

fn results(owned: &[Owned]) -> Vec<Vec<f64>> {
    let one = |result: &Owned| match result {
        Owned::Scalar(Const::F64(x)) => vec![*x],
        Owned::Scalar(Const::I64(n)) => vec![*n as f64],
        Owned::Array { block, .. } => floats(block),
        Owned::Scalar(other) => panic!("{other:?}"),
    };
    owned.iter().map(one).collect()
}

fn code_of(refused: Refused) -> String {
    match refused.failure {
        Failure::Diagnostics(list) => list[0].code.to_string(),
        Failure::Bug(what) => panic!("{what}"),
    }
}

fn loss_arguments() -> [Value; 4] {
    let k = Value::Scalar(Const::I64(2));
    [Value::Scalar(Const::F64(3.0)), array(&[1.0, 2.0]), k, array(&[4.0, 5.0])]
}

#[test]
fn results_are_blocks_at_multiples_of_64() {
    let module = module(Execution::default());
    let both = function(&module, &named("both"));
    for n in [1, 7, 100] {
        let made = call(&both, &[array(&vec![1.5; n])]).unwrap();
        assert_eq!(results(&made), [vec![1.5; n], vec![1.5; n]]);
        let addresses: Vec<usize> = made
            .iter()
            .map(|result| if let Owned::Array { block, .. } = result { block.data() as usize } else { 1 })
            .collect();
        assert!(addresses.iter().all(|address| address % 64 == 0) && addresses[0] != addresses[1]);
    }
}

#[test]
fn derived_definitions() {
    let module = module(Execution { strict: true, ..Execution::default() });
    let loss = named("loss");
    let derive = |from: &Named, how, wrt: &[&str]| {
        let wrt: Vec<String> = wrt.iter().map(|name| (*name).to_string()).collect();
        module.derive(from, how, &wrt)
    };
    assert_eq!(results(&call(&function(&module, &loss), &loss_arguments()).unwrap()), [[126.0]]);
    let gradient = derive(&loss, Derivation::ValueAndGradient, &[]).unwrap();
    assert_eq!(
        gradient.derived,
        "def loss__value_and_grad__p(p: { a: f64, b: [n]f64, k: i64 }, x: [n]f64) =\n  \
         value_and_grad(\\p => loss(p, x))(p)\n"
    );
    let made = call(&function(&module, &gradient), &loss_arguments()).unwrap();
    assert_eq!(results(&made), [vec![126.0], vec![84.0], vec![36.0, 45.0]]);
    // A tangent has no part for the integer.
    let tangent = derive(&loss, Derivation::Forward, &["p", "x"]).unwrap();
    let mut args = loss_arguments().to_vec();
    args.extend([Value::Scalar(Const::F64(1.0)), array(&[0.0, 0.0]), array(&[1.0, 0.0])]);
    assert_eq!(results(&call(&function(&module, &tangent), &args).unwrap()), [[126.0], [84.0 + 9.0]]);
    // Of the pullback of the gradient: derived twice.
    let second = derive(&derive(&loss, Derivation::Gradient, &["x"]).unwrap(), Derivation::Pullback, &["x"]).unwrap();
    let mut args = loss_arguments().to_vec();
    args.push(array(&[1.0, 1.0]));
    assert_eq!(results(&call(&function(&module, &second), &args).unwrap()), [[9.0, 18.0], [0.0, 0.0]]);
    for (how, wrt, code) in [
        (Derivation::Gradient, &["z"][..], "E0503"),
        (Derivation::Gradient, &["x", "x"][..], "E0503"),
        (Derivation::Hessian, &["i"][..], "E0502"),
    ] {
        let from = if code == "E0502" { named("at") } else { loss.clone() };
        assert_eq!(code_of(derive(&from, how, wrt).unwrap_err()), code);
    }
}

#[test]
fn maps() {
    let module = module(Execution::default());
    let mapped = module.derive(&named("at"), Derivation::Map, &["i".to_string()]).unwrap();
    let at = function(&module, &mapped);
    let places = Value::array(vec![3], Data::I64(vec![2, 0, 1]));
    assert_eq!(results(&call(&at, &[array(&[1.0, 2.0, 3.0]), places]).unwrap()), [[3.0, 1.0, 2.0]]);
}

#[test]
fn sizes_follow_from_shapes() {
    let module = module(Execution::default());
    let odd = function(&module, &named("odd"));
    assert_eq!(results(&call(&odd, &[array(&[0.0; 7])]).unwrap()), [[3.0]]);
    assert_eq!(code_of(call(&odd, &[array(&[0.0; 6])]).unwrap_err()), "E0704");
    let loss = function(&module, &named("loss"));
    let mut args = loss_arguments();
    args[3] = array(&[1.0; 3]);
    let why = call(&loss, &args).unwrap_err();
    let Failure::Diagnostics(list) = &why.failure else { panic!("{why:?}") };
    assert_eq!(list[0].title, "arguments `p` and `x` disagree about size `n`: 2 and 3");
}

#[test]
fn many_sizes_end_in_code_for_all() {
    let module = module(Execution::default());
    let both = function(&module, &named("both"));
    for n in 0..50 {
        assert_eq!(results(&call(&both, &[array(&vec![0.5; n])]).unwrap())[1].len(), n);
    }
}

#[test]
fn errors_know_their_place() {
    let module = module(Execution::default());
    let at = function(&module, &named("at"));
    let why = call(&at, &[array(&[1.0]), Value::Scalar(Const::I64(5))]).unwrap_err();
    let Failure::Diagnostics(list) = &why.failure else { panic!("{why:?}") };
    let span = list[0].primary_span().unwrap();
    assert_eq!(why.sources.get(span.file).unwrap().name, "program.arr");
    assert_eq!(code_of(why.clone()), "E0601");
}

#[test]
fn threads_call_one_function() {
    let module = module(Execution::default());
    let loss = function(&module, &named("loss"));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..200 {
                    assert_eq!(results(&call(&loss, &loss_arguments()).unwrap()), [[126.0]]);
                }
            });
        }
    });
}

#[test]
fn a_flag_stops_a_run() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let module = module(Execution { interruptible: true, ..Execution::default() });
    let long = function(&module, &named("long"));
    let code = long.code(&[]).unwrap();
    let run = |n: i64| long.run(&code, &[], &[Lent::Scalar(Const::I64(n))], Some(&STOP));
    run(10).unwrap();
    let start = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            STOP.store(true, SeqCst);
        });
        assert_eq!(code_of(run(1 << 60).unwrap_err()), "E0609");
    });
    assert!(start.elapsed() < Duration::from_secs(20));
    STOP.store(false, SeqCst);
    run(10).unwrap();
}

#[test]
fn a_flag_stops_products() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let module = module(Execution { interruptible: true, ..Execution::default() });
    let product = function(&module, &named("product"));
    let x = Value::f64s(&[64, 64], &[0.5; 64 * 64]);
    let lent = [Lent::of(&x)];
    let sizes = product.sizes(&lent).unwrap();
    let code = product.code(&sizes).unwrap();
    let run = || product.run(&code, &sizes, &lent, Some(&STOP));
    run().unwrap();
    STOP.store(true, SeqCst);
    assert_eq!(code_of(run().unwrap_err()), "E0609");
}
