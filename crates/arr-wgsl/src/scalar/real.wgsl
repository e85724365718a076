// Functions of floats, for REAL = f32 and f64. What differs between the two is in f32.wgsl and f64.wgsl.
//
// Shader compilers may contract a product into a sum, take sums in another order, and assume that nothing is infinite or
// not a number. So the special cases are found in bits, and where the rounding error of a step is needed the step's result
// is cut to less than half of its bits (`arr_REAL_head`): products of such numbers are exact, however they are computed.
// `arr_REAL_exact` changes nothing of such a product, but a compiler does not know that, and so cannot take sums with it apart.
//
// Sources: the Freely Distributable Math Library (Sun Microsystems, 1993) for the coefficients of `atan`, `asin`, `erf`,
// `lgamma` and the reduction in `pow`; Abramowitz and Stegun 6.3.18 and 6.4.11 for `polygamma`.

fn arr_REAL_ordered(a: REAL, b: REAL) -> bool {
    return !(arr_REAL_is_nan(a) || arr_REAL_is_nan(b));
}

fn arr_REAL_eq(a: REAL, b: REAL) -> bool {
    return (a == b) && arr_REAL_ordered(a, b);
}

fn arr_REAL_ne(a: REAL, b: REAL) -> bool {
    return (a != b) || !arr_REAL_ordered(a, b);
}

fn arr_REAL_lt(a: REAL, b: REAL) -> bool {
    return (a < b) && arr_REAL_ordered(a, b);
}

fn arr_REAL_le(a: REAL, b: REAL) -> bool {
    return (a <= b) && arr_REAL_ordered(a, b);
}

// NaN if either is; the first at a tie.
fn arr_REAL_max(a: REAL, b: REAL) -> REAL {
    return select(select(select(b, a, a >= b), b, arr_REAL_is_nan(b)), a, arr_REAL_is_nan(a));
}

fn arr_REAL_min(a: REAL, b: REAL) -> REAL {
    return select(select(select(b, a, a <= b), b, arr_REAL_is_nan(b)), a, arr_REAL_is_nan(a));
}

fn arr_REAL_sign(x: REAL) -> REAL {
    if (arr_REAL_is_nan(x)) {
        return x;
    }
    return select(select(x, REAL(-1.0), x < 0.0), REAL(1.0), x > 0.0);
}

// A zero factor gives zero.
fn arr_REAL_mulz(a: REAL, b: REAL) -> REAL {
    return select(a * b, REAL(0.0), a == 0.0 || b == 0.0);
}

fn arr_REAL_square(x: REAL) -> REAL {
    return x * x;
}

fn arr_REAL_cube(x: REAL) -> REAL {
    return x * x * x;
}

// Four bits of an exponent, and what is left of it.
fn arr_REAL_powi_bits(result: ptr<function, REAL>, square: ptr<function, REAL>, bits: u32) -> u32 {
    if ((bits & 1u) != 0u) {
        *result = *result * *square;
    }
    *square = *square * *square;
    if ((bits & 2u) != 0u) {
        *result = *result * *square;
    }
    *square = *square * *square;
    if ((bits & 4u) != 0u) {
        *result = *result * *square;
    }
    *square = *square * *square;
    if ((bits & 8u) != 0u) {
        *result = *result * *square;
    }
    *square = *square * *square;
    return bits >> 4u;
}

// Without a loop: there is a device that counts the iterations of all loops, and powers are in the loops of programs.
fn arr_REAL_powi(x: REAL, n: i32) -> REAL {
    var result = REAL(1.0);
    var square = x;
    var e = arr_REAL_powi_bits(&result, &square, u32(abs(n)));
    if (e > 0u) {
        e = arr_REAL_powi_bits(&result, &square, e);
    }
    if (e > 0u) {
        e = arr_REAL_powi_bits(&result, &square, e);
    }
    if (e > 0u) {
        e = arr_REAL_powi_bits(&result, &square, e);
    }
    if (e > 0u) {
        e = arr_REAL_powi_bits(&result, &square, e);
    }
    if (e > 0u) {
        e = arr_REAL_powi_bits(&result, &square, e);
    }
    if (e > 0u) {
        e = arr_REAL_powi_bits(&result, &square, e);
    }
    if (e > 0u) {
        e = arr_REAL_powi_bits(&result, &square, e);
    }
    return select(result, 1.0 / result, n < 0);
}

