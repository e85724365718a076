//! Golden tests of `reciprocals`.

use crate::common;

#[test]
fn golden() {
    common::golden("reciprocals", "reciprocals");
}
