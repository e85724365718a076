"""Functions in PyTorch."""

import arr
import numpy as np
import pytest

torch = pytest.importorskip("torch")
import arr.torch  # noqa: E402

M = arr.compile("""
def loss(p: { w: [n][m]f64, b: [n]f64 }, x: [m]f64) -> f64 = sum(tanh(p.w @ x + p.b) ** 2)
def outer(x: [n]f64, y: [m]f64) -> ([n][m]f64, f64, i64) = (for i, j => sin(x[i]) * y[j], sum(x) ** 3, 2)
def single(x: [n]f32, k: i64) -> f32 = sum(x ** 2) * f32(k)
def energy(x: [n][3]f64) -> f64 =
  sum(for i => sum(for j => if i < j then 1.0 / (1.0 + sum((x[i] - x[j]) ** 2)) else 0.0))
""")


def doubles(*shape):
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True, generator=torch.Generator().manual_seed(7))


def test_gradcheck():
    f = arr.torch.function(M.loss)
    args = (doubles(3, 2), doubles(3), doubles(2))

    def flat(w, b, x):
        return f({"w": w, "b": b}, x)

    assert torch.autograd.gradcheck(flat, args)
    assert torch.autograd.gradgradcheck(flat, args)


def test_several_results():
    f = arr.torch.function(M.outer)

    def floats(x, y):
        a, b, n = f(x, y)
        assert n.item() == 2 and n.dtype == torch.int64
        return a, b

    args = (doubles(3), doubles(2))
    assert torch.autograd.gradcheck(floats, args)
    assert torch.autograd.gradgradcheck(floats, args)


def test_no_copies():
    f = arr.torch.function(M.outer)
    before = arr.copies()
    x = torch.ones(3, dtype=torch.float64)
    a, _, _ = f(x, x)
    assert arr.copies() == before
    assert not a.requires_grad and a.data_ptr() % 64 == 0


def test_what_needs_no_gradient():
    f = arr.torch.function(M.loss)
    w, b, x = doubles(3, 2).detach(), doubles(3), doubles(2).detach()
    f({"w": w, "b": b}, x).backward()
    assert b.grad.shape == (3,) and w.grad is None and x.grad is None
    with torch.no_grad():
        assert not f({"w": w, "b": b}, x).requires_grad


def test_single_precision():
    x = torch.ones(4, requires_grad=True)
    y = arr.torch.function(M.single)(x, 3)
    assert y.dtype == torch.float32 and y.item() == 12.0
    y.backward()
    assert x.grad.tolist() == [6.0] * 4
    with pytest.raises(arr.ShapeError):
        arr.torch.function(M.single)(torch.ones(4, dtype=torch.float64), 3)


def test_forces():
    f = arr.torch.function(M.energy)
    x = doubles(5, 3)
    (force,) = torch.autograd.grad(f(x), x, create_graph=True)
    (again,) = torch.autograd.grad((force**2).sum(), x)
    hessian = torch.autograd.functional.hessian(f, x.detach())
    expected = 2 * torch.einsum("abcd,ab->cd", hessian, force.detach())
    assert torch.allclose(again, expected, rtol=1e-10, atol=1e-12)


def test_strided_tensors():
    f = arr.torch.function(M.loss)
    w, b, x = doubles(2, 3).T, doubles(3), doubles(4)[::2]
    assert torch.isclose(f({"w": w, "b": b}, x), (torch.tanh(w @ x + b) ** 2).sum())


def test_compile():
    f = arr.torch.function(M.loss)

    def step(w, b, x):
        return f({"w": w * 2.0, "b": b}, x) + 1.0

    compiled = torch.compile(step, fullgraph=True, backend="aot_eager")
    args = (doubles(3, 2), doubles(3), doubles(2))
    plain = torch.autograd.grad(step(*args), args)
    value = compiled(*args)
    assert torch.isclose(value, step(*args))
    for a, b in zip(torch.autograd.grad(value, args), plain):
        assert torch.allclose(a, b, rtol=1e-12)


def test_training(root):
    m = arr.compile("""
def loss(p: { w: [h][2]f64, b: [h]f64, v: [h]f64, c: f64 }, x: [n][2]f64, y: [n]f64) -> f64 =
  let out = for i => sum(p.v * tanh(p.w @ x[i] + p.b)) + p.c
  in sum((out - y) ** 2) / f64(n)
""")
    random = np.random.default_rng(0)
    start = {"w": random.normal(size=(8, 2)), "b": np.zeros(8), "v": random.normal(size=8), "c": 0.0}
    x = torch.from_numpy(random.normal(size=(64, 2)))
    y = torch.sin(x[:, 0]) * x[:, 1]
    net = arr.torch.Module(m.loss, start)
    assert sorted(name for name, _ in net.named_parameters()) == ["b", "c", "v", "w"]
    optimizer = torch.optim.Adam(net.parameters(), lr=0.03)
    first = net(x, y).item()
    for _ in range(200):
        optimizer.zero_grad()
        value = net(x, y)
        value.backward()
        optimizer.step()
    assert value.item() < 0.2 * first
    assert net.value().w.shape == (8, 2)


def test_records_are_trees():
    from torch.utils import _pytree

    m = arr.compile("def f(x: f64) -> { a: f64, b: (f64, f64) } = { a = x, b = (x, x) }")
    value = m.f(1.0)
    arr.torch.function(m.f)
    leaves, tree = _pytree.tree_flatten(value)
    assert leaves == [1.0, 1.0, 1.0] and _pytree.tree_unflatten(leaves, tree) == value


def test_tensors_as_arguments():
    m = arr.compile("def f(x: [n]f64) -> f64 = sum(x)\ndef g(x: f64) -> f64 = x")
    before = arr.copies()
    assert m.f(torch.ones(5).double()) == m.f(torch.ones(5).double().requires_grad_()) == 5.0
    assert m.g(torch.tensor(2.0)) == 2.0 and arr.copies() == before
    assert m.f(torch.ones(5)) == 5.0 and arr.copies() == before + 1
    with pytest.raises(arr.ShapeError):
        m.f(torch.ones(3, device="meta").double())
