//! Golden tests of `recheck`.

use crate::common;

#[test]
fn golden() {
    common::golden("recheck", "recheck");
}
