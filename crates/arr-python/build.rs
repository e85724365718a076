//! Links the library so that Python's symbols come from the interpreter that loads it.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
