//! Golden tests of `layout`.
mod common;

#[test]
fn golden() {
    common::golden("layout", "layout");
}
