//! Golden tests of `drop_traces`.

use crate::common;

#[test]
fn golden() {
    common::golden("drop_traces", "drop_traces");
}
