#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod common;
#[test]
fn scratch() {
    let Ok(path) = std::env::var("ARR_FILE") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let (checked, d, map) = common::check(&text);
    println!("{}", common::render_all(&d, &map));
    for name in checked.entry_names() {
        match arr_check::elaborate(&checked, &name) {
            Ok(f) => { let f = common::verified(f); if std::env::var("ARR_SHOW").is_ok_and(|s| s == name) { println!("{}", arr_ir::print_func(&f)); } if f.params.is_empty() { println!("{name} = {:?}", common::run_func(&f, &[], &[]).map(|v| v.iter().map(common::show).collect::<Vec<_>>())); } }
            Err(e) => println!("{name}: {}", common::render_all(&e, &map)),
        }
    }
    if let Ok(exprs) = std::env::var("ARR_EXPR") { for e in exprs.split(";;") { println!("{e}\n   = {}", common::eval(&text, e)); } }
}
