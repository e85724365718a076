"""What the pages of Python beside the `.arr` files share: a case registers a function and the points at which to compare.

`@case(at(x, y), at(u, v))` above a function of the name that the definition in the `.arr` file has, with the same arguments.
Arguments that hold floats are differentiated; integers and booleans are not.
"""

import zlib

import numpy as np

CASES = []


def at(*arguments):
    return arguments


def case(*points, peer="jax", relative=1e-9, second=True, published=None):
    """`published`: what the squares of the results add up to at a point, as a paper says."""
    def register(function):
        CASES.append(dict(page=function.__module__, name=function.__name__, function=function, points=points, peer=peer,
                          relative=relative, second=second, published=published or {}))
        return function
    return register


def torch_case(*points, **options):
    return case(*points, peer="torch", **options)


def rand(seed, *shape, lo=-1.0, hi=1.0, digits=3):
    """Random numbers of few digits; a seed gives the same ones every time."""
    numbers = np.random.RandomState(seed).uniform(lo, hi, shape)
    return np.round(numbers, digits)


def single(array):
    return np.asarray(array, dtype=np.float32)


def is_float(argument):
    return isinstance(argument, float) or (isinstance(argument, np.ndarray) and argument.dtype.kind == "f")


def tangent_of(argument, seed):
    dx = rand(seed, *np.shape(argument), digits=2)
    return dx.astype(np.asarray(argument).dtype) if np.ndim(argument) else float(dx)


def weights(count):
    """What the elements of a result are multiplied by where a number is to be differentiated."""
    k = np.arange(count)
    return (3 + (7 * k + 3) % 11) / 10


def seed_of(name, place):
    return zlib.crc32(f"{name} {place}".encode()) % 2**31
