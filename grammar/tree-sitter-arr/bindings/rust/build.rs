//! Compiles the generated parser.
fn main() {
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let parser = source.join("parser.c");
    println!("cargo:rerun-if-changed={}", parser.display());
    cc::Build::new().std("c11").include(&source).file(&parser).warnings(false).compile("tree-sitter-arr");
}
