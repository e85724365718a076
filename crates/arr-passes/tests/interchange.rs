//! Golden tests of `interchange`, after `fuse` and followed by `simplify`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

#[test]
fn golden() {
    common::golden("interchange", "fuse, interchange, simplify");
}
