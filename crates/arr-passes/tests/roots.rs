//! Golden tests of `roots`.

use crate::common;

#[test]
fn golden() {
    common::golden("roots", "roots");
}
