// An `i64` that is held in 32 bits is from -2147483646 to 2147483646; the least and the greatest number of 64 bits are those of
// 32 bits. What does not fit stops the program: `place` is the number of the place, or 0 where nobody wants the result.

// Whether this invocation has been stopped: loops end.
var<private> arr_checked_stopped: bool;

// Stops the program because of a number of 64 bits.
fn arr_checked_stop(low: u32, high: u32, place: u32) {
    if (place == 0u) {
        return;
    }
    arr_checked_stopped = true;
    if (arr_claim_fault(place)) {
        atomicStore(&fault[2], low);
        atomicStore(&fault[3], high);
    }
}

// A constant that does not fit.
fn arr_checked_none(low: u32, high: u32, place: u32) -> i32 {
    arr_checked_stop(low, high, place);
    return 0;
}

// A number that must not be an extreme one.
fn arr_checked_finite(a: i32, place: u32) -> i32 {
    if (a == 2147483647i) {
        arr_checked_stop(0xffffffffu, 0x7fffffffu, place);
    } else if (bitcast<u32>(a) == 0x80000000u) {
        arr_checked_stop(0u, 0x80000000u, place);
    }
    return a;
}

// A number of 32 bits that is right.
fn arr_checked_fit(a: i32, place: u32) -> i32 {
    if (bitcast<u32>(a) + 2147483646u > 4294967292u) {
        arr_checked_stop(bitcast<u32>(a), bitcast<u32>(a >> 31u), place);
    }
    return a;
}

// A number of 64 bits.
fn arr_checked_wide(low: u32, high: u32, place: u32) -> i32 {
    let a = bitcast<i32>(low);
    if (bitcast<i32>(high) != (a >> 31u) || low + 2147483646u > 4294967292u) {
        arr_checked_stop(low, high, place);
    }
    return a;
}

// A number of 64 bits with a sign beside it.
fn arr_checked_signed(negative: bool, low: u32, high: u32, place: u32) -> i32 {
    let carry = select(0u, 1u, low == 0u);
    return arr_checked_wide(select(low, ~low + 1u, negative), select(high, ~high + carry, negative), place);
}

fn arr_checked_add(a: i32, b: i32, place: u32) -> i32 {
    let sum = a + b;
    let wrapped = ((a ^ sum) & (b ^ sum)) < 0;
    return arr_checked_wide(bitcast<u32>(sum), bitcast<u32>(select(sum, ~sum, wrapped) >> 31u), place);
}

fn arr_checked_sub(a: i32, b: i32, place: u32) -> i32 {
    let difference = a - b;
    let wrapped = ((a ^ b) & (a ^ difference)) < 0;
    let high = select(difference, ~difference, wrapped) >> 31u;
    return arr_checked_wide(bitcast<u32>(difference), bitcast<u32>(high), place);
}

// By halves, unless both are small.
fn arr_checked_mul(a: i32, b: i32, place: u32) -> i32 {
    let x = u32(abs(a));
    let y = u32(abs(b));
    if ((x | y) < 32768u) {
        return a * b;
    }
    let low = (x & 0xffffu) * (y & 0xffffu);
    let middle = (x & 0xffffu) * (y >> 16u) + (low >> 16u);
    let other = (x >> 16u) * (y & 0xffffu) + (middle & 0xffffu);
    let high = (x >> 16u) * (y >> 16u) + (middle >> 16u) + (other >> 16u);
    return arr_checked_signed((a < 0) != (b < 0), x * y, high, place);
}

// A negative exponent gives 0 unless the base is 1 or -1.
fn arr_checked_pow(base: i32, exponent: i32, place: u32) -> i32 {
    if (exponent < 0) {
        return arr_i32_pow(base, exponent);
    }
    var result = 1;
    var square = base;
    for (var e = exponent; e > 0 && !arr_checked_stopped; e = e >> 1u) {
        if ((e & 1) != 0) {
            result = arr_checked_mul(result, square, place);
        }
        // The last square is of no use.
        if (e > 1) {
            square = arr_checked_mul(square, square, place);
        }
    }
    return result;
}

// The count is taken modulo 64.
fn arr_checked_shl(a: i32, n: i32, place: u32) -> i32 {
    let count = u32(n) & 63u;
    let part = count & 31u;
    if (count > 31u) {
        return arr_checked_wide(0u, u32(a) << part, place);
    }
    let high = select(a >> ((32u - part) & 31u), a >> 31u, part == 0u);
    return arr_checked_wide(u32(a) << part, bitcast<u32>(high), place);
}

// What is not a number is 0, and what 64 bits cannot hold the nearest that they can.
fn arr_checked_f32(a: f32, place: u32) -> i32 {
    let bits = bitcast<u32>(a);
    let size = bits & 0x7fffffffu;
    if (size < 0x4f000000u || size > 0x7f800000u) {
        return arr_f32_to_i32(a);
    }
    let negative = bits != size;
    if (size >= 0x5f000000u) {
        return arr_checked_wide(select(0xffffffffu, 0u, negative), select(0x7fffffffu, 0x80000000u, negative), place);
    }
    let digits = (size & 0x7fffffu) | 0x800000u;
    let shift = (size >> 23u) - 150u;
    let low = select(digits << (shift & 31u), 0u, shift > 31u);
    let high = select(digits >> ((32u - shift) & 31u), digits << (shift & 31u), shift > 31u);
    return arr_checked_signed(negative, low, high, place);
}

// What is not a number is 0, and what 64 bits cannot hold the nearest that they can.
fn arr_checked_f64(a: f64, place: u32) -> i32 {
    if (arr_f64_is_nan(a) || abs(a) < 2147483647.0lf) {
        return arr_f64_to_i32(a);
    }
    if (abs(a) >= 9223372036854775808.0lf) {
        let negative = a < 0.0lf;
        return arr_checked_wide(select(0xffffffffu, 0u, negative), select(0x7fffffffu, 0x80000000u, negative), place);
    }
    let size = floor(abs(a));
    let high = floor(size / 4294967296.0lf);
    return arr_checked_signed(a < 0.0lf, u32(size - high * 4294967296.0lf), u32(high), place);
}
