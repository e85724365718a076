import numpy as np
import torch
import torch.nn.functional as F
from peer import at, rand, torch_case as case


@case(at(rand(1, 3, 4), rand(2, 4), rand(3, 4)))
def layer_norm(x, g, b):
    return F.layer_norm(x, (4,), g, b)


@case(at(rand(4, 5, 3), rand(5, 3), rand(6, 3)))
def batch_norm(x, g, b):
    return F.batch_norm(x, None, None, g, b, training=True)


@case(at(rand(7, 4), rand(8, 4)))
def rms_norm(x, g):
    return x * torch.rsqrt(torch.mean(x * x) + 1e-6) * g


@case(at(rand(9, 2, 2, 3)))
def group_norm(x):
    return F.group_norm(x.reshape(1, 4, 3), 2).reshape(2, 2, 3)


@case(at(rand(10, 4)), at(np.array([2.0, 0.0, 3.0])), at(np.array([0.0, 2.0, 0.0])))
def products(x):
    return torch.prod(x)


@case(at(rand(11, 5)), at(np.array([2.0, 0.0, 3.0, 0.0, 4.0])))
def running_products(x):
    return torch.cumprod(x, 0)


@case(at(rand(12, 4, 3)))
def deviations(a):
    return torch.std(a, 0)


@case(at(rand(13, 3, 4)))
def variances(a):
    return torch.var(a, 1)


@case(at(rand(14, 4), 3.0), at(rand(14, 4), 1.5))
def norm_of_order(x, p):
    return (x.abs() ** p).sum() ** (1.0 / p)


@case(at(rand(15, 4, 3), 0.8))
def renormed(a, most):
    size = torch.linalg.vector_norm(a, dim=1, keepdim=True)
    return torch.where(size > most, a * (most / size), a)


@case(at(rand(16, 3, 4)))
def normalized(a):
    return F.normalize(a)


@case(at(rand(17, 3, 2), rand(18, 4, 2)))
def distances(a, b):
    return torch.sqrt(((a[:, None] - b[None]) ** 2).sum(2))


@case(at(rand(19, 3, 2), rand(20, 4, 2)))
def distances_of_order_one(a, b):
    return (a[:, None] - b[None]).abs().sum(2)


@case(at(rand(21, 4, 3)))
def pairwise(a):
    return sum(torch.linalg.vector_norm(a[i] - a[j]) for i in range(4) for j in range(i))


@case(at(rand(22, 3, 5)))
def correlations(a):
    return torch.corrcoef(a)


@case(at(rand(23, 4, 2), np.array([1, 3, 1]), rand(24, 3, 2)))
def rows_added_at(a, indices, v):
    return a.index_add(0, indices, v, alpha=2)


@case(at(rand(25, 4, 2), np.array([1, 3, 1])))
def rows_chosen(a, indices):
    return a.index_select(0, indices) ** 2


@case(at(rand(26, 4), np.array([1, 3, 1, 1]), rand(27, 4)))
def means_at(x, indices, v):
    return x.scatter_reduce(0, indices, v, "mean")


@case(at(rand(28, 2, 3), np.array([[True, False, False], [False, True, True]]), 0.7))
def masked(a, mask, v):
    return torch.where(mask, v, a * a)


@case(at(rand(29, 4), rand(30, 4), rand(31, 4)))
def lerp(x, y, w):
    return torch.lerp(x, y, w)


@case(at(rand(32, 2, 3), rand(33, 2, 3)))
def cross_product(a, b):
    return torch.linalg.cross(a, b)


@case(at(rand(34, 2, 3), rand(35, 2, 4), rand(36, 4, 3)))
def added_product(c, a, b):
    return torch.addmm(c, a, b, beta=0.5, alpha=2.0)


@case(at(rand(37, 2, 3), rand(38, 3, 2, 4), rand(39, 3, 4, 3)))
def batch_products(c, a, b):
    return torch.addbmm(c, a, b)


@case(at(rand(40, 2, 4, 6)))
def max_pooled(x):
    return F.max_pool2d(x[None], 2)[0]


@case(at(rand(41, 2, 4, 5)))
def average_pooled(x):
    return F.avg_pool2d(x[None], 3, 1)[0]


@case(at(rand(42, 7), 3))
def adaptive_pool(x, k):
    return F.adaptive_avg_pool1d(x[None], k)[0]


@case(at(rand(43, 6, lo=0.2)))
def power_pool(x):
    return F.lp_pool1d(x[None], 3.0, 2)[0]


@case(at(rand(44, 3, 4)))
def unfolded(x):
    return F.unfold(x[None, None], (2, 3))[0].T.reshape(2, 2, 6) ** 2


