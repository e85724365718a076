//! Golden tests of `reciprocals`.
mod common;

#[test]
fn golden() {
    common::golden("reciprocals", "reciprocals");
}