fn arr_REAL_exp(x: REAL) -> REAL {
    if (arr_REAL_is_nan(x)) {
        return x;
    }
    let y = clamp(x, arr_REAL_exp_least, arr_REAL_exp_most);
    let k = round(y * 1.4426950408889634);
    let r = (y - arr_REAL_exact(k * arr_REAL_ln2_high)) - k * arr_REAL_ln2_low;
    return arr_REAL_scale(1.0 + (r + r * r * arr_REAL_exp_tail(r)), k);
}

fn arr_REAL_expm1(x: REAL) -> REAL {
    if (arr_REAL_is_nan(x) || x == 0.0) {
        return x;
    }
    let y = clamp(x, REAL(-40.0), arr_REAL_exp_most);
    let k = round(y * 1.4426950408889634);
    let r = (y - arr_REAL_exact(k * arr_REAL_ln2_high)) - k * arr_REAL_ln2_low;
    let p = r + r * r * arr_REAL_exp_tail(r);
    let one = arr_REAL_scale(REAL(1.0), -clamp(k, REAL(-60.0), REAL(60.0)));
    return arr_REAL_scale(p + (1.0 - one), k);
}

// The logarithm of 2^k (1 + f), for 1 + f between the square roots of a half and of two.
fn arr_REAL_log_of(k: REAL, f: REAL) -> REAL {
    let s = f / (2.0 + f);
    let square = 0.5 * f * f;
    return k * arr_REAL_ln2_high - ((square - (s * (square + arr_REAL_log_tail(s * s)) + k * arr_REAL_ln2_low)) - f);
}

fn arr_REAL_log(x: REAL) -> REAL {
    if (arr_REAL_is_nan(x)) {
        return x;
    }
    if (x <= 0.0) {
        return select(arr_REAL_nan(), -arr_REAL_infinity(), x == 0.0);
    }
    if (!arr_REAL_is_finite(x)) {
        return x;
    }
    let parts = arr_REAL_split(x);
    return arr_REAL_log_of(parts.y, parts.x - 1.0);
}

fn arr_REAL_log1p(x: REAL) -> REAL {
    if (x > -0.29 && x < 0.41) {
        return select(arr_REAL_log_of(REAL(0.0), x), x, x == 0.0);
    }
    return arr_REAL_log(1.0 + x);
}

fn arr_REAL_sin(x: REAL) -> REAL {
    if (!arr_REAL_is_finite(x)) {
        return arr_REAL_nan();
    }
    if (x == 0.0) {
        return x;
    }
    let angle = arr_REAL_reduce(x);
    let y = select(arr_REAL_sin_near(angle.rest), arr_REAL_cos_near(angle.rest), (angle.quadrant & 1u) != 0u);
    return select(y, -y, (angle.quadrant & 2u) != 0u);
}

fn arr_REAL_cos(x: REAL) -> REAL {
    if (!arr_REAL_is_finite(x)) {
        return arr_REAL_nan();
    }
    let angle = arr_REAL_reduce(x);
    let y = select(arr_REAL_cos_near(angle.rest), arr_REAL_sin_near(angle.rest), (angle.quadrant & 1u) != 0u);
    return select(y, -y, ((angle.quadrant + 1u) & 2u) != 0u);
}

fn arr_REAL_tan(x: REAL) -> REAL {
    if (!arr_REAL_is_finite(x)) {
        return arr_REAL_nan();
    }
    if (x == 0.0) {
        return x;
    }
    let angle = arr_REAL_reduce(x);
    let s = arr_REAL_sin_near(angle.rest);
    let c = arr_REAL_cos_near(angle.rest);
    if ((angle.quadrant & 1u) != 0u) {
        return -(c / s);
    }
    return s / c;
}

