//! Golden tests of `roots`.
mod common;

#[test]
fn golden() {
    common::golden("roots", "roots");
}
