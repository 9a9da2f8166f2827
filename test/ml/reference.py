"""What every machine-learning input computes, in plain Python: from the definition of the layer, in
double precision, and without a look at the loops."""

import math
import struct
from itertools import product


class Tensor:
    """A shape and the elements in row-major order."""

    def __init__(self, shape, element):
        self.shape = tuple(shape)
        self.flat = [element(*index) for index in product(*map(range, self.shape))]

    def __getitem__(self, index):
        position = 0
        for i, extent in zip(index, self.shape):
            position = position * extent + i
        return self.flat[position]


def initial(seed, *shape):
    """What @init_<rank> puts into an array."""
    factors = (31, 17, 7, 3)

    def element(*index):
        root = seed + sum(factor * i for factor, i in zip(factors, index))
        return (root * root % 1021 - 510) / 510

    return Tensor(shape, element)


def arguments(*shapes):
    """The arguments of a kernel as they are before it runs."""
    return [initial(5 * position + 1, *shape) for position, shape in enumerate(shapes)]


def matmul(m=19, n=23, k=29):
    a, b = arguments((m, k), (k, n))
    return {"C": Tensor((m, n), lambda i, j: sum(a[i, l] * b[l, j] for l in range(k)))}


def cut(number):
    """The `bf16` that a number begins with."""
    (bits,) = struct.unpack("<I", struct.pack("<f", number))
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]


def matmul_bf16(m=19, n=23, k=29):
    a, b = (Tensor(x.shape, lambda *index, x=x: cut(x[index])) for x in arguments((m, k), (k, n)))
    return {"C": Tensor((m, n), lambda i, j: sum(a[i, l] * b[l, j] for l in range(k)))}


def batch_matmul(batch=3, m=19, n=23, k=29):
    a, b = arguments((batch, m, k), (batch, k, n))
    return {"C": Tensor((batch, m, n), lambda s, i, j: sum(a[s, i, l] * b[s, l, j] for l in range(k)))}


def conv2d_nhwc(n=2, oh=13, ow=11, f=7, kh=3, kw=3, c=5, step=1, spread=1, bias=True):
    """`step` is the stride, `spread` the dilation; with a bias there is a ReLU too."""
    h, w = step * (oh - 1) + spread * (kh - 1) + 1, step * (ow - 1) + spread * (kw - 1) + 1
    image, weights, offset = arguments((n, h, w, c), (kh, kw, c, f), (f,))

    def pixel(s, i, j, channel):
        total = offset[(channel,)] if bias else 0.0
        for a, b, d in product(range(kh), range(kw), range(c)):
            total += image[s, step * i + spread * a, step * j + spread * b, d] * weights[a, b, d, channel]
        return max(total, 0.0) if bias else total

    return {"out": Tensor((n, oh, ow, f), pixel)}


def conv2d_quantized(n=2, oh=7, ow=9, f=7, kh=3, kw=3, c=5):
    def small(seed, *shape):
        """What @init_4_i8 puts into an array."""
        return Tensor(shape, lambda *index: (seed + sum(map(int.__mul__, (31, 17, 7, 3), index))) ** 2 % 1021 % 251 - 125)

    image, weights = small(1, n, oh + kh - 1, ow + kw - 1, c), small(6, kh, kw, c, f)
    window = list(product(range(kh), range(kw), range(c)))

    def total(s, i, j, channel):
        return sum((image[s, i + a, j + b, d] - 3) * (weights[a, b, d, channel] + 4) for a, b, d in window)

    def cut_off(*index):
        return math.trunc(min(max(total(*index) / 512, -128), 127))

    return {"sum": Tensor((n, oh, ow, f), total), "out": Tensor((n, oh, ow, f), cut_off)}


def conv2d_nchw(n, f, c, h, w):
    image, weights = arguments((n, c, h, w), (f, c, 3, 3))

    def pixel(s, channel, i, j):
        total = 0.0
        for d, a, b in product(range(c), range(3), range(3)):
            y, x = i + a - 1, j + b - 1
            if 0 <= y < h and 0 <= x < w:
                total += image[s, d, y, x] * weights[channel, d, a, b]
        return total

    return {"out": Tensor((n, f, h, w), pixel)}


def pool(reduce, n, c, oh, ow, kh, kw, step, channels_last):
    h, w = step * (oh - 1) + kh, step * (ow - 1) + kw
    window = list(product(range(kh), range(kw)))
    if channels_last:
        (image,) = arguments((n, h, w, c))
        shape = (n, oh, ow, c)

        def pixel(s, i, j, d):
            return reduce([image[s, step * i + a, step * j + b, d] for a, b in window])

    else:
        (image,) = arguments((n, c, h, w))
        shape = (n, c, oh, ow)

        def pixel(s, d, i, j):
            return reduce([image[s, d, step * i + a, step * j + b] for a, b in window])

    return {"out": Tensor(shape, pixel)}


