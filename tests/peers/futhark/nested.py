import jax
import jax.numpy as jnp
import numpy as np
from peer import at, case, rand


@case(at(rand(1, 3, 4), rand(2, 4, 2)))
def product(a, b):
    return a @ b


@case(at(rand(3, 3, 4), rand(4, 4, 2), rand(5, 2)))
def product_chain(a, b, v):
    return jnp.sin(a @ b) @ v + a @ (b @ (v * v))


@case(at(rand(6, 4, 3)))
def gram(a):
    return a.T @ a * (a[0] @ a[1])


@case(at(rand(7, 3), rand(8, 4)))
def outer_sum(x, y):
    return jnp.sum(jnp.prod(x[:, None] + y[None, :] * x[:, None], axis=1))


@case(at(rand(9, 3, 4), rand(10, 4)))
def map_of_map(a, x):
    return jnp.sin(a) * (a @ x)[:, None] * x[::-1][None, :]


def cost(centres, points):
    return jnp.sum(jnp.min(jnp.sum((points[:, None] - centres[None]) ** 2, 2), 1))


@case(at(rand(11, 3, 2), rand(12, 8, 2)))
def kmeans(centres, points):
    return cost(centres, points)


@case(at(np.array([[0.1, 0.2], [-0.6, -0.5], [0.7, -0.4]]), rand(14, 10, 2)))
def kmeans_step(centres, points):
    g, h = jax.jvp(jax.grad(lambda c: cost(c, points)), (centres,), (jnp.ones_like(centres),))
    return centres - 0.9 * g / h


@case(at(rand(15, 2), rand(16, 2, 3), rand(17, 2, 3), rand(18, 5, 3)))
def gmm(alpha, means, scale, points):
    z = alpha + scale.sum(1) - 0.5 * jnp.sum((jnp.exp(scale) * (points[:, None] - means)) ** 2, 2)
    return jnp.sum(jax.nn.logsumexp(z, axis=1)) - points.shape[0] * jax.nn.logsumexp(alpha)


@case(at(rand(19, 5, lo=0.05, hi=0.95), rand(20, 3, 2, 4)))
def cross_section(energies, poles):
    where = jnp.clip(jnp.floor(energies * 3).astype(int), 0, 2)
    root = jnp.sqrt(energies)[:, None]
    p = poles[where]
    u, v = p[..., 0] - root, p[..., 1]
    return jnp.sum((p[..., 2] * u + p[..., 3] * v) / (u * u + v * v), 1) / energies


@case(at(rand(21, 6), np.array([0, 1, 2, 1, 0, 1])))
def areas(x, kinds):
    after = jnp.roll(x, -1)
    return jnp.where(kinds == 0, 3.0 * x * x, jnp.where(kinds == 1, x * after + jnp.sin(x), x * x[0] + x))


@case(at(rand(22, 4), rand(23, 2)))
def steps(x, y):
    s = 1.5
    for v in x:
        s, y = s * v, y * v + s
    return y * s


@case(at(rand(24, 3)), at(np.array([0.0, 1.0, 0.0])))
def gradient_of_gradient(x):
    def f(x):
        return x[0] * x[1] * x[2] + jnp.sum(x ** 3)
    return jnp.sum(jax.grad(lambda y: jnp.sum(jax.grad(f)(y) ** 2))(x))


@case(at(rand(25, 3), rand(26, 3)))
def forward_in_reverse(x, v):
    dy = jax.jvp(lambda x: jnp.sin(x) * jnp.sum(x), (x,), (v,))[1]
    return jnp.sum(dy * dy)


@case(at(rand(27, 3), rand(28, 3)))
def reverse_in_forward(x, v):
    def both(x):
        y, back = jax.vjp(lambda z: jnp.exp(z) * z[0], x)
        return back(y)[0]
    return jax.jvp(both, (x,), (v,))[1]


@case(at(rand(29, 3)))
def jacobian_sum(x):
    return jax.jacfwd(lambda x: jnp.cumprod(x) * x[0])(x) @ jax.jacrev(lambda x: jnp.sin(x) * jnp.sum(x))(x)


@case(at(rand(30, 3), rand(31, 3)))
def hessian_product(x, v):
    return jax.hessian(lambda x: x[0] * x[1] * x[2] + jnp.sum(jnp.sin(x)) ** 2)(x) @ v


@case(at(rand(32, 3)))
def stopped(x):
    return jnp.sum(x * jax.lax.stop_gradient(jnp.sin(x))) + x[0]


@case(at(rand(33, 3), 4))
def checkpointed(x, k):
    y = x
    for _ in range(k):
        y = jnp.sin(y) * jnp.sum(y) + x
    return jnp.sum(y)


@case(at(rand(34, 3, 4)))
def norm_of_rows(a):
    return jnp.sum(jnp.sqrt(jnp.sum(a * a, 1) + 1.0)) * jnp.sum(a)


@case(at(rand(35, 3), rand(36, 4)))
def bound_in_map(x, y):
    return x * x * jnp.sum(y)