// Of a positive number, infinity included.
fn arr_REAL_atan_positive(x: REAL) -> REAL {
    var high = REAL(0.0);
    var low = REAL(0.0);
    var t = x;
    if (x >= 2.4375) {
        high = REAL(1.5707963267948966);
        low = REAL(arr_REAL_half_pi_low);
        t = select(-1.0 / x, REAL(0.0), !arr_REAL_is_finite(x));
    } else if (x >= 1.1875) {
        high = REAL(0.982793723247329);
        t = (x - 1.5) / (1.0 + 1.5 * x);
    } else if (x >= 0.6875) {
        high = REAL(0.7853981633974483);
        low = REAL(0.5 * arr_REAL_half_pi_low);
        t = (x - 1.0) / (x + 1.0);
    } else if (x >= 0.4375) {
        high = REAL(0.4636476090008061);
        t = (2.0 * x - 1.0) / (2.0 + x);
    }
    let z = t * t;
    let w = z * z;
    let s1 = z * (3.33333333333329318027e-01 + w * (1.42857142725034663711e-01 + w * (9.09088713343650656196e-02
        + w * (6.66107313738753120669e-02 + w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))));
    let s2 = w * (-1.99999999998764832476e-01 + w * (-1.11111104054623557880e-01 + w * (-7.69187620504482999495e-02
        + w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02))));
    return high - ((t * (s1 + s2) - low) - t);
}

fn arr_REAL_atan(x: REAL) -> REAL {
    if (arr_REAL_is_nan(x) || x == 0.0) {
        return x;
    }
    let y = arr_REAL_atan_positive(abs(x));
    return select(y, -y, x < 0.0);
}

fn arr_REAL_atan2(y: REAL, x: REAL) -> REAL {
    if (!arr_REAL_ordered(x, y)) {
        return arr_REAL_nan();
    }
    let ax = abs(x);
    let ay = abs(y);
    var angle = REAL(0.0);
    if (!arr_REAL_is_finite(x) && !arr_REAL_is_finite(y)) {
        angle = REAL(0.7853981633974483);
    } else if (ay > ax) {
        angle = 1.5707963267948966 - select(arr_REAL_atan_positive(ax / ay) - arr_REAL_half_pi_low, REAL(0.0), !arr_REAL_is_finite(y));
    } else if (ax > 0.0 && arr_REAL_is_finite(x)) {
        angle = arr_REAL_atan_positive(ay / ax);
    }
    if (arr_REAL_is_negative(x)) {
        angle = 3.141592653589793 - (angle - 2.0 * arr_REAL_half_pi_low);
    }
    return select(angle, -angle, arr_REAL_is_negative(y));
}

// (asin(s) - s) / s, of z = s^2 <= 1/4.
fn arr_REAL_asin_tail(z: REAL) -> REAL {
    let p = z * (1.66666666666666657415e-01 + z * (-3.25565818622400915405e-01 + z * (2.01212532134862925881e-01
        + z * (-4.00555345006794114027e-02 + z * (7.91534994289814532176e-04 + z * 3.47933107596021167570e-05)))));
    let q = 1.0 + z * (-2.40339491173441421878e+00 + z * (2.02094576023350569471e+00
        + z * (-6.88283971605453293030e-01 + z * 7.70381505559019352791e-02)));
    return p / q;
}

// acos of a number from a half to one.
fn arr_REAL_acos_near(a: REAL) -> REAL {
    let z = 0.5 * (1.0 - a);
    let s = sqrt(z);
    return 2.0 * (s + s * arr_REAL_asin_tail(z));
}

fn arr_REAL_asin(x: REAL) -> REAL {
    let a = abs(x);
    if (arr_REAL_is_nan(x) || x == 0.0) {
        return x;
    }
    if (a > 1.0) {
        return arr_REAL_nan();
    }
    if (a < 0.5) {
        return x + x * arr_REAL_asin_tail(x * x);
    }
    let y = 1.5707963267948966 - (arr_REAL_acos_near(a) - arr_REAL_half_pi_low);
    return select(y, -y, x < 0.0);
}

fn arr_REAL_acos(x: REAL) -> REAL {
    let a = abs(x);
    if (arr_REAL_is_nan(x)) {
        return x;
    }
    if (a > 1.0) {
        return arr_REAL_nan();
    }
    if (a < 0.5) {
        return 1.5707963267948966 - (x - (arr_REAL_half_pi_low - x * arr_REAL_asin_tail(x * x)));
    }
    let y = arr_REAL_acos_near(a);
    return select(y, 3.141592653589793 - (y - 2.0 * arr_REAL_half_pi_low), x < 0.0);
}

