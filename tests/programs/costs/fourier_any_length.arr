-- The Fourier transform of a length that is no power of two: `n log n`, and so is its gradient.
-- cost: x=[N] sizes 100 400 1600 factor 4 growth 2.2
import signal

def f(x: [n]f64) -> f64 = let y = signal.fft(signal.real(x)) in sum(y.re ** 3) + sum(y.im ** 3)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