def mean(numbers):
    return sum(numbers) / len(numbers)


def shares(row):
    """The softmax of a list of numbers."""
    powers = [math.exp(number - max(row)) for number in row]
    return [power / sum(powers) for power in powers]


def softmax(rows, columns):
    (x,) = arguments((rows, columns))
    lines = [[x[i, j] for j in range(columns)] for i in range(rows)]
    result = [shares(line) for line in lines]
    return {
        "greatest": Tensor((rows,), lambda i: max(lines[i])),
        "total": Tensor((rows,), lambda i: sum(math.exp(number - max(lines[i])) for number in lines[i])),
        "y": Tensor((rows, columns), lambda i, j: result[i][j]),
    }


def layer_norm(rows, columns):
    x, _, _, scale, shift, _ = arguments((rows, columns), (rows,), (rows,), (columns,), (columns,), (rows, columns))
    lines = [[x[i, j] for j in range(columns)] for i in range(rows)]
    middle = [mean(line) for line in lines]
    squares = [sum((number - middle[i]) ** 2 for number in line) for i, line in enumerate(lines)]

    def normal(i, j):
        return (x[i, j] - middle[i]) / math.sqrt(squares[i] / columns + 1e-5) * scale[(j,)] + shift[(j,)]

    return {
        "mean": Tensor((rows,), lambda i: middle[i]),
        "variance": Tensor((rows,), lambda i: squares[i]),
        "y": Tensor((rows, columns), normal),
    }


def attention():
    heads, positions, features, width = 3, 21, 33, 11
    projection = (features, heads, width)
    x, wq, wk, wv, wo = arguments((positions, features), projection, projection, projection, (heads, width, features))

    def project(weights):
        return Tensor(
            (heads, positions, width),
            lambda h, s, e: sum(x[s, d] * weights[d, h, e] for d in range(features)),
        )

    q, k, v = project(wq), project(wk), project(wv)

    def mix(h, s):
        """What head `h` brings to position `s`: no later position takes part."""
        dots = [sum(q[h, s, e] * k[h, t, e] for e in range(width)) for t in range(s + 1)]
        weights = shares([dot / math.sqrt(width) for dot in dots])
        return [sum(weights[t] * v[h, t, e] for t in range(s + 1)) for e in range(width)]

    mixed = [[mix(h, s) for s in range(positions)] for h in range(heads)]
    merge = list(product(range(heads), range(width)))
    return {
        "y": Tensor(
            (positions, features),
            lambda s, d: x[s, d] + sum(mixed[h][s][e] * wo[h, e, d] for h, e in merge),
        )
    }


def mlp(batch, inputs, hidden, outputs):
    x, w1, b1, w2, b2 = arguments((batch, inputs), (inputs, hidden), (hidden,), (hidden, outputs), (outputs,))
    layer = Tensor(
        (batch, hidden),
        lambda s, j: max(0.0, b1[(j,)] + sum(x[s, i] * w1[i, j] for i in range(inputs))),
    )
    return {
        "y": Tensor(
            (batch, outputs),
            lambda s, j: math.tanh((b2[(j,)] + sum(layer[s, i] * w2[i, j] for i in range(hidden))) / 8),
        )
    }


LAYERS = {
    "matmul": matmul,
    "matmul-dynamic": matmul,
    "matmul-bf16": matmul_bf16,
    "batch-matmul": batch_matmul,
    "batch-matmul-dynamic": batch_matmul,
    "conv2d-nhwc": conv2d_nhwc,
    "conv2d-nhwc-strided": lambda *sizes: conv2d_nhwc(*sizes, step=2, spread=2, bias=False),
    "conv2d-quantized": conv2d_quantized,
    "conv2d-nchw": conv2d_nchw,
    "pool-max-nhwc": lambda: pool(max, 2, 5, 7, 6, 3, 3, step=2, channels_last=True),
    "pool-max-nchw": lambda *sizes: pool(max, *sizes, step=2, channels_last=False),
    "pool-average-nhwc": lambda n, oh, ow, c, kh, kw: pool(mean, n, c, oh, ow, kh, kw, step=1, channels_last=True),
    "pool-average-nchw": lambda: pool(mean, 2, 5, 5, 4, 3, 3, step=3, channels_last=False),
    "softmax": softmax,
    "layer-norm": layer_norm,
    "attention": attention,
    "mlp": mlp,
}


def compute(name, sizes):
    """The dumped arrays of an input at its sizes, in order: {name: elements in row-major order}."""
    return {array: tensor.flat for array, tensor in LAYERS[name](*sizes).items()}
