//! Golden tests of `expand`.
mod common;

#[test]
fn golden() {
    common::golden("expand", "expand");
}
