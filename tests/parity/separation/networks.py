"""Tiny networks with the inputs and outputs of the real ones and random weights, as ONNX and for the originals.

What they answer depends on where in its piece a sample lies: a network that only looks around itself would answer the
same in every piece that has the sample, and no wrong window would show.
"""

import io
import tempfile
import warnings
from fractions import Fraction

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper

OPSET = 17


class Graph:
    """An ONNX model, run by ONNX Runtime on one thread."""

    def __init__(self, data):
        self.data = data
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])

    def __call__(self, *inputs):
        names = [port.name for port in self.session.get_inputs()]
        feed = {name: np.ascontiguousarray(value, dtype=np.float32) for name, value in zip(names, inputs, strict=True)}
        return self.session.run(None, feed)


def model(nodes, inputs, outputs, constants):
    def port(name, shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    graph = helper.make_graph(
        nodes,
        "parity",
        [port(*each) for each in inputs],
        [port(*each) for each in outputs],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    onnx.checker.check_model(made)
    return Graph(made.SerializeToString())


def spectra(seed, channels_in, channels_out, bins, frames, *, positive=False, names=("input", "output"), gain=1.0):
    """`[1, in, bins, frames]` to `[1, out, bins, frames]`: two convolutions with what is not linear in between."""
    rng = np.random.default_rng(seed)
    hidden = 6
    constants = {
        "w1": rng.normal(0, 0.3, (hidden, channels_in, 3, 3)).astype(np.float32),
        "b1": rng.normal(0, 0.1, hidden).astype(np.float32),
        "place": rng.normal(0, 0.5, (1, 1, 1, frames)).astype(np.float32),
        "w2": (gain * rng.normal(0, 0.3, (channels_out, hidden, 3, 3))).astype(np.float32),
        "b2": rng.normal(0, 0.05, channels_out).astype(np.float32),
    }
    pads = {"pads": [1, 1, 1, 1]}
    last = "raw" if positive else names[1]
    nodes = [
        helper.make_node("Conv", [names[0], "w1", "b1"], ["h0"], **pads),
        helper.make_node("Add", ["h0", "place"], ["h1"]),
        helper.make_node("Tanh", ["h1"], ["h2"]),
        helper.make_node("Conv", ["h2", "w2", "b2"], [last], **pads),
    ]
    if positive:
        nodes.append(helper.make_node("Softplus", [last], [names[1]]))
    shapes = [1, channels_in, bins, frames], [1, channels_out, bins, frames]
    return model(nodes, [(names[0], shapes[0])], [(names[1], shapes[1])], constants)


def stretches(seed, frames, bins):
    """Magnitudes `[channel, stretch, frames, bins]` to magnitudes: Spleeter's networks as sherpa-onnx exports them."""
    rng = np.random.default_rng(seed)
    hidden = 4
    constants = {
        "w1": rng.normal(0, 0.3, (hidden, 1, 3, 3)).astype(np.float32),
        "place": rng.normal(0, 0.5, (1, 1, frames, 1)).astype(np.float32),
        "w2": rng.normal(0, 0.5, (1, hidden, 3, 3)).astype(np.float32),
        "flat": np.array([2, 1, frames, bins], dtype=np.int64),
    }
    pads = {"pads": [1, 1, 1, 1]}
    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["h0"], **pads),
        helper.make_node("Add", ["h0", "place"], ["h1"]),
        helper.make_node("Tanh", ["h1"], ["h2"]),
        helper.make_node("Conv", ["h2", "w2"], ["h3"], **pads),
        helper.make_node("Sigmoid", ["h3"], ["mask"]),
        helper.make_node("Mul", ["mask", "x"], ["h4"]),
        helper.make_node("Reshape", ["h4", "flat"], ["y"]),
    ]
    shape = [2, 1, frames, bins]
    return model(nodes, [("x", shape)], [("y", shape)], constants)


def parts(seed, bins, frames):
    """Real and imaginary parts `[1, 2, bins, frames]` in tensors of their own, in and out."""
    rng = np.random.default_rng(seed)
    hidden = 6
    constants = {
        "w1": rng.normal(0, 0.3, (hidden, 4, 3, 3)).astype(np.float32),
        "place": rng.normal(0, 0.5, (1, 1, 1, frames)).astype(np.float32),
        "w2": rng.normal(0, 0.3, (4, hidden, 3, 3)).astype(np.float32),
    }
    pads = {"pads": [1, 1, 1, 1]}
    nodes = [
        helper.make_node("Concat", ["spec_real", "spec_imag"], ["both"], axis=1),
        helper.make_node("Conv", ["both", "w1"], ["h0"], **pads),
        helper.make_node("Add", ["h0", "place"], ["h1"]),
        helper.make_node("Tanh", ["h1"], ["h2"]),
        helper.make_node("Conv", ["h2", "w2"], ["out"], **pads),
        helper.make_node("Split", ["out"], ["out_real", "out_imag"], axis=1),
    ]
    shape = [1, 2, bins, frames]
    ports = [("spec_real", shape), ("spec_imag", shape)], [("out_real", shape), ("out_imag", shape)]
    return model(nodes, *ports, constants)


