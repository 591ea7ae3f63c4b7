"""Tiny networks with the contracts of a HuBERT encoder, of RMVPE and of RVC's decoder, with random weights."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CONTENT, SPEAKERS, PRIOR, HIDDEN, UPP = 16, 3, 4, 12, 80
OPSET = [helper.make_opsetid("", 17)]


def weights(random, **shapes):
    def scaled(shape):
        inputs = shape[0] if len(shape) == 2 else int(np.prod(shape[1:]))
        return (random.standard_normal(shape) / np.sqrt(max(inputs, 1))).astype(np.float32)

    return [numpy_helper.from_array(scaled(shape), name) for name, shape in shapes.items()]


def constants(**values):
    return [numpy_helper.from_array(np.asarray(value), name) for name, value in values.items()]


def save(path, nodes, inputs, outputs, initializers):
    graph = helper.make_graph(nodes, "graph", inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=OPSET, producer_name="vocalhost")
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, path)


def tensor(name, dtype, *shape):
    return helper.make_tensor_value_info(name, dtype, shape)


def node(kind, inputs, output, **attributes):
    return helper.make_node(kind, inputs.split(), [output], **attributes)


def encoder(path, random):
    """A wave to `[1, F, C]`: windows of 400 samples every 320, only those inside the sound."""
    nodes = [
        node("Conv", "source kernel", "windows", kernel_shape=[400], strides=[320]),
        node("Mul", "windows loudness", "scaled"),
        node("Tanh", "scaled", "bent"),
        node("Transpose", "bent", "embed", perm=[0, 2, 1]),
    ]
    kept = weights(random, kernel=(CONTENT, 1, 400)) + constants(loudness=np.float32(20))
    inputs = [tensor("source", TensorProto.FLOAT, 1, 1, "N")]
    save(path, nodes, inputs, [tensor("embed", TensorProto.FLOAT, 1, "F", CONTENT)], kept)


def layouts(path, kernel):
    """The same encoder as others export it: rank 2, a mask and the layer as inputs, two outputs, one with channels first."""
    nodes = [
        node("Cast", "mask", "kept", to=TensorProto.FLOAT),
        node("Mul", "audio kept", "sound"),
        node("Unsqueeze", "sound one", "source"),
        node("Conv", "source kernel", "windows", kernel_shape=[400], strides=[320]),
        node("Cast", "output_layer", "number", to=TensorProto.FLOAT),
        node("Div", "number twelve", "share"),
        node("Mul", "windows loudness", "loud"),
        node("Mul", "loud share", "scaled"),
        node("Tanh", "scaled", "unit12"),
        node("Transpose", "unit12", "frames", perm=[0, 2, 1]),
        node("Slice", "frames zero eight two", "units9"),
    ]
    kept = [numpy_helper.from_array(kernel, "kernel")]
    kept += constants(one=np.array([1]), zero=np.array([0]), eight=np.array([8]), two=np.array([2]))
    kept += constants(twelve=np.float32(12), loudness=np.float32(20))
    inputs = [tensor("audio", TensorProto.FLOAT, 1, "N"), tensor("mask", TensorProto.INT64, 1, "N")]
    inputs += [tensor("output_layer", TensorProto.INT64)]
    outputs = [tensor("units9", TensorProto.FLOAT, 1, "F", 8), tensor("unit12", TensorProto.FLOAT, 1, CONTENT, "F")]
    save(path, nodes, inputs, outputs, kept)


def fcpe(path, random):
    """A log-mel spectrogram `[1, T, 128]` to the salience `[1, T, 360]`."""
    nodes = [
        node("MatMul", "mel down", "narrow"),
        node("Tanh", "narrow", "bent"),
        node("MatMul", "bent up", "wide"),
        node("Sub", "wide doubt", "logits"),
        node("Sigmoid", "logits", "latent"),
    ]
    kept = weights(random, down=(128, 8), up=(8, 360)) + constants(doubt=np.float32(2))
    inputs = [tensor("mel", TensorProto.FLOAT, 1, "T", 128)]
    save(path, nodes, inputs, [tensor("latent", TensorProto.FLOAT, 1, "T", 360)], kept)


def crepe(path, random):
    """Frames `[B, 1024]` to the salience `[B, 360]`."""
    nodes = [
        node("MatMul", "frames down", "narrow"),
        node("Tanh", "narrow", "bent"),
        node("MatMul", "bent up", "wide"),
        node("Sub", "wide doubt", "logits"),
        node("Sigmoid", "logits", "salience"),
    ]
    kept = weights(random, down=(1024, 6), up=(6, 360)) + constants(doubt=np.float32(1))
    inputs = [tensor("frames", TensorProto.FLOAT, "B", 1024)]
    save(path, nodes, inputs, [tensor("salience", TensorProto.FLOAT, "B", 360)], kept)


def wave(path):
    """A wave `[1, N]` and a threshold to a pitch `[1, T]`: as high as the sound is loud."""
    nodes = [
        node("Unsqueeze", "waveform one", "source"),
        node("Abs", "source", "loud"),
        node("AveragePool", "loud", "pooled", kernel_shape=[320], strides=[160], pads=[160, 160], count_include_pad=1),
        node("Squeeze", "pooled one", "levels"),
        node("Greater", "levels threshold", "voiced"),
        node("Mul", "levels kilo", "high"),
        node("Where", "voiced high silence", "f0"),
    ]
    kept = constants(one=np.array([1]), kilo=np.float32(1000), silence=np.float32(0))
    inputs = [tensor("waveform", TensorProto.FLOAT, 1, "N"), tensor("threshold", TensorProto.FLOAT, 1)]
    save(path, nodes, inputs, [tensor("f0", TensorProto.FLOAT, 1, "T")], kept)


def estimator(path, random):
    """A log-mel spectrogram `[1, 128, T]` to the salience `[1, T, 360]`, T a multiple of 32."""
    nodes = [
        node("Reshape", "input blocks", "blocked"),
        node("Reshape", "blocked bands", "flat"),
        node("Transpose", "flat", "frames", perm=[0, 2, 1]),
        node("MatMul", "frames down", "narrow"),
        node("Tanh", "narrow", "bent"),
        node("MatMul", "bent up", "wide"),
        node("Sub", "wide doubt", "logits"),
        node("Sigmoid", "logits", "salience"),
    ]
    kept = weights(random, down=(128, 8), up=(8, 360))
    # Blocks of 32 frames make the graph refuse any other number of them, as RMVPE's does.
    kept += constants(blocks=np.array([1, 128, -1, 32]), bands=np.array([1, 128, -1]), doubt=np.float32(3.5))
    inputs = [tensor("input", TensorProto.FLOAT, 1, 128, "T")]
    save(path, nodes, inputs, [tensor("salience", TensorProto.FLOAT, 1, "T", 360)], kept)


def decoder(path, random, f0):
    """Content, pitch and noise to `[1, 1, T * 80]`, with some memory between frames."""
    nodes = [
        node("Shape", "phone", "shape"),
        node("Gather", "shape one", "count", axis=0),
        node("Range", "zero count one", "places"),
        node("Less", "places phone_lengths", "inside"),
        node("Cast", "inside", "mask", to=TensorProto.FLOAT),
        node("Unsqueeze", "mask last", "column"),
        node("MatMul", "phone content", "said"),
        node("Gather", "speakers ds", "who", axis=0),
        node("Add", "said who", "voiced"),
        node("Transpose", "rnd", "prior", perm=[0, 2, 1]),
        node("MatMul", "prior breath", "breathed"),
        node("Add", "voiced breathed", "mixed"),
    ]
    inputs = [
        tensor("phone", TensorProto.FLOAT, 1, "T", CONTENT),
        tensor("phone_lengths", TensorProto.INT64, 1),
        tensor("ds", TensorProto.INT64, 1),
        tensor("rnd", TensorProto.FLOAT, 1, PRIOR, "T"),
    ]
    shapes = {"content": (CONTENT, HIDDEN), "speakers": (SPEAKERS, HIDDEN), "breath": (PRIOR, HIDDEN)}
    shapes |= {"memory": (HIDDEN, HIDDEN, 5), "out": (HIDDEN, UPP)}
    known = {"zero": np.int64(0), "one": np.int64(1), "last": np.array([1]), "whole": np.array([1, 1, -1])}
    last = "mixed"
    if f0:
        nodes += [
            node("Gather", "steps pitch", "step", axis=0),
            node("Unsqueeze", "pitchf end", "hertz"),
            node("Mul", "hertz tune", "height"),
            node("Add", "mixed step", "stepped"),
            node("Add", "stepped height", "pitched"),
        ]
        inputs += [tensor("pitch", TensorProto.INT64, 1, "T"), tensor("pitchf", TensorProto.FLOAT, 1, "T")]
        inputs += [tensor("nsf_noise", TensorProto.FLOAT, 1, "N", 1)]
        shapes |= {"steps": (256, HIDDEN)}
        known |= {"end": np.array([2]), "tune": np.linspace(-0.002, 0.002, HIDDEN, dtype=np.float32)}
        last = "pitched"
    nodes += [
        node("Tanh", last, "bent"),
        node("Mul", "bent column", "masked"),
        node("Transpose", "masked", "channels", perm=[0, 2, 1]),
        node("Conv", "channels memory", "remembered", kernel_shape=[5], pads=[2, 2]),
        node("Transpose", "remembered", "frames", perm=[0, 2, 1]),
        node("MatMul", "frames out", "samples"),
        node("Reshape", "samples whole", "wave" if f0 else "loud"),
    ]
    if f0:
        nodes += [
            node("Reshape", "nsf_noise whole", "hiss"),
            node("Mul", "hiss quiet", "faint"),
            node("Add", "wave faint", "loud"),
        ]
        known |= {"quiet": np.float32(0.05)}
    nodes += [node("Mul", "loud level", "audio")]
    known |= {"level": np.float32(0.2)}
    kept = weights(random, **shapes) + constants(**known)
    save(path, nodes, inputs, [tensor("audio", TensorProto.FLOAT, 1, 1, "N")], kept)
