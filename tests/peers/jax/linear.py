import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import linalg
from peer import at, case, rand

A = rand(1, 4, 4) + 2.0 * np.eye(4)
SPREAD = rand(2, 4, 4) + np.diag([0.0, 2.0, 4.0, 6.0])
TALL = rand(3, 5, 3) + 2.0 * np.eye(5, 3)


def symmetric(a):
    return a @ a.T + jnp.eye(a.shape[0])


@case(at(rand(4, 2, 3, 4), rand(5, 2, 4, 2)))
def batched_product(a, c):
    return jax.lax.dot_general(a, c, (((2,), (1,)), ((0,), (0,))))


@case(at(rand(6, 2, 3, 2), rand(7, 3, 2, 4)))
def two_axes(a, c):
    return jnp.tensordot(a, c, 2)


@case(at(rand(8, 2, 3), rand(9, 3, 4), rand(10, 4, 2)))
def einsum(a, b, c):
    return jnp.einsum("ij,jk,ki->", a, b, c)


@case(at(rand(11, 3), rand(12, 3, 4), rand(13, 4)))
def bilinear(x, a, y):
    return x @ a @ y


@case(at(A))
def cholesky_factor(a):
    return jnp.linalg.cholesky(symmetric(a))


@case(at(A), at(rand(14, 3, 3)))
def lu_factors(a):
    return jax.lax.linalg.lu(a)[0]


@case(at(TALL), at(A))
def qr_factors(a):
    q, r = jnp.linalg.qr(a)
    s = jnp.sign(jnp.diag(r))
    return q * s, r * s[:, None]


@case(at(SPREAD))
def eigenvalues(a):
    return jnp.linalg.eigvalsh(0.5 * (a + a.T))


@case(at(SPREAD))
def eigenvectors(a):
    values, vectors = jnp.linalg.eigh(0.5 * (a + a.T))
    return vectors ** 2 * values


@case(at(TALL))
def singular_values(a):
    return jnp.linalg.svd(a, compute_uv=False)


@case(at(A, rand(15, 4)))
def solved(a, b):
    return jnp.linalg.solve(a, b)


@case(at(A, rand(16, 4, 2)))
def solved_many(a, b):
    return jnp.linalg.solve(a, b)


@case(at(A, rand(17, 4)))
def solved_lower(a, b):
    return linalg.solve_triangular(a, b, lower=True)


@case(at(A, rand(18, 4, 2)))
def solved_upper(a, b):
    return linalg.solve_triangular(a, b)


@case(at(A, rand(19, 4)))
def solved_positive(a, b):
    return jnp.linalg.solve(symmetric(a), b)


@case(at(A), at(rand(20, 1, 1)), at(rand(20, 3, 3)))
def determinant(a):
    return jnp.linalg.det(a)


@case(at(A), at(rand(21, 3, 3)))
def log_determinant(a):
    return jnp.linalg.slogdet(a)[1]


@case(at(A))
def inverted(a):
    return jnp.linalg.inv(a)


@case(at(rand(22, 3, 3)), at(5.0 * rand(23, 3, 3)))
def matrix_exponential(a):
    return linalg.expm(a)


@case(at(rand(24, 3, 3)))
def raised(a):
    return jnp.linalg.matrix_power(a, 5)


@case(at(TALL, rand(25, 5)))
def least_squares(a, b):
    return jnp.linalg.solve(a.T @ a, a.T @ b)


@case(at(rand(26, 2, 3), rand(27, 3, 2)))
def kronecker(a, b):
    return jnp.kron(a, b)


@case(at(A, rand(28, 4)))
def quadratic_form(a, b):
    s = symmetric(a)
    return b @ jnp.linalg.solve(s, b) + jnp.linalg.slogdet(s)[1]


@case(at(rand(29, 5), rand(30, 5) + 3.0, rand(31, 5), rand(32, 5)))
def tridiagonal(l, d, u, b):
    return jnp.linalg.solve(jnp.diag(d) + jnp.diag(l[1:], -1) + jnp.diag(u[:-1], 1), b)


@case(at(TALL, rand(33, 5)))
def projected(a, x):
    return a @ jnp.linalg.solve(a.T @ a, a.T @ x)


# The last step of conjugate gradients is exact up to rounding alone.
@case(at(A, rand(34, 4)), relative=1e-7)
def conjugate_gradients(a, b):
    return jnp.linalg.solve(symmetric(a), b)


@case(at(rand(35, 4)))
def norms(x):
    return jnp.sqrt(jnp.sum(x * x)), jnp.sum(jnp.abs(x)), jnp.max(jnp.abs(x))