def merged(seed, bins, frames):
    """Bins and channels in one axis, real and imaginary part in the last: `[1, 2 bins, frames, 2]` to
    `[1, 1, 2 bins, frames, 2]`, the answer being a mask."""
    rng = np.random.default_rng(seed)
    hidden, rows = 6, 2 * bins
    constants = {
        "w1": rng.normal(0, 0.4, (hidden, 2, 3, 3)).astype(np.float32),
        "place": rng.normal(0, 0.5, (1, 1, 1, frames)).astype(np.float32),
        "w2": rng.normal(0, 0.4, (2, hidden, 3, 3)).astype(np.float32),
        "shape": np.array([1, 1, rows, frames, 2], dtype=np.int64),
    }
    pads = {"pads": [1, 1, 1, 1]}
    nodes = [
        helper.make_node("Transpose", ["spec"], ["first"], perm=[0, 3, 1, 2]),
        helper.make_node("Conv", ["first", "w1"], ["h0"], **pads),
        helper.make_node("Add", ["h0", "place"], ["h1"]),
        helper.make_node("Tanh", ["h1"], ["h2"]),
        helper.make_node("Conv", ["h2", "w2"], ["h3"], **pads),
        helper.make_node("Transpose", ["h3"], ["last"], perm=[0, 2, 3, 1]),
        helper.make_node("Reshape", ["last", "shape"], ["mask"]),
    ]
    return model(nodes, [("spec", [1, rows, frames, 2])], [("mask", [1, 1, rows, frames, 2])], constants)


def waves(seed, stems, samples):
    """`[1, 2, N]` to `[1, stems, 2, N]`."""
    rng = np.random.default_rng(seed)
    hidden = 8
    constants = {
        "w1": rng.normal(0, 0.3, (hidden, 2, 9)).astype(np.float32),
        "b1": rng.normal(0, 0.1, hidden).astype(np.float32),
        "place": rng.normal(0, 0.5, (1, 1, samples)).astype(np.float32),
        "w2": rng.normal(0, 0.2, (2 * stems, hidden, 9)).astype(np.float32),
        "shape": np.array([1, stems, 2, samples], dtype=np.int64),
    }
    nodes = [
        helper.make_node("Conv", ["mix", "w1", "b1"], ["h0"], pads=[4, 4]),
        helper.make_node("Add", ["h0", "place"], ["h1"]),
        helper.make_node("Tanh", ["h1"], ["h2"]),
        helper.make_node("Conv", ["h2", "w2"], ["flat"], pads=[4, 4]),
        helper.make_node("Reshape", ["flat", "shape"], ["stems"]),
    ]
    return model(nodes, [("mix", [1, 2, samples])], [("stems", [1, stems, 2, samples])], constants)


def htdemucs(seed, sources, *, rate, samples, size=None):
    """The original's class with random weights, small unless `size` says otherwise."""
    from demucs.htdemucs import HTDemucs

    small = dict(channels=4, nfft=128, depth=2, t_layers=2, t_heads=2, t_hidden_scale=1.0, dconv_comp=4)
    torch.manual_seed(seed)
    made = HTDemucs(sources, samplerate=rate, segment=Fraction(samples, rate), **(small if size is None else size))
    with torch.no_grad():
        for parameter in made.parameters():
            # The fresh network answers almost nothing: its residual branches start near zero.
            if parameter.ndim == 1:
                parameter.add_(0.1 * torch.randn_like(parameter))
        for last in (made.decoder[-1].conv_tr, made.tdecoder[-1].conv_tr):
            last.weight.mul_(4.0)
    return made.eval()


def export(network, inputs, input_names, output_names):
    """A network of torch as a graph."""
    file = io.BytesIO()
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        names = dict(input_names=input_names, output_names=output_names)
        torch.onnx.export(network, inputs, file, opset_version=OPSET, dynamo=False, **names)
    return bare(file.getvalue())