fn arr_REAL_sinh(x: REAL) -> REAL {
    if (arr_REAL_is_nan(x) || x == 0.0) {
        return x;
    }
    let a = abs(x);
    var y = REAL(0.0);
    if (a < 20.0) {
        let t = arr_REAL_expm1(a);
        y = 0.5 * (t + t / (t + 1.0));
    } else {
        let e = arr_REAL_exp(0.5 * a);
        y = (0.5 * e) * e;
    }
    return select(y, -y, x < 0.0);
}

fn arr_REAL_cosh(x: REAL) -> REAL {
    let a = abs(x);
    if (a < 20.0) {
        let e = arr_REAL_exp(a);
        return 0.5 * e + 0.5 / e;
    }
    let e = arr_REAL_exp(0.5 * a);
    return (0.5 * e) * e;
}

fn arr_REAL_tanh(x: REAL) -> REAL {
    if (arr_REAL_is_nan(x) || x == 0.0) {
        return x;
    }
    let t = arr_REAL_expm1(2.0 * min(abs(x), REAL(22.0)));
    let y = t / (t + 2.0);
    return select(y, -y, x < 0.0);
}

fn arr_REAL_sigmoid(x: REAL) -> REAL {
    if (arr_REAL_is_nan(x)) {
        return x;
    }
    let e = arr_REAL_exp(-abs(x));
    return select(REAL(1.0), e, x < 0.0) / (1.0 + e);
}

fn arr_REAL_softplus(x: REAL) -> REAL {
    if (arr_REAL_is_nan(x)) {
        return x;
    }
    return max(x, REAL(0.0)) + arr_REAL_log1p(arr_REAL_exp(-abs(x)));
}

// A number as a sum: a head, and the rest.
struct arr_REAL_pair {
    high: REAL,
    low: REAL,
}

// The logarithm of a positive finite number, to half as many digits again.
fn arr_REAL_log_pair(x: REAL) -> arr_REAL_pair {
    let parts = arr_REAL_split(x);
    let m = parts.x;
    let k = parts.y;
    // log m = 2 atanh(s) = 2/3 s (3 + s^2 + ...)
    let f = m - 1.0;
    let d = m + 1.0;
    let s = f / d;
    let s_high = arr_REAL_head(s);
    let d_high = arr_REAL_head(d);
    let d_low = m - (d_high - 1.0);
    let s_low = ((f - arr_REAL_exact(s_high * d_high)) - s_high * d_low) / d;
    let z = s * s;
    let tail = z * z * arr_REAL_pow_tail(z) + s_low * (s_high + s);
    let z_high = arr_REAL_exact(s_high * s_high);
    let t_high = arr_REAL_head((3.0 + z_high) + tail);
    let t_low = tail - ((t_high - 3.0) - z_high);
    let u = arr_REAL_exact(s_high * t_high);
    let v = s_low * t_high + t_low * s;
    let p_high = arr_REAL_head(u + v);
    let p_low = v - (p_high - u);
    let b = arr_REAL_exact(arr_REAL_two_thirds_high * p_high);
    let b_low = arr_REAL_two_thirds_high * p_low + arr_REAL_two_thirds_low * (p_high + p_low);
    let a = arr_REAL_exact(k * arr_REAL_ln2_high);
    let low = b_low + k * arr_REAL_ln2_low;
    let high = arr_REAL_head((b + low) + a);
    return arr_REAL_pair(high, low - ((high - a) - b));
}

// Of a positive finite number.
fn arr_REAL_pow_positive(x: REAL, exponent: REAL) -> REAL {
    let y = clamp(exponent, -arr_REAL_pow_most, arr_REAL_pow_most);
    let l = arr_REAL_log_pair(x);
    let y_high = arr_REAL_head(y);
    let high = arr_REAL_exact(y_high * l.high);
    let low = y * l.low + (y - y_high) * l.high;
    let sum = high + low;
    if (sum > arr_REAL_exp_most) {
        return arr_REAL_infinity();
    }
    if (sum < arr_REAL_exp_least) {
        return REAL(0.0);
    }
    let k = round(sum * 1.4426950408889634);
    let r = ((high - arr_REAL_exact(k * arr_REAL_ln2_high)) + low) - k * arr_REAL_ln2_low;
    return arr_REAL_scale(1.0 + (r + r * r * arr_REAL_exp_tail(r)), k);
}

