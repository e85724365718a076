//! The protocol for hosts, request in, reply out, and the session in docs/serve.md.

use arr_driver::{Execution, Floats, MemoryWorld};
use arr_serve::json::Host;
use arr_serve::{Answer, Options};
use serde_json::{Value, json};

const MODEL: &str = "
def tripled(x: [n]f64) -> [n]f64 = 3.0 * x
def split(x: [n]f64) -> { low: [n]f64, high: f64 } = { low = x - 1.0, high = maximum(x) }
def join(p: { low: [n]f64, high: f64 }) -> f64 = sum(p.low) + p.high
def norm2(x: [n]f64, w: f64) -> f64 = w * sum(x * x)
def apply(f: f64 -> f64, x: f64) -> f64 = f(x)
def five = 5.0
";

fn host() -> Host {
    let world = MemoryWorld::new([("model.arr", MODEL.as_bytes()), ("short.npy", b"\x93NUMPY")]);
    Host::new(world, Options { directory: ".".to_string(), execution: Execution::default() })
}

fn ask(host: &mut Host, request: Value) -> Value {
    serde_json::from_str(&host.answer(&request.to_string())).unwrap()
}

fn call(host: &mut Host, entry: &str, args: Value) -> Value {
    ask(host, json!({ "id": "c", "op": "call", "module": "model", "entry": entry, "args": args }))
}

#[test]
fn entries_have_types() {
    let reply = ask(&mut host(), json!({ "id": 1, "op": "entries", "module": "model" }));
    let entries = reply["entries"].as_array().unwrap();
    assert_eq!(
        entries[0],
        json!({ "name": "tripled", "signature": "tripled(x: [n]f64) -> [n]f64", "callable": true,
            "parameters": [{ "name": "x", "type": "[n]f64" }], "result": "[n]f64", "sizes": ["n"] })
    );
    assert_eq!((&entries[4]["name"], &entries[4]["callable"]), (&json!("apply"), &json!(false)));
    assert_eq!(entries[5]["parameters"], json!([]));
}

#[test]
fn calls_by_name_and_by_place() {
    let mut host = host();
    assert_eq!(call(&mut host, "tripled", json!([[1, 2]]))["value"], json!([3.0, 6.0]));
    assert_eq!(call(&mut host, "norm2", json!({ "w": 2, "x": [1, 2] }))["value"], json!(10.0));
    let reply = call(&mut host, "five", Value::Null);
    assert_eq!((&reply["value"], &reply["type"], &reply["id"]), (&json!(5.0), &json!("f64"), &json!("c")));
    assert!(reply["nanoseconds"].is_u64() && reply["compile_nanoseconds"].is_u64());
    assert!(call(&mut host, "five", json!([])).get("compile_nanoseconds").is_none());
}

/// Results have the declared types, so that one can be an argument.
#[test]
fn single_precision() {
    let world = MemoryWorld::new([("model.arr", MODEL.as_bytes())]);
    let execution = Execution { floats: Floats::F32, ..Execution::default() };
    let mut host = Host::new(world, Options { directory: ".".to_string(), execution });
    assert_eq!(call(&mut host, "tripled", json!([[1, 2.5]]))["value"], json!([3.0, 7.5]));
    let reply = call(&mut host, "norm2", json!([[0.1], 1]));
    assert_eq!(reply["value"], json!(f64::from(0.1f32 * 0.1f32)));
    let kept =
        ask(&mut host, json!({ "op": "call", "module": "model", "entry": "tripled", "args": [[1, 2]], "keep": true }));
    assert_eq!(kept["type"], json!("[2]f64"), "{kept}");
}

#[test]
fn gradients() {
    let mut host = host();
    let mut gradient = |more: Value| {
        let mut request = json!({ "op": "gradient", "module": "model", "entry": "norm2", "args": [[1, 2], 3] });
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ask(&mut host, request)["value"].clone()
    };
    assert_eq!(gradient(json!({})), json!([6.0, 12.0]));
    assert_eq!(gradient(json!({ "mode": "forward", "args": [[1, 2], 3, [0, 1]] })), json!([15.0, 12.0]));
    assert_eq!(gradient(json!({ "wrt": ["w"] })), json!(5.0));
    assert_eq!(gradient(json!({ "wrt": ["x", "w"] })), json!([[6.0, 12.0], 5.0]));
}

#[test]
fn results_stay_under_handles_and_in_files() {
    let mut host = host();
    let kept = json!({ "op": "call", "module": "model", "entry": "split", "args": [[1, 2]], "keep": true });
    let reply = ask(&mut host, kept);
    assert_eq!((&reply["handle"], reply.get("value")), (&json!(1), None));
    assert_eq!(reply["type"], json!("{ low: [2]f64, high: f64 }"));
    assert_eq!(call(&mut host, "join", json!([{ "@handle": 1 }]))["value"], json!(3.0));
    assert_eq!(
        ask(&mut host, json!({ "op": "read", "handle": 1 }))["value"],
        json!({ "low": [0.0, 1.0], "high": 2.0 })
    );
    let saved = json!({ "op": "call", "module": "model", "entry": "tripled", "args": [[1, 2]], "save": "out.npy" });
    assert_eq!(ask(&mut host, saved)["saved"], json!("out.npy"));
    assert_eq!(call(&mut host, "tripled", json!({ "x": { "@file": "out.npy" } }))["value"], json!([9.0, 18.0]));
    assert_eq!(ask(&mut host, json!({ "op": "free", "handle": 1 })), json!({ "id": null, "ok": true }));
    assert_eq!(ask(&mut host, json!({ "op": "read", "handle": 1 }))["error"], json!("there is no handle 1"));
}

