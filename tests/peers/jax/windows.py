import jax.numpy as jnp
import numpy as np
from jax import lax
from peer import at, case, rand


def conv(x, k, stride=1, padding=0, dilation=1, **more):
    spatial = x.ndim - 2
    return lax.conv_general_dilated(x, k, (stride,) * spatial, [(padding, padding)] * spatial,
                                    rhs_dilation=(dilation,) * spatial, **more)


@case(at(rand(1, 2, 7), rand(2, 3, 2, 3), 1, 0, 5), at(rand(1, 2, 7), rand(2, 3, 2, 3), 2, 1, 4))
def convolved(x, k, stride, padding, m):
    return conv(x[None], k, stride, padding)[0]


@case(at(rand(3, 2, 5, 4), rand(4, 2, 2, 3, 2), 1, 1, 5, 5), at(rand(3, 2, 5, 4), rand(4, 2, 2, 3, 2), 2, 0, 2, 2))
def convolved_plane(x, k, stride, padding, m, l):
    return conv(x[None], k, stride, padding)[0]


@case(at(rand(5, 2, 8), rand(6, 2, 2, 3), 2))
def dilated(x, k, d):
    return conv(x[None], k, dilation=d)[0]


@case(at(rand(7, 4), rand(8, 3), 2), at(rand(7, 4), rand(8, 2), 3))
def transposed(x, k, s):
    p = k.shape[0]
    return lax.conv_general_dilated(x[None, None], k[::-1][None, None], (1,), [(p - 1, p - 1)], lhs_dilation=(s,))[0, 0]


@case(at(rand(9, 3, 4, 5), rand(10, 3, 2, 2)))
def by_channel(x, k):
    return conv(x[None], k[:, None], feature_group_count=3)[0]


@case(at(rand(11, 2, 2, 3, 4), rand(12, 2, 2, 3, 3)))
def batch_of_images(x, k):
    return jnp.tanh(conv(x, k, padding=1))


@case(at(rand(13, 2, 5, 5), rand(14, 3, 2, 3, 3), rand(15, 2, 3, 3, 3)))
def two_layers(x, k, l):
    return jnp.sum(conv(jnp.maximum(conv(x[None], k, padding=1), 0.0), l, 2) ** 2)


@case(at(rand(16, 8), 3), at(rand(16, 5), 5))
def greatest_in_windows(x, k):
    return lax.reduce_window(x, -jnp.inf, lax.max, (k,), (1,), "VALID") * x[:x.shape[0] - k + 1]


@case(at(rand(17, 8)))
def least_in_strides(x):
    return lax.reduce_window(x, jnp.inf, lax.min, (3,), (2,), "VALID")


@case(at(rand(18, 6)), at(np.array([1.0, 0.0, 2.0, 0.0, 0.0, 3.0])))
def products_in_windows(x):
    return x[:-2] * x[1:-1] * x[2:]


@case(at(rand(19, 2, 4, 4)))
def pooled(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2), (1, 1, 1), "VALID")


@case(at(rand(20, 2, 4, 6)))
def averaged(x):
    return (lax.reduce_window(x, 0.0, lax.add, (1, 2, 2), (1, 2, 2), "VALID") / 4.0) ** 2


@case(at(rand(21, 5), rand(22, 3)))
def full_convolution(x, y):
    return jnp.convolve(x, y)


@case(at(rand(23, 5), rand(24, 4)))
def fourier_convolution(x, y):
    return jnp.convolve(x, y)


@case(at(rand(25, 6)), at(rand(26, 8)))
def spectrum(x):
    return jnp.abs(jnp.fft.rfft(x)) ** 2


@case(at(rand(27, 8), rand(28, 8)), at(rand(29, 5), rand(30, 5)))
def fourier(x, y):
    s = jnp.fft.fft(x + 1j * y)
    return s.real, s.imag


@case(at(rand(31, 8)), at(rand(31, 6)))
def filtered(x):
    s = jnp.fft.rfft(x)
    return jnp.fft.irfft(s / (1.0 + np.arange(s.shape[0])), x.shape[0])


@case(at(rand(32, 4, 3)))
def running_products(a):
    return jnp.cumprod(a, 0)


@case(at(rand(33, 4, 3)))
def running_maxima(a):
    return lax.cummax(a, 0)


@case(at(rand(34, 6)), at(np.array([700.0, 710.0, -700.0, 705.0])))
def running_logsumexp(x):
    return lax.cumlogsumexp(x, 0)


@case(at(rand(35, 5)))
def running_backwards(x):
    return jnp.cumprod(x[::-1])[::-1] * jnp.cumsum(x)


@case(at(rand(36, 6), 0.7), at(rand(36, 6), 1.3))
def moving_average(x, a):
    s, out = 0.0, []
    for v in x:
        s = a * s + (1.0 - a) * v
        out.append(s)
    return jnp.stack(out)


@case(at(rand(37, 6), rand(38, 2)))
def autoregression(x, w):
    p, q, out = 0.0, 0.0, []
    for v in x:
        p, q = v + w[0] * p + w[1] * q, p
        out.append(p)
    return jnp.stack(out)


@case(at(rand(39, 6), rand(40, 3), rand(41, 2)))
def biquad(x, b, a):
    s, t, out = 0.0, 0.0, []
    for u in x:
        v = b[0] * u + s
        s, t = b[1] * u - a[0] * v + t, b[2] * u - a[1] * v
        out.append(v)
    return jnp.stack(out)
