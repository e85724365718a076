//! Golden tests of `layout`.

use crate::common;

#[test]
fn golden() {
    common::golden("layout", "layout");
}
