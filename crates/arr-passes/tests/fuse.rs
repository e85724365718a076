//! Golden tests of `fuse`, followed by `simplify`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

#[test]
fn golden() {
    common::golden("fuse", "fuse, simplify");
}