fn arr_REAL_pow(x: REAL, y: REAL) -> REAL {
    if (y == 0.0 || x == 1.0) {
        return REAL(1.0);
    }
    if (!arr_REAL_ordered(x, y)) {
        return arr_REAL_nan();
    }
    let a = abs(x);
    if (!arr_REAL_is_finite(y)) {
        if (a == 1.0) {
            return REAL(1.0);
        }
        return select(REAL(0.0), arr_REAL_infinity(), (a > 1.0) == (y > 0.0));
    }
    let negative = arr_REAL_is_negative(x);
    let odd = floor(y) == y && floor(0.5 * y) != 0.5 * y;
    var result = REAL(0.0);
    if (a == 0.0 || !arr_REAL_is_finite(a)) {
        result = select(REAL(0.0), arr_REAL_infinity(), (a == 0.0) == (y < 0.0));
    } else {
        if (negative && floor(y) != y) {
            return arr_REAL_nan();
        }
        result = arr_REAL_pow_positive(a, y);
    }
    return select(result, -result, negative && odd);
}

fn arr_REAL_erf(x: REAL) -> REAL {
    if (arr_REAL_is_nan(x)) {
        return x;
    }
    let a = abs(x);
    if (a < 0.84375) {
        let z = x * x;
        let r = 1.28379167095512558561e-01 + z * (-3.25042107247001499370e-01 + z * (-2.84817495755985104766e-02
            + z * (-5.77027029648944159157e-03 + z * -2.37630166566501626084e-05)));
        let s = 1.0 + z * (3.97917223959155352819e-01 + z * (6.50222499887672944485e-02 + z * (5.08130628187576562776e-03
            + z * (1.32494738004321644526e-04 + z * -3.96022827877536812320e-06))));
        return x + x * (r / s);
    }
    var y = REAL(1.0);
    if (a < 1.25) {
        let s = a - 1.0;
        let p = -2.36211856075265944077e-03 + s * (4.14856118683748331666e-01 + s * (-3.72207876035701323847e-01
            + s * (3.18346619901161753674e-01 + s * (-1.10894694282396677476e-01 + s * (3.54783043256182359371e-02
            + s * -2.16637559486879084300e-03)))));
        let q = 1.0 + s * (1.06420880400844228286e-01 + s * (5.40397917702171048937e-01 + s * (7.18286544141962662868e-02
            + s * (1.26171219808761642112e-01 + s * (1.36370839120290507362e-02 + s * 1.19844998467991074170e-02)))));
        y = 8.45062911510467529297e-01 + p / q;
    } else if (a < 6.0) {
        y = 1.0 - arr_REAL_erfc_tail(a);
    }
    return select(y, -y, x < 0.0);
}

// 1 - erf of a number from 1.25 to 6.
fn arr_REAL_erfc_tail(a: REAL) -> REAL {
    let s = 1.0 / (a * a);
    var ratio = REAL(0.0);
    if (a < 2.857142857142857) {
        let r = -9.86494403484714822705e-03 + s * (-6.93858572707181764372e-01 + s * (-1.05586262253232909814e+01
            + s * (-6.23753324503260060396e+01 + s * (-1.62396669462573470355e+02 + s * (-1.84605092906711035994e+02
            + s * (-8.12874355063065934246e+01 + s * -9.81432934416914548592e+00))))));
        let q = 1.0 + s * (1.96512716674392571292e+01 + s * (1.37657754143519042600e+02 + s * (4.34565877475229228821e+02
            + s * (6.45387271733267880336e+02 + s * (4.29008140027567833386e+02 + s * (1.08635005541779435134e+02
            + s * (6.57024977031928170135e+00 + s * -6.04244152148580987438e-02)))))));
        ratio = r / q;
    } else {
        let r = -9.86494292470009928597e-03 + s * (-7.99283237680523006574e-01 + s * (-1.77579549177547519889e+01
            + s * (-1.60636384855821916062e+02 + s * (-6.37566443368389627722e+02 + s * (-1.02509513161107724954e+03
            + s * -4.83519191608651397019e+02)))));
        let q = 1.0 + s * (3.03380607434824582924e+01 + s * (3.25792512996573918826e+02 + s * (1.53672958608443695994e+03
            + s * (3.19985821950859553908e+03 + s * (2.55305040643316442583e+03 + s * (4.74528541206955367215e+02
            + s * -2.24409524465858183362e+01))))));
        ratio = r / q;
    }
    let z = arr_REAL_head(a);
    return arr_REAL_exp(-z * z - 0.5625) * arr_REAL_exp((z - a) * (z + a) + ratio) / a;
}

