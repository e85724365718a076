use arr_base::{Id, SourceId};
fn main() {
    let t = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let p = arr_syntax::parse_module(SourceId::from_index(0), &t);
    println!("{:?}\n{}", p.diagnostics, arr_syntax::print_module(&p.module));
}