#[test]
fn what_is_wrong_is_said() {
    let mut host = host();
    let refused = |reply: Value, words: &str| {
        assert_eq!(reply["ok"], json!(false), "{reply}");
        assert!(!reply["problems"].as_array().unwrap().is_empty());
        assert!(reply["error"].as_str().unwrap().contains(words), "{reply}");
    };
    refused(ask(&mut host, json!({ "op": "dance" })), "`load`, `entries`");
    refused(ask(&mut host, json!({})), "no `op`");
    refused(ask(&mut host, json!({ "op": "call", "module": "model" })), "`call` needs an `entry`");
    refused(ask(&mut host, json!({ "op": "call", "argument": 3 })), "unknown field `argument`");
    refused(ask(&mut host, json!({ "op": "load", "path": "none.arr" })), "there is no such file");
    refused(ask(&mut host, json!({ "op": "entries", "module": "none" })), "none.arr");
    refused(call(&mut host, "none", json!([])), "no definition `none`");
    refused(call(&mut host, "tripled", json!([])), "has 1 parameters, and is given 0");
    refused(call(&mut host, "tripled", json!({ "y": [1] })), "no parameter for `y`");
    refused(call(&mut host, "tripled", json!([1.0])), "E0703");
    refused(call(&mut host, "tripled", json!([{ "@file": "none.npy" }])), "there is no such file");
    refused(call(&mut host, "tripled", json!([{ "@file": "short.npy" }])), "E0702");
    refused(call(&mut host, "tripled", json!([{ "@handle": 8 }])), "no handle 8");
    refused(call(&mut host, "tripled", json!([{ "@elsewhere": 8 }])), "unknown variant `@elsewhere`");
    refused(call(&mut host, "apply", json!([1.0, 2.0])), "function");
    refused(ask(&mut host, json!({ "op": "gradient", "module": "model", "entry": "norm2", "mode": "up" })), "`up`");
    refused(ask(&mut host, json!({ "op": "free" })), "either");
    let kept = json!({ "op": "call", "module": "model", "entry": "split", "args": [[1]], "keep": true });
    assert_eq!(ask(&mut host, kept)["handle"], json!(1));
    refused(
        call(&mut host, "tripled", json!([{ "@handle": 1 }])),
        "`x: [n]f64` is given a `{ low: [1]f64, high: f64 }`",
    );
    let cuts = r#"{"id": 3, "op": "call", "module": "model", "entry": "tripled", "args": [[1]]}"#;
    for n in 0..cuts.len() {
        let reply: Value = serde_json::from_str(&host.answer(cuts.get(..n).unwrap())).unwrap();
        assert_eq!(reply["ok"], json!(false));
    }
}

#[test]
fn a_request_of_many_names_is_refused_at_once() {
    let mut host = host();
    let names = |count: usize| (0..count).map(|k| format!("\"k{k}\": 1")).collect::<Vec<_>>().join(", ");
    let start = std::time::Instant::now();
    for args in [names(50_000), format!("{}, \"k7\": 2", names(50_000))] {
        let request = format!(r#"{{"id": 1, "op": "call", "module": "model", "entry": "norm2", "args": {{{args}}}}}"#);
        let reply: Value = serde_json::from_str(&host.answer(&request)).unwrap();
        assert_eq!(reply["ok"], json!(false));
        assert!(reply["error"].as_str().unwrap().len() < 1_000, "{reply}");
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

/// A reply repeats the id, so that an id that no reader of JSON accepts is refused.
#[test]
fn ids_that_cannot_be_read() {
    let mut host = host();
    for id in ["71e308".to_string(), format!("{}{}", "[".repeat(500), "]".repeat(500))] {
        for rest in ["\"op\": \"entries\", \"module\": \"model\"", "\"op\": 1"] {
            let reply: Value = serde_json::from_str(&host.answer(&format!("{{\"id\": {id}, {rest}}}"))).unwrap();
            assert_eq!((&reply["id"], &reply["ok"]), (&json!(null), &json!(false)), "{id}: {reply}");
        }
    }
}

/// The blocks of docs/serve.md: lines with `>` are requests, the line below each is the reply. Times are written `0`.
#[test]
fn the_session_of_the_documentation() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/serve.md")).unwrap();
    let part = |fence: &str| -> String {
        let after = page.split(&format!("```{fence}\n")).nth(1).unwrap();
        after.split("```").next().unwrap().to_string()
    };
    let program = part("arr");
    let world = MemoryWorld::new([("curve.arr", program.as_bytes())]);
    let mut host = Host::new(world, Options { directory: ".".to_string(), execution: Execution::default() });
    let session = part("session");
    let mut lines = session.lines();
    let mut asked = 0;
    while let Some(line) = lines.next() {
        let request = line.strip_prefix("> ").unwrap();
        let mut reply: Value = serde_json::from_str(&host.answer(request)).unwrap();
        for time in ["nanoseconds", "compile_nanoseconds"] {
            if let Some(time) = reply.get_mut(time) {
                *time = json!(0);
            }
        }
        let expected: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
        assert_eq!(reply, expected, "{request}");
        asked += 1;
    }
    assert!(asked >= 8);
}