// Of a positive number.
fn arr_REAL_lgamma_positive(x: REAL) -> REAL {
    if (x < 2.0) {
        var r = REAL(0.0);
        var at = x;
        if (x <= 0.9) {
            // From x + 1.
            r = -arr_REAL_log(x);
            at = x + 1.0;
        }
        if (at >= 1.7316321) {
            let y = select(2.0 - x, 1.0 - x, x <= 0.9);
            let z = y * y;
            let p1 = 7.72156649015328655494e-02 + z * (6.73523010531292681824e-02 + z * (7.38555086081402883957e-03
                + z * (1.19270763183362067845e-03 + z * (2.20862790713908385557e-04 + z * 2.52144565451257326939e-05))));
            let p2 = z * (3.22467033424113591611e-01 + z * (2.05808084325167332806e-02 + z * (2.89051383673415629091e-03
                + z * (5.10069792153511336608e-04 + z * (1.08011567247583939954e-04 + z * 4.48640949618915160150e-05)))));
            return r + ((y * p1 + p2) - 0.5 * y);
        }
        if (at >= 1.2316321) {
            let y = select(x - 1.46163214496836224576, x - 0.46163214496836224576, x <= 0.9);
            let z = y * y;
            let w = z * y;
            let p1 = 4.83836122723810047042e-01 + w * (-3.27885410759859649565e-02 + w * (6.10053870246291332635e-03
                + w * (-1.40346469989232843813e-03 + w * 3.15632070903625950361e-04)));
            let p2 = -1.47587722994593911752e-01 + w * (1.79706750811820387126e-02 + w * (-3.68452016781138256760e-03
                + w * (8.81081882437654011382e-04 + w * -3.12754168375120860518e-04)));
            let p3 = 6.46249402391333854778e-02 + w * (-1.03142241298341437450e-02 + w * (2.25964780900612472250e-03
                + w * (-5.38595305356740546715e-04 + w * 3.35529192635519073543e-04)));
            return r + (-1.21486290535849611461e-01 + (z * p1 + w * (p2 + y * p3)));
        }
        let y = select(x - 1.0, x, x <= 0.9);
        let p = y * (-7.72156649015328655494e-02 + y * (6.32827064025093366517e-01 + y * (1.45492250137234768737e+00
            + y * (9.77717527963372745603e-01 + y * (2.28963728064692451092e-01 + y * 1.33810918536787660377e-02)))));
        let q = 1.0 + y * (2.45597793713041134822e+00 + y * (2.12848976379893395361e+00 + y * (7.69285150456672783825e-01
            + y * (1.04222645593369134254e-01 + y * 3.21709242282423911810e-03))));
        return r + (p / q - 0.5 * y);
    }
    if (x < 8.0) {
        let whole = floor(x);
        let y = x - whole;
        let p = y * (-7.72156649015328655494e-02 + y * (2.14982415960608852501e-01 + y * (3.25778796408930981787e-01
            + y * (1.46350472652464452805e-01 + y * (2.66422703033638609560e-02 + y * (1.84028451407337715652e-03
            + y * 3.19475326584100867617e-05))))));
        let q = 1.0 + y * (1.39200533467621045958e+00 + y * (7.21935547567138069525e-01 + y * (1.71933865632803078993e-01
            + y * (1.86459191715652901344e-02 + y * (7.77942496381893596434e-04 + y * 7.32668430744625636189e-06)))));
        var product = REAL(1.0);
        for (var i = REAL(2.0); i < whole; i = i + 1.0) {
            product = product * (y + i);
        }
        return (0.5 * y + p / q) + arr_REAL_log(product);
    }
    let t = arr_REAL_log(x);
    let z = 1.0 / x;
    let y = z * z;
    let w = 4.18938533204672725052e-01 + z * (8.33333333333329678849e-02 + y * (-2.77777777728775536470e-03
        + y * (7.93650558643019558500e-04 + y * (-5.95187557450339963135e-04 + y * (8.36339918996282139126e-04
        + y * -1.63092934096575273989e-03)))));
    return (x - 0.5) * (t - 1.0) + w;
}

