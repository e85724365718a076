//! Golden tests of `recheck`.
mod common;

#[test]
fn golden() {
    common::golden("recheck", "recheck");
}
