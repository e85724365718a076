//! Golden tests of `hoist`.

use crate::common;

#[test]
fn golden() {
    common::golden("hoist", "hoist");
}
