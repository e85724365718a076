"""Statistical models and neural networks in PyTorch, for `torch_peer.py`."""

import math

import torch
import torch.nn.functional as F
from torch import sigmoid


def hmm(transition, emission, start, seen):
    transition, emission, start = (F.log_softmax(p, -1) for p in (transition, emission, start))
    a = start + emission[:, seen[:, 0]].T
    for symbols in seen[:, 1:].T:
        a = torch.logsumexp(a[:, :, None] + transition, 1) + emission[:, symbols].T
    return torch.logsumexp(a, 1).sum()


def transformer(gain1, bias1, query, key, values, out, gain2, bias2, w1, b1, w2, b2, xs, target):
    d = xs.shape[2:]
    y = F.layer_norm(xs, d, gain1, bias1)
    q, k, v = (torch.einsum("bnd,hed->bhne", y, w) for w in (query, key, values))
    x = xs + torch.einsum("bhne,hde->bnd", F.scaled_dot_product_attention(q, k, v, is_causal=True), out)
    hidden = F.gelu(F.layer_norm(x, d, gain2, bias2) @ w1 + b1)
    return F.mse_loss(x + hidden @ w2 + b2, target)


def wavenet(embed, filter, gate, mix, skip, out, sounds):
    def pair(w, x, by):
        return F.conv1d(F.pad(x, (by, 0)), w.permute(1, 2, 0), dilation=by)

    x, skips = embed[sounds[:, :-1]].transpose(1, 2), 0.0
    for i in range(filter.shape[0]):
        z = torch.tanh(pair(filter[i], x, 2**i)) * sigmoid(pair(gate[i], x, 2**i))
        x, skips = x + mix[i] @ z, skips + skip[i] @ z
    return F.cross_entropy(out @ torch.relu(skips), sounds[:, 1:])


def residual(w1, b1, w2, b2, weight, bias, xs, ys):
    x = xs
    for i in range(w1.shape[0]):
        x = x + F.silu(F.silu(x) @ w1[i] + b1[i]) @ w2[i] + b2[i]
    return F.cross_entropy(x @ weight + bias, ys)


def highway(input, recur, bias, out, xs, target):
    s = torch.zeros(xs.shape[1], out.shape[0])
    for x in xs:
        for i in range(recur.shape[0]):
            z = s @ recur[i] + bias[i][:, None]
            change, gate = z + x @ input if i == 0 else z
            open = sigmoid(gate)
            s = torch.tanh(change) * open + s * (1 - open)
    return F.mse_loss(s @ out, target)


def gp(lengths, scales, x, y):
    n, (signal, noise) = x.shape[0], torch.exp(scales)
    z = x / torch.exp(lengths)
    k = signal * torch.exp(-0.5 * ((z[:, None] - z) ** 2).sum(2)) + noise * torch.eye(n, dtype=x.dtype)
    l = torch.linalg.cholesky(k)
    a = torch.linalg.solve_triangular(l, y[:, None], upper=False)
    return -0.5 * (a * a).sum() - torch.log(torch.diagonal(l)).sum() - 0.5 * n * math.log(2 * math.pi)


def neural_ode(w1, b1, w2, b2, start, target, steps):
    h, y = 1.0 / steps, start

    def slope(y):
        return torch.tanh(y @ w1.T + b1) @ w2.T + b2

    for _ in range(steps):
        k1 = slope(y)
        k2 = slope(y + 0.5 * h * k1)
        k3 = slope(y + 0.5 * h * k2)
        k4 = slope(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return ((y - target) ** 2).sum(1).mean()


# `from` is a keyword.
def graph(send, send_bias, update, update_bias, out, nodes, target, source, to):
    for w, b, u, c in zip(send, send_bias, update, update_bias):
        sent = F.silu(torch.cat([nodes[source], nodes[to]], 1) @ w + b)
        received = torch.zeros_like(nodes).index_add(0, to, sent)
        nodes = torch.tanh(torch.cat([nodes, received], 1) @ u + c)
    return F.mse_loss(nodes @ out, target)


def bag(table, weight, bias, texts, ys):
    return F.cross_entropy(F.linear(F.embedding_bag(texts, table, mode="mean"), weight, bias), ys)


def batch_norm(w1, gain1, bias1, w2, gain2, bias2, w3, b3, xs, ys):
    def hidden(x, w, gain, bias):
        return torch.relu(F.batch_norm(x @ w, None, None, gain, bias, training=True, eps=1e-5))

    return F.cross_entropy(hidden(hidden(xs, w1, gain1, bias1), w2, gain2, bias2) @ w3 + b3, ys)


def cox(beta, x, time, event):
    order = torch.argsort(time, descending=True)
    score = (x @ beta)[order]
    at_risk = torch.log(torch.cumsum(torch.exp(score), 0))
    return torch.where(event[order] == 1, score - at_risk, 0.0).mean()


def sinkhorn(x, y, steps):
    eps, n, m = 0.1, x.shape[0], y.shape[0]
    cost = ((x[:, None] - y) ** 2).sum(2)
    f, g = torch.zeros(n, dtype=x.dtype), torch.zeros(m, dtype=x.dtype)
    for _ in range(steps):
        f = eps * (-math.log(n) - torch.logsumexp((g - cost) / eps, 1))
        g = eps * (-math.log(m) - torch.logsumexp((f[:, None] - cost) / eps, 0))
    return (torch.exp((f[:, None] + g - cost) / eps) * cost).sum()


def vae(w1, b1, w_mean, b_mean, w_spread, b_spread, w2, b2, w3, b3, xs, noise):
    coded = torch.tanh(xs @ w1 + b1)
    centre, log_variance = coded @ w_mean + b_mean, coded @ w_spread + b_spread
    drawn = centre + torch.exp(0.5 * log_variance) * noise
    logits = torch.tanh(drawn @ w2 + b2) @ w3 + b3
    differs = F.binary_cross_entropy_with_logits(logits, xs, reduction="sum")
    apart = 0.5 * (torch.exp(log_variance) + centre**2 - 1 - log_variance).sum()
    return (differs + apart) / xs.shape[0]


WORKLOADS = {
    "hmm": (hmm, 3), "transformer": (transformer, 12), "wavenet": (wavenet, 6), "residual": (residual, 6),
    "highway": (highway, 4), "gp": (gp, 2), "neural_ode": (neural_ode, 5), "graph": (graph, 5), "bag": (bag, 3),
    "batch_norm": (batch_norm, 8), "cox": (cox, 1), "sinkhorn": (sinkhorn, 2), "vae": (vae, 10),
}
