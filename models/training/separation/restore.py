"""A checkpoint from a package, to go on training where no checkpoint was kept.

The graph holds the averaged weights (as fp16), and each batch normalisation that follows a convolution has been folded into
that convolution. Such a normalisation is taken out again with the statistics that the convolution's output has on training
examples, so that the network computes what the graph computes and may be trained on. Optimisers begin anew.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn

from . import deep, mixing, spectrum
from .export import DEEP_CHECKPOINT, TURNED
from .model import Block
from .train import FRAMES, TASKS, batch

EXAMPLES = 24


def tensors(graph: Path) -> tuple[dict[str, torch.Tensor], list[tuple[torch.Tensor, torch.Tensor]]]:
    """Initialisers by name, as f32, and weight and bias of every convolution in the graph's order."""
    model = onnx.load(graph)
    named = {
        tensor.name.removesuffix("_fp16"): torch.from_numpy(numpy_helper.to_array(tensor).astype(np.float32))
        for tensor in model.graph.initializer
    }
    # The lead's graph runs its network window by window: the same weights, under other names from the second on.
    same = {node.output[0]: node.input[0] for node in model.graph.node if node.op_type == "Identity"}
    weights = dict.fromkeys(
        tuple(same.get(name, name) for name in node.input[1:3])
        for node in model.graph.node
        if node.op_type == "Conv" and not node.input[1].lstrip("/").startswith("deep")
    )
    return named, [(named[weight], named[bias]) for weight, bias in weights]


def restore(task: str, package: Path, data: Path, checkpoint: Path) -> float:
    """Writes the checkpoint; returns how far the restored network is from the graph's weights in eval mode, as the largest
    difference of a mask."""
    named, convolutions = tensors(package / "separator.onnx")
    model = TASKS[task].model()
    prefix = "network." if task == "lead" else ""
    own = model.state_dict()
    for name in own:
        if prefix + name in named:
            own[name].copy_(named[prefix + name])
        elif prefix + name + TURNED in named:
            own[name].copy_(named[prefix + name + TURNED].transpose(1, 2))
    model.load_state_dict(own)
    folded = iter(convolutions)
    for block in model.blocks:
        for convolution, norm in _normalised(block):
            weight, bias = next(folded)
            convolution.weight.data.copy_(weight)
            _pass_on(norm, bias)
        for value, found in zip((block.widen.weight, block.widen.bias), next(folded), strict=True):
            value.data.copy_(found)
    rest = [model.head] + ([model.cross] if model.cross is not None else [])
    for convolution, (weight, bias) in zip(rest, folded, strict=True):
        convolution.weight.data.copy_(weight)
        convolution.bias.data.copy_(bias)
    model.eval().to(memory_format=torch.channels_last)
    difference = _normalise(model, _examples(task, data))
    metrics = json.loads((package / "metrics.json").read_text())
    trained = metrics["training"]
    held = {"model": model.state_dict(), "average": {name: value.clone() for name, value in model.state_dict().items()},
            "optimisers": None, "steps": trained["steps"], "cpu_seconds": trained["cpu_seconds"], "task": task,
            "fp16_storage_snr_db": metrics["graph"]["fp16_storage_snr_db"]}  # fmt: skip
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    torch.save(held, checkpoint)
    if TASKS[task].with_deep:
        _restore_deep(named, trained["deep"], checkpoint.with_name(DEEP_CHECKPOINT))
    return difference


def _restore_deep(named: dict[str, torch.Tensor], trained: dict, checkpoint: Path) -> None:
    """Writes the checkpoint of the lowest bins' network, whose weights the graph holds as they are."""
    own = deep.Waves().state_dict()
    for name, value in own.items():
        if value.is_floating_point():
            value.copy_(named[f"deep.network.{name}"])
    held = {"model": own, "average": {name: value.clone() for name, value in own.items()}, "optimisers": None,
            "steps": trained["steps"], "cpu_seconds": trained["cpu_seconds"]}  # fmt: skip
    torch.save(held, checkpoint)


def _normalised(block: Block) -> tuple[tuple[nn.Conv2d, nn.BatchNorm2d], ...]:
    return (block.narrow, block.norm_narrow), (block.first, block.norm_first), (block.second, block.norm_second)


def _pass_on(norm: nn.BatchNorm2d, bias: torch.Tensor) -> None:
    """Makes the normalisation add the bias and do nothing else."""
    norm.running_mean.zero_()
    norm.running_var.fill_(1.0 - norm.eps)
    norm.weight.data.fill_(1.0)
    norm.bias.data.copy_(bias)


def _examples(task: str, data: Path) -> list[torch.Tensor]:
    """Mixes [1, 4, BINS, FRAMES] as training hears them."""
    material, rng = mixing.Material(data, "train"), random.Random(5)
    out = []
    for _ in range(EXAMPLES):
        mix = batch(task, material, rng, 1, 0.28).sum(1)
        out.append(torch.view_as_real(mix).permute(0, 1, 4, 2, 3).reshape(1, 4, spectrum.BINS, FRAMES).contiguous())
    return out


@torch.no_grad()
def _normalise(model: nn.Module, examples: list[torch.Tensor]) -> float:
    """Gives every normalisation that only passes on the mean and variance of what it hears, and takes both out again."""
    pairs = [pair for block in model.blocks for pair in _normalised(block)]
    sums = {norm: [0.0, 0.0] for _, norm in pairs}

    def listen(norm: nn.BatchNorm2d, inputs: tuple, _output: torch.Tensor) -> None:
        heard = inputs[0].double()
        sums[norm][0] = sums[norm][0] + heard.mean((0, 2, 3)) / EXAMPLES
        sums[norm][1] = sums[norm][1] + heard.square().mean((0, 2, 3)) / EXAMPLES

    hooks = [norm.register_forward_hook(listen) for _, norm in pairs]
    before = [model.masks(example)[0] for example in examples]
    for hook in hooks:
        hook.remove()
    for norm, (mean, square) in sums.items():
        variance = (square - mean * mean).clamp(min=1e-8)
        norm.weight.data.copy_((variance + norm.eps).sqrt())
        norm.bias.data.add_(mean)
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(variance)
    return max(float((model.masks(example)[0] - old).abs().max()) for example, old in zip(examples, before, strict=True))
