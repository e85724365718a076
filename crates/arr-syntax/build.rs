//! Generates the parser from `grammar/arr.lalrpop` at the top of the repository.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../grammar");
    println!("cargo:rerun-if-changed={}", root.join("arr.lalrpop").display());
    println!("cargo:rerun-if-changed=build.rs");
    let out = std::env::var("OUT_DIR")?;
    lalrpop::Configuration::new().set_in_dir(&root).set_out_dir(&out).process()?;
    Ok(())
}
