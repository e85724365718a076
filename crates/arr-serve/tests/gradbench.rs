//! The GradBench protocol, message in, reply out, without processes.

use arr_driver::{Execution, MemoryWorld};
use arr_serve::gradbench::Gradbench;
use arr_serve::{Answer, Options};
use serde_json::{Value, json};

const HELLO: &str = "
def square(x: f64) -> f64 = x * x
def double(x: f64) -> f64 = grad(square)(x)
def scaled(x: [n]f64, by: { factor: f64, n: i64 }) -> [n]f64 = by.factor * x
def nothing() -> i64 = 3
def pick(x: [n]f64, i: i64) -> f64 = x[i]
";

const FITTED: &str = "
def input(n: i64, x: f64) -> { xs: [n]f64, count: i64 } = { xs = replicate(n, x), count = n }
def total(xs: [n]f64, count: i64) -> { sum: f64, n: i64 } = { sum = sum(xs), n = count }
def total_output(t: { sum: f64, n: i64 }) -> f64 = t.sum / f64(t.n)
def least(xs: [n]f64, count: i64) -> f64 = minimum(xs)
def least_input(x: f64) -> { xs: [1]f64, count: i64 } = { xs = [x], count = 1 }
";

fn tool() -> Gradbench {
    let files = [("m/hello.arr", HELLO), ("m/fitted.arr", FITTED), ("m/wrong.arr", "def f(x: f64) -> i64 = x\n")];
    let world = MemoryWorld::new(files.map(|(path, text)| (path, text.as_bytes())));
    Gradbench::new(world, Options { directory: "m".to_string(), execution: Execution::default() })
}

fn ask(tool: &mut Gradbench, message: &Value) -> Value {
    serde_json::from_str(&tool.answer(&message.to_string())).unwrap()
}

fn evaluate(tool: &mut Gradbench, module: &str, function: &str, input: Value) -> Value {
    ask(tool, &json!({ "id": 7, "kind": "evaluate", "module": module, "function": function, "input": input }))
}

/// The names of timings, asserting that each took some time.
fn timings(reply: &Value) -> Vec<String> {
    let list = reply["timings"].as_array().unwrap();
    assert!(list.iter().all(|t| t["nanoseconds"].as_u64().unwrap() > 0), "{reply}");
    list.iter().map(|t| t["name"].as_str().unwrap().to_string()).collect()
}

#[test]
fn hello() {
    let mut tool = tool();
    assert_eq!(
        ask(&mut tool, &json!({ "id": 0, "kind": "start", "eval": "hello" })),
        json!({ "id": 0, "tool": "arr" })
    );
    let defined = ask(&mut tool, &json!({ "id": 1, "kind": "define", "module": "hello" }));
    assert_eq!((&defined["id"], &defined["success"]), (&json!(1), &json!(true)));
    assert_eq!(timings(&defined), ["prepare"]);
    let reply = evaluate(&mut tool, "hello", "square", json!(3.0));
    assert_eq!((&reply["success"], &reply["output"]), (&json!(true), &json!(9.0)));
    assert_eq!(timings(&reply), ["prepare", "evaluate"]);
    // The second time it is compiled.
    let reply = evaluate(&mut tool, "hello", "square", json!(4));
    assert_eq!(reply["output"], json!(16.0));
    assert_eq!(timings(&reply), ["evaluate"]);
    assert_eq!(evaluate(&mut tool, "hello", "double", json!(4))["output"], json!(8.0));
    let analysis = json!({ "id": 9, "kind": "analysis", "of": 7, "valid": false, "error": "no" });
    assert_eq!(ask(&mut tool, &analysis), json!({ "id": 9 }));
    assert_eq!(ask(&mut tool, &json!({ "id": 10, "kind": "a newer kind" })), json!({ "id": 10 }));
}

#[test]
fn an_object_gives_arguments_by_name_and_how_often_to_run() {
    let mut tool = tool();
    let input =
        json!({ "by": { "n": 1, "factor": 2, "name": "left out" }, "min_runs": 3, "min_seconds": 0, "x": [1, 2.5] });
    let reply = evaluate(&mut tool, "hello", "scaled", input);
    assert_eq!(reply["output"], json!([2.0, 5.0]));
    assert_eq!(timings(&reply), ["prepare", "prepare", "evaluate", "evaluate", "evaluate"]);
    let input = json!({ "by": { "n": 1, "factor": 2 }, "min_runs": 1, "min_seconds": 0.02, "x": [] });
    let reply = evaluate(&mut tool, "hello", "scaled", input);
    let total: u64 = reply["timings"].as_array().unwrap().iter().map(|t| t["nanoseconds"].as_u64().unwrap()).sum();
    assert!(total >= 20_000_000 && timings(&reply).len() > 1, "{total}");
    assert_eq!(evaluate(&mut tool, "hello", "nothing", json!({ "min_runs": 0 }))["output"], json!(3));
}

