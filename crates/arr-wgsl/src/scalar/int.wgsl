// Integers, for INT = i32 and i64. All arithmetic wraps.

// Toward negative infinity. The divisor has been found not to be zero.
fn arr_INT_div(a: INT, b: INT) -> INT {
    let q = a / b;
    let r = a - q * b;
    return select(q, q - 1, r != 0 && (r < 0) != (b < 0));
}

// Has the divisor's sign.
fn arr_INT_rem(a: INT, b: INT) -> INT {
    let r = a - (a / b) * b;
    return select(r, r + b, r != 0 && (r < 0) != (b < 0));
}

fn arr_INT_sign(a: INT) -> INT {
    return select(select(INT(0), INT(-1), a < 0), INT(1), a > 0);
}

// A negative exponent gives 0 unless the base is 1 or -1.
fn arr_INT_pow(base: INT, exponent: INT) -> INT {
    if (exponent < 0) {
        let odd = (exponent & 1) != 0;
        return select(select(INT(0), select(INT(1), INT(-1), odd), base == -1), INT(1), base == 1);
    }
    var result = INT(1);
    var square = base;
    for (var e = exponent; e > 0; e = e >> 1u) {
        if ((e & 1) != 0) {
            result = result * square;
        }
        square = square * square;
    }
    return result;
}

fn arr_u32_pow(base: u32, exponent: u32) -> u32 {
    var result = 1u;
    var square = base;
    for (var e = exponent; e > 0u; e = e >> 1u) {
        if ((e & 1u) != 0u) {
            result = result * square;
        }
        square = square * square;
    }
    return result;
}

// A constant as a value.
fn arr_i64_value(a: i64) -> i64 {
    return a;
}

// The exponent of a float's power: more than 30 bits are as good as 30 and the parity.
fn arr_i64_exponent(n: i64) -> i32 {
    let most = 1073741822li + (n & 1li);
    return i32(clamp(n, -most, most));
}

// Shifts of a number of 64 bits that is held in 32: the count is taken modulo 64.
fn arr_narrow_shl(a: i32, n: i32) -> i32 {
    let count = u32(n) & 63u;
    return select(a << (count & 31u), 0, count > 31u);
}

fn arr_narrow_shr(a: i32, n: i32) -> i32 {
    return a >> min(u32(n) & 63u, 31u);
}

// Without a conversion that extends the sign: Mesa 22 mistakes comparisons of those with constants.
fn arr_i32_to_i64(a: i32) -> i64 {
    return i64(u64(bitcast<u32>(a) ^ 0x80000000u)) - 2147483648li;
}
