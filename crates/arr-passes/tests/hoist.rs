//! Golden tests of `hoist`.
mod common;

#[test]
fn golden() {
    common::golden("hoist", "hoist");
}
