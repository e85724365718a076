//! Golden tests of `interchange`, after `fuse` and followed by `simplify`.

use crate::common;

#[test]
fn golden() {
    common::golden("interchange", "fuse, interchange, simplify");
}