class TimeAndFrequency(torch.nn.Module):
    """A block of MDX-Net's network: convolutions over both axes, and two linear layers over frequency beside them."""

    def __init__(self, channels, bins, layers=3, narrow=8):
        super().__init__()
        nn = torch.nn
        convolutions = []
        for _ in range(layers):
            convolutions += [nn.Conv2d(channels, channels, 3, padding=1), nn.BatchNorm2d(channels), nn.ReLU()]
        self.both = nn.Sequential(*convolutions)
        lines = []
        for taken, given in ((bins, bins // narrow), (bins // narrow, bins)):
            lines += [nn.Linear(taken, given, bias=False), nn.BatchNorm2d(channels), nn.ReLU()]
        self.frequency = nn.Sequential(*lines)

    def forward(self, spectrum):
        spectrum = self.both(spectrum)
        return spectrum + self.frequency(spectrum)


class MdxNet(torch.nn.Module):
    """The U-shaped network of MDX-Net (KUIELab's TFC-TDF), of the size of the models that UVR's users have: five halvings,
    48 channels more at each, 3,072 bins."""

    def __init__(self, bins=3_072, more=48, halvings=5):
        super().__init__()
        nn = torch.nn
        turn = lambda kind, taken, given, size: nn.Sequential(kind(taken, given, size, size), nn.BatchNorm2d(given), nn.ReLU())
        widths = [more * (level + 1) for level in range(halvings + 1)]
        self.first = turn(nn.Conv2d, 4, more, 1)
        self.down = nn.ModuleList(TimeAndFrequency(width, bins >> level) for level, width in enumerate(widths))
        self.up = nn.ModuleList(TimeAndFrequency(width, bins >> level) for level, width in enumerate(widths[:-1]))
        self.shrink = nn.ModuleList(turn(nn.Conv2d, width, width + more, 2) for width in widths[:-1])
        self.grow = nn.ModuleList(turn(nn.ConvTranspose2d, width + more, width, 2) for width in widths[:-1])
        self.last = nn.Conv2d(more, 4, 1)

    def forward(self, spectrum):
        spectrum, kept = self.first(spectrum.transpose(-1, -2)), []
        for block, shrink in zip(self.down, self.shrink):
            kept.append(block(spectrum))
            spectrum = shrink(kept[-1])
        spectrum = self.down[-1](spectrum)
        for block, grow in reversed(list(zip(self.up, self.grow))):
            spectrum = block(grow(spectrum) * kept.pop())
        return self.last(spectrum).transpose(-1, -2)


def mdx_net(seed):
    torch.manual_seed(seed)
    return MdxNet().eval()


def split(network, samples):
    """HTDemucs without its transforms: `mix` and `spec` in, `time` and `spec_out` out."""

    class Split(torch.nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def forward(self, mix, spec):
            found = {}
            network._spec = lambda _: spec
            network._magnitude = lambda spectrum: spectrum
            network._mask = lambda _, mask: mask
            network._ispec = lambda spectrum, length=None, scale=0: found.update(spec=spectrum) or 0.0
            time = self.inner(mix)
            return time, found["spec"]

    hop, bins = network.hop_length, network.nfft // 2
    frames = -(-samples // hop)
    names = "_spec", "_magnitude", "_mask", "_ispec"
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        inputs = torch.randn(1, 2, samples), torch.randn(1, 4, bins, frames)
        data = export(Split(network).eval(), inputs, ["mix", "spec"], ["time", "spec_out"])
    finally:
        for name in names:
            network.__dict__.pop(name, None)
    return Graph(data)


def rename(graph):
    """Gives everything but inputs and outputs a short name."""
    names = {"": ""} | {port.name: port.name for port in [*graph.input, *graph.output]}
    for initialiser in graph.initializer:
        initialiser.name = names.setdefault(initialiser.name, f"w{len(names)}")
    for node in graph.node:
        node.input[:] = [names.setdefault(name, f"t{len(names)}") for name in node.input]
        node.output[:] = [names.setdefault(name, f"t{len(names)}") for name in node.output]


def bare(data):
    """The same model with its constants folded, and without what the exporter noted about its nodes."""
    with tempfile.TemporaryDirectory() as folder:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = f"{folder}/folded.onnx"
        onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        made = onnx.load(options.optimized_model_filepath)
    for node in made.graph.node:
        node.doc_string = ""
        node.name = ""
        del node.metadata_props[:]
    del made.graph.value_info[:]
    rename(made.graph)
    used = {node.domain for node in made.graph.node}
    kept = [opset for opset in made.opset_import if opset.domain in used]
    del made.opset_import[:]
    made.opset_import.extend(kept)
    return made.SerializeToString()
