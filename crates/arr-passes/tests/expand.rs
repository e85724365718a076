//! Golden tests of `expand`.

use crate::common;

#[test]
fn golden() {
    common::golden("expand", "expand");
}
