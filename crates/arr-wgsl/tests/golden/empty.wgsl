// `main`: made by the Arr compiler.


// The host:
// let for: buffer f32 = alloc [0, 0] @1
// return for [0, 0]
