"""Statistical models and neural networks in JAX, for `jax_peer.py`."""

import jax
import jax.numpy as jnp
from jax import lax

sigmoid, relu, silu = jax.nn.sigmoid, jax.nn.relu, jax.nn.silu
logsumexp, log_softmax = jax.nn.logsumexp, jax.nn.log_softmax


def cross_entropy(scores, kinds):
    return -jnp.take_along_axis(log_softmax(scores), kinds[..., None], -1).mean()


def hmm(transition, emission, start, seen):
    transition, emission, start = log_softmax(transition), log_softmax(emission), log_softmax(start)

    def step(a, symbols):
        return logsumexp(a[:, :, None] + transition, axis=1) + emission[:, symbols].T, None

    last, _ = lax.scan(step, start + emission[:, seen[:, 0]].T, seen[:, 1:].T)
    return logsumexp(last, axis=1).sum()


def layer_norm(x, gain, bias):
    return jax.nn.standardize(x, axis=-1, epsilon=1e-5) * gain + bias


def transformer(gain1, bias1, query, key, values, out, gain2, bias2, w1, b1, w2, b2, xs, target):
    y = layer_norm(xs, gain1, bias1)
    q, k, v = (jnp.einsum("bnd,hed->bnhe", y, w) for w in (query, key, values))
    x = xs + jnp.einsum("bnhe,hde->bnd", jax.nn.dot_product_attention(q, k, v, is_causal=True), out)
    hidden = jax.nn.gelu(layer_norm(x, gain2, bias2) @ w1 + b1, approximate=False)
    return ((x + hidden @ w2 + b2 - target) ** 2).mean()


def wavenet(embed, filter, gate, mix, skip, out, sounds):
    def pair(w, x, by):
        return lax.conv_general_dilated(x, w, (1,), [(by, 0)], rhs_dilation=(by,), dimension_numbers=("NWC", "WOI", "NWC"))

    x, skips = embed[sounds[:, :-1]], 0.0
    for i in range(filter.shape[0]):
        z = jnp.tanh(pair(filter[i], x, 2**i)) * sigmoid(pair(gate[i], x, 2**i))
        x, skips = x + z @ mix[i].T, skips + z @ skip[i].T
    return cross_entropy(relu(skips) @ out.T, sounds[:, 1:])


def residual(w1, b1, w2, b2, weight, bias, xs, ys):
    def layer(x, p):
        w1, b1, w2, b2 = p
        return x + silu(silu(x) @ w1 + b1) @ w2 + b2, None

    deep, _ = lax.scan(layer, xs, (w1, b1, w2, b2))
    return cross_entropy(deep @ weight + bias, ys)


def highway(input, recur, bias, out, xs, target):
    def step(s, x):
        for i in range(recur.shape[0]):
            z = s @ recur[i] + bias[i][:, None]
            change, gate = z + x @ input if i == 0 else z
            open = sigmoid(gate)
            s = jnp.tanh(change) * open + s * (1 - open)
        return s, None

    last, _ = lax.scan(step, jnp.zeros((xs.shape[1], out.shape[0]), xs.dtype), xs)
    return ((last @ out - target) ** 2).mean()


def gp(lengths, scales, x, y):
    n, (signal, noise) = x.shape[0], jnp.exp(scales)
    z = x / jnp.exp(lengths)
    k = signal * jnp.exp(-0.5 * ((z[:, None] - z) ** 2).sum(2)) + noise * jnp.eye(n)
    l = jnp.linalg.cholesky(k)
    a = jax.scipy.linalg.solve_triangular(l, y, lower=True)
    return -0.5 * a @ a - jnp.log(jnp.diag(l)).sum() - 0.5 * n * jnp.log(2 * jnp.pi)


def neural_ode(w1, b1, w2, b2, start, target, steps):
    h = 1.0 / steps

    def slope(y):
        return jnp.tanh(y @ w1.T + b1) @ w2.T + b2

    def step(y, _):
        k1 = slope(y)
        k2 = slope(y + 0.5 * h * k1)
        k3 = slope(y + 0.5 * h * k2)
        k4 = slope(y + h * k3)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

    end, _ = lax.scan(step, start, None, length=steps)
    return ((end - target) ** 2).sum(1).mean()


# `from` is a keyword.
def graph(send, send_bias, update, update_bias, out, nodes, target, source, to):
    for w, b, u, c in zip(send, send_bias, update, update_bias):
        sent = silu(jnp.concatenate([nodes[source], nodes[to]], 1) @ w + b)
        received = jax.ops.segment_sum(sent, to, nodes.shape[0])
        nodes = jnp.tanh(jnp.concatenate([nodes, received], 1) @ u + c)
    return ((nodes @ out - target) ** 2).mean()


def bag(table, weight, bias, texts, ys):
    return cross_entropy(table[texts].mean(1) @ weight.T + bias, ys)


def batch_norm(w1, gain1, bias1, w2, gain2, bias2, w3, b3, xs, ys):
    def hidden(x, w, gain, bias):
        return relu(jax.nn.standardize(x @ w, axis=0, epsilon=1e-5) * gain + bias)

    return cross_entropy(hidden(hidden(xs, w1, gain1, bias1), w2, gain2, bias2) @ w3 + b3, ys)


def cox(beta, x, time, event):
    order = jnp.argsort(-time)
    score = (x @ beta)[order]
    at_risk = jnp.log(jnp.cumsum(jnp.exp(score)))
    return jnp.where(event[order] == 1, score - at_risk, 0.0).mean()


def sinkhorn(x, y, steps):
    eps, n, m = 0.1, x.shape[0], y.shape[0]
    cost = ((x[:, None] - y) ** 2).sum(2)

    def step(pair, _):
        _, g = pair
        f = eps * (-jnp.log(n) - logsumexp((g - cost) / eps, axis=1))
        g = eps * (-jnp.log(m) - logsumexp((f[:, None] - cost) / eps, axis=0))
        return (f, g), None

    (f, g), _ = lax.scan(step, (jnp.zeros(n), jnp.zeros(m)), None, length=steps)
    return (jnp.exp((f[:, None] + g - cost) / eps) * cost).sum()


def vae(w1, b1, w_mean, b_mean, w_spread, b_spread, w2, b2, w3, b3, xs, noise):
    coded = jnp.tanh(xs @ w1 + b1)
    centre, log_variance = coded @ w_mean + b_mean, coded @ w_spread + b_spread
    drawn = centre + jnp.exp(0.5 * log_variance) * noise
    logits = jnp.tanh(drawn @ w2 + b2) @ w3 + b3
    differs = (jax.nn.softplus(logits) - logits * xs).sum(1)
    apart = 0.5 * (jnp.exp(log_variance) + centre**2 - 1 - log_variance).sum(1)
    return (differs + apart).mean()


WORKLOADS = {
    "hmm": (hmm, 3), "transformer": (transformer, 12), "wavenet": (wavenet, 6), "residual": (residual, 6),
    "highway": (highway, 4), "gp": (gp, 2), "neural_ode": (neural_ode, 5), "graph": (graph, 5), "bag": (bag, 3),
    "batch_norm": (batch_norm, 8), "cox": (cox, 1), "sinkhorn": (sinkhorn, 2), "vae": (vae, 10),
}