@case(at(rand(45, 4, 3)))
def response_norm(x):
    return F.local_response_norm(x[None], 3, alpha=1e-1)[0]


@case(at(rand(46, 4, 2, 3)))
def pixels_shuffled(x):
    return F.pixel_shuffle(x[None], 2)[0, 0] ** 2


@case(at(rand(47, 3, 4), rand(48, 5, 2, lo=-1.2, hi=1.2)), second=False)
def grid_sample(x, places):
    return F.grid_sample(x[None, None], places[None, None], align_corners=True)[0, 0, 0]


@case(at(rand(49, 4), 3))
def upsampled(x, k):
    return F.interpolate(x[None, None], scale_factor=k, mode="linear")[0, 0]


@case(at(rand(50, 5, 3), np.array([4, 0, 4, 1])))
def embedded(table, tokens):
    return torch.tanh(F.embedding(tokens, table))


@case(at(rand(51, 5, 3), np.array([4, 0, 4, 1]), np.array([0, 1, 1, 1]), 2))
def bag_of_embeddings(table, tokens, bags, k):
    return torch.stack([table[tokens[bags == b]].mean(0) for b in range(k)])


@case(at(rand(52, 4, 3, 2), rand(53, 4, 3, 3), rand(54, 4, 3), rand(55, 4, 2)))
def lstm(weights, state, bias, xs):
    h = c = torch.zeros(1, 3)
    for x in xs:
        h, c = torch.lstm_cell(x[None], (h, c), weights.reshape(12, 2), state.reshape(12, 3), bias.reshape(12), None)
    return h[0], c[0]


@case(at(rand(56, 3, 3, 2), rand(57, 3, 3, 3), rand(58, 3, 3), rand(59, 3), rand(60, 2)))
def gru(weights, state, bias, h0, x):
    return torch.gru_cell(x[None], h0[None], weights.reshape(9, 2), state.reshape(9, 3), bias.reshape(9), torch.zeros(9))[0]


@case(at(rand(61, 3, 2), rand(62, 4, 2), rand(63, 4, 3)))
def attended(q, k, v):
    return F.softmax(q @ k.T / 2 ** 0.5, 1) @ v


@case(at(rand(64, 4, 2), rand(65, 4, 2), rand(66, 4, 2)))
def attended_causally(q, k, v):
    mask = torch.tril(torch.ones(4, 4, dtype=torch.bool))
    return F.softmax((q @ k.T / 2 ** 0.5).masked_fill(~mask, -torch.inf), 1) @ v


@case(at(*(rand(67 + i, *shape) for i, shape in enumerate([(3, 4), (4, 4), (4, 4), (4, 4), (4, 5), (5, 4)]))))
def transformer(x, wq, wk, wv, w1, w2):
    mask = torch.tril(torch.ones(3, 3, dtype=torch.bool))
    y = x + F.softmax(((x @ wq) @ (x @ wk).T / 2).masked_fill(~mask, -torch.inf), 1) @ (x @ wv)
    return y + F.gelu(F.layer_norm(y, (4,)) @ w1) @ w2


@case(at(rand(74, 4, 3), rand(75, 3, 5), rand(76, 5), rand(77, 5, 3), np.array([0, 2, 1, 2])))
def perceptron(x, w1, b1, w2, labels):
    return F.cross_entropy(F.relu(x @ w1 + b1) @ w2, labels)


@case(at(rand(78, 5), np.array([0.0, 0.5, 0.75, 1.5, 3.0])))
def trapezoids(y, x):
    return torch.trapezoid(y, x)


# The second derivative that the peer has is NaN.
@case(at(rand(79, 5)), at(np.array([700.0, -700.0, 705.0])), second=False)
def logcumsumexp(x):
    return torch.logcumsumexp(x, 0)


@case(at(rand(80, 3), 4), at(np.array([0.0, 1.0]), 3))
def vander(x, k):
    return torch.stack([x ** j for j in range(k - 1, -1, -1)], 1)


@case(at(rand(81, 3, 5)), at(rand(82, 3, 4)))
def median_of_rows(a):
    return torch.median(a, 1).values


@case(at(rand(83, 7)))
def quantiles(x):
    return torch.quantile(x, 0.3), torch.quantile(x, 0.9)


@case(at(rand(84, 3), 0.1))
def adam_steps(x, rate):
    m = v = torch.zeros(3)
    for t in range(4):
        g = 4 * x ** 3 - 2 * x
        m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
        x = x - rate * (m / (1 - 0.9 ** (t + 1))) / (torch.sqrt(v / (1 - 0.99 ** (t + 1))) + 1e-8)
    return x