#[test]
fn functions_beside_a_function_fit_its_data() {
    let mut tool = tool();
    assert_eq!(evaluate(&mut tool, "fitted", "total", json!({ "n": 4, "x": 1.5 }))["output"], json!(1.5));
    assert_eq!(evaluate(&mut tool, "fitted", "least", json!({ "x": -1.5 }))["output"], json!(-1.5));
}

#[test]
fn what_is_wrong_is_said() {
    let mut tool = tool();
    let refused = |reply: Value, words: &[&str]| {
        assert_eq!(reply["success"], json!(false), "{reply}");
        let error = reply["error"].as_str().unwrap();
        assert!(words.iter().all(|w| error.contains(w)), "{error:?} lacks one of {words:?}");
    };
    let define = |module: &str| json!({ "id": 1, "kind": "define", "module": module });
    refused(ask(&mut tool, &define("other")), &["m/other.arr"]);
    refused(ask(&mut tool, &define("../hello")), &["not the name of a module"]);
    refused(ask(&mut tool, &define("wrong")), &["m/wrong.arr:1:24", "E0301"]);
    refused(ask(&mut tool, &json!({ "id": 1, "kind": "define" })), &["module"]);
    refused(ask(&mut tool, &json!({ "id": 1 })), &["kind"]);
    refused(evaluate(&mut tool, "hello", "cube", json!(1)), &["no definition `cube`", "square(x: f64)"]);
    refused(evaluate(&mut tool, "hello", "square", json!("one")), &["a string is not a value"]);
    refused(evaluate(&mut tool, "hello", "square", json!([1.0])), &["wrong type", "f64", "[1]f64"]);
    refused(evaluate(&mut tool, "hello", "square", Value::Null), &["`null` is not a value"]);
    refused(evaluate(&mut tool, "hello", "scaled", json!([1.0])), &["2 parameters", "an object"]);
    let both = json!({ "x": [1.0], "factor": 2.0, "label": "text may be surplus" });
    refused(
        evaluate(&mut tool, "hello", "scaled", both),
        &["no value for `by: { factor: f64, n: i64 }`", "no parameter for `factor`"],
    );
    let inside = json!({ "x": [1.0], "by": { "factor": 2.0, "n": 1, "more": 3 } });
    refused(evaluate(&mut tool, "hello", "scaled", inside), &["`by`", "field `more`"]);
    refused(evaluate(&mut tool, "hello", "scaled", json!({ "x": [[1.0], 2.0], "by": 1 })), &["`x`"]);
    refused(evaluate(&mut tool, "hello", "pick", json!({ "x": [1.0], "i": 1 })), &["E0601", "m/hello.arr:6"]);
    let runs = json!({ "x": [1.0], "i": 0, "min_runs": "many" });
    refused(evaluate(&mut tool, "hello", "pick", runs), &["`min_runs`"]);
    // After all that it still answers.
    assert_eq!(evaluate(&mut tool, "hello", "square", json!(2))["output"], json!(4.0));
}

#[test]
fn malformed_lines_get_replies() {
    let mut tool = tool();
    let good =
        json!({ "id": 3, "kind": "evaluate", "module": "hello", "function": "square", "input": { "x": [1, 2] } });
    let good = good.to_string();
    // Every prefix of a message, and every message with one byte changed, is answered by one line of JSON.
    let cut = (0..good.len()).map(|n| good.as_bytes()[..n].to_vec());
    let changed = (0..good.len()).flat_map(|n| {
        [b'"', b'{', b'0', b'\\', b' '].map(|byte| {
            let mut bytes = good.clone().into_bytes();
            bytes[n] = byte;
            bytes
        })
    });
    for bytes in cut.chain(changed) {
        let line = String::from_utf8(bytes).unwrap();
        let reply: Value = serde_json::from_str(&tool.answer(&line)).unwrap();
        assert!(reply.get("id").is_some(), "{line}: {reply}");
    }
    let reply: Value = serde_json::from_str(&tool.answer(r#"{"id": 4, "kind": 5}"#)).unwrap();
    assert_eq!((&reply["id"], &reply["success"]), (&json!(4), &json!(false)));
    let deep = format!(
        "{{\"id\": 5, \"kind\": \"evaluate\", \"module\": \"hello\", \"function\": \"square\", \"input\": {}1{}}}",
        "[".repeat(400),
        "]".repeat(400)
    );
    let reply: Value = serde_json::from_str(&tool.answer(&deep)).unwrap();
    assert_eq!(reply["success"], json!(false));
}