fn arr_REAL_lgamma(x: REAL) -> REAL {
    if (!arr_REAL_is_finite(x)) {
        return select(arr_REAL_infinity(), x, arr_REAL_is_nan(x));
    }
    if (x > 0.0) {
        return arr_REAL_lgamma_positive(x);
    }
    if (floor(x) == x) {
        return arr_REAL_infinity();
    }
    let a = -x;
    if (a < arr_REAL_lgamma_least) {
        return -arr_REAL_log(a);
    }
    let s = arr_REAL_sin(3.141592653589793 * abs(a - round(a)));
    return arr_REAL_log(3.141592653589793 / (s * a)) - arr_REAL_lgamma_positive(a);
}

fn arr_REAL_digamma(x: REAL) -> REAL {
    if (arr_REAL_is_nan(x) || (x <= 0.0 && floor(x) == x)) {
        return arr_REAL_nan();
    }
    if (!arr_REAL_is_finite(x)) {
        return x;
    }
    var at = x;
    var result = REAL(0.0);
    if (x < 0.0) {
        result = -3.141592653589793 / arr_REAL_tan(3.141592653589793 * (x - round(x)));
        at = 1.0 - x;
    }
    while (at < 15.0) {
        result = result - 1.0 / at;
        at = at + 1.0;
    }
    let r = 1.0 / at;
    let z = r * r;
    let tail = z * (0.08333333333333333 + z * (-0.008333333333333333 + z * (0.003968253968253968
        + z * (-0.004166666666666667 + z * (0.007575757575757576 + z * (-0.021092796092796094
        + z * (0.08333333333333333 + z * -0.4432598039215686)))))));
    return ((arr_REAL_log(at) - 0.5 * r) - tail) + result;
}

// from! / (to! x^(from - to)), with r = 1/x.
fn arr_REAL_falling(from_count: i32, to_count: i32, r: REAL) -> REAL {
    var product = REAL(1.0);
    for (var k = to_count + 1; k <= from_count; k = k + 1) {
        product = product * (REAL(k) * r);
    }
    return product;
}

// The derivative of order `n` + 1 of lgamma, for n > 0 and an x that is no pole.
fn arr_REAL_polygamma_series(n: i32, x: REAL) -> REAL {
    var at = x;
    var steps = REAL(0.0);
    var count = 0;
    while (at < REAL(n) + 15.0) {
        let r = 1.0 / at;
        steps = steps + r * arr_REAL_falling(n, 0, r);
        at = at + 1.0;
        count = count + 1;
        if (count > 100000) {
            return arr_REAL_nan();
        }
    }
    let r = 1.0 / at;
    let first = arr_REAL_falling(n - 1, 0, r) * r;
    var sum = first + 0.5 * REAL(n) * first * r;
    var power = r;
    var bernoulli = array<REAL, 10>(0.16666666666666666, -0.03333333333333333, 0.023809523809523808, -0.03333333333333333,
        0.07575757575757576, -0.2531135531135531, 1.1666666666666667, -7.092156862745098, 54.971177944862156,
        -529.1242424242424);
    for (var row = 0; row < 10; row = row + 1) {
        let even = 2 * (row + 1);
        power = power * r * r;
        sum = sum + bernoulli[row] * arr_REAL_falling(even + n - 1, even, r) * power;
    }
    return select(-(sum + steps), sum + steps, (n & 1) != 0);
}

// `n` is cut to -1 .. 171 before.
fn arr_REAL_polygamma(n: i32, x: REAL) -> REAL {
    if (n < 0 || n > 170 || arr_REAL_is_nan(x) || (x <= 0.0 && floor(x) == x)) {
        return arr_REAL_nan();
    }
    if (n == 0) {
        return arr_REAL_digamma(x);
    }
    if (!arr_REAL_is_finite(x)) {
        return select(REAL(0.0), arr_REAL_nan(), x < 0.0);
    }
    if (n == 1 && x < 0.0) {
        let s = 3.141592653589793 / arr_REAL_sin(3.141592653589793 * (x - round(x)));
        return s * s - arr_REAL_polygamma_series(1, 1.0 - x);
    }
    return arr_REAL_polygamma_series(n, x);
}
