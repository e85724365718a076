//! Golden tests of `contract`.

use crate::common;

#[test]
fn golden() {
    common::golden("contract", "contract");
}
