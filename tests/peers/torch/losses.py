import numpy as np
import torch
import torch.nn.functional as F
from peer import at, rand, torch_case as case

LINE = at(np.array([-4.5, -2.5, -0.75, 0.3, 1.25, 3.5, 7.0]))


def name(f, name):
    def function(*arguments):
        return f(*arguments)
    function.__name__ = name
    function.__module__ = __name__
    return function


TABLE = [
    ("logsumexp", lambda x: torch.logsumexp(x, 0), [LINE, at(np.array([800.0, 801.0, -900.0])), at(np.array([1.0, 1.0]))]),
    ("logsumexp_of_rows", lambda x: torch.logsumexp(x, 1), [at(rand(1, 3, 4))]),
    ("softmax", lambda x: F.softmax(x, 0), [LINE]),
    ("log_softmax", lambda x: F.log_softmax(x, 0), [LINE]),
    ("softmin_down", lambda x: F.softmin(x, 0), [at(rand(2, 4, 3))]),
    ("gelu", F.gelu, [LINE]),
    ("gelu_by_tanh", lambda x: F.gelu(x, approximate="tanh"), [LINE]),
    ("silu", F.silu, [LINE]),
    ("mish", F.mish, [LINE]),
    ("softplus_sharp", lambda x, b: torch.log1p(torch.exp(b * x)) / b, [at(LINE[0], 1.7)]),
    ("elu", lambda x: F.elu(x, 1.5), [LINE]),
    ("selu", F.selu, [LINE]),
    ("celu", lambda x: F.celu(x, 0.5), [LINE]),
    ("leaky_relu", F.leaky_relu, [LINE, at(np.array([0.0, 1.0]))]),
    ("parametric_relu", lambda x, a: F.prelu(x, a.reshape(1)), [at(LINE[0], 0.2)]),
    ("relu_to_six", F.relu6, [LINE, at(np.array([0.0, 6.0, 5.0]))]),
    ("hard_tanh", F.hardtanh, [LINE, at(np.array([-1.0, 1.0, 0.5]))]),
    ("hard_swish", F.hardswish, [LINE]),
    ("hard_shrink", F.hardshrink, [LINE]),
    ("soft_shrink", F.softshrink, [LINE]),
    ("soft_sign", F.softsign, [LINE]),
    ("log_sigmoid", F.logsigmoid, [LINE]),
    ("gated_linear", F.glu, [at(rand(3, 6))]),
    ("cross_entropy", F.cross_entropy, [at(rand(4, 3, 4, lo=-3, hi=3), np.array([2, 0, 3]))]),
    ("weighted_cross_entropy", lambda a, t, w: -(w[t] * F.log_softmax(a, 1)[range(3), t]).sum() / w[t].sum(),
     [at(rand(5, 3, 4), np.array([2, 0, 2]), rand(6, 4, lo=0.1))]),
    ("smoothed_cross_entropy", lambda a, t: F.cross_entropy(a, t, label_smoothing=0.1), [at(rand(7, 3, 4), np.array([2, 0, 3]))]),
    ("binary_cross_entropy_of_shares", F.binary_cross_entropy, [at(rand(9, 5, lo=0.05, hi=0.95), rand(10, 5, lo=0.05, hi=0.95))]),
    ("huber", lambda x, y: F.huber_loss(x, y, delta=0.7), [at(LINE[0], rand(11, 7))]),
    ("smooth_l1", lambda x, y: F.smooth_l1_loss(x, y, beta=0.5), [at(rand(12, 5), rand(13, 5))]),
    ("mean_square", F.mse_loss, [at(rand(14, 5), rand(15, 5))]),
    ("mean_size", F.l1_loss, [at(rand(16, 5), rand(17, 5))]),
    ("divergence", lambda x, t: F.kl_div(x, t, reduction="sum"), [at(rand(18, 5), rand(19, 5, lo=0.1))]),
    ("poisson_loss", F.poisson_nll_loss, [at(rand(20, 5), rand(21, 5, lo=0.1))]),
    ("gaussian_loss", F.gaussian_nll_loss, [at(rand(22, 5), rand(23, 5), rand(24, 5, lo=0.2))]),
    ("hinge_of_classes", lambda a, t: (F.relu(1 - a[range(3), t][:, None] + a).sum() - 3) / 12, [at(rand(25, 3, 4), np.array([2, 0, 3]))]),
    ("soft_margin", lambda x, t: torch.log1p(torch.exp(-t * x)).mean(), [at(rand(26, 5), rand(27, 5))]),
    ("margin_ranking", lambda x, y, t: F.margin_ranking_loss(x, y, t, margin=0.3),
     [at(rand(28, 6), rand(29, 6), np.array([1.0, -1.0, 1.0, -1.0, 1.0, 1.0]))]),
    ("triplet", F.triplet_margin_loss, [at(rand(30, 3, 4), rand(31, 3, 4), rand(32, 3, 4))]),
    ("cosine_similarity", F.cosine_similarity, [at(rand(33, 3, 4), rand(34, 3, 4))]),
]
for title, function, points in TABLE:
    case(*points)(name(function, title))


@case(at(LINE[0], rand(8, 7, lo=0)))
def binary_cross_entropy(x, t):
    return F.binary_cross_entropy_with_logits(x, t)


# The targets are not differentiated in the peer where they are compared: a direction changes no branch.
@case(at(rand(35, 5), np.array([1.0, 0.0, 1.0, 1.0, 0.0])))
def focal(x, t):
    p = torch.sigmoid(x)
    return torch.mean(torch.where(t > 0.5, -((1 - p) ** 2) * torch.log(p), -(p ** 2) * torch.log(1 - p)))


@case(at(rand(36, 6, 4), np.array([1, 2, 2])), at(rand(37, 5, 3), np.array([2, 1])), second=False)
def ctc(logits, labels):
    lengths = torch.tensor([logits.shape[0]]), torch.tensor([labels.shape[0]])
    return F.ctc_loss(F.log_softmax(logits, 1)[:, None], labels[None], *lengths, reduction="sum")
