"""Starts a training from the weights of an earlier package's graph, where the layers are the same.

Weights that were stored in half precision carry the suffix `_h` there.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

CONTENT_1 = {"e.i.": "stem.", "e.r1.": "fine.", "e.d.": "halve.", "e.r2.": "coarse.", "e.bn.": "bottleneck."}
"""Names in vocalhost.content-1 and here."""
F0_1 = {"p.": "project.", "r.": "blocks.", "o.": "result."}
BLOCK = {".n.": ".norm.", ".a.": ".spread.", ".b.": ".open.", ".c.": ".close."}


def tensors(graph: Path) -> dict[str, np.ndarray]:
    """Initialisers by name, as f32."""
    return {
        tensor.name.removesuffix("_h"): numpy_helper.to_array(tensor).astype(np.float32)
        for tensor in onnx.load(graph).graph.initializer
    }


def renamed(weights: dict[str, np.ndarray], prefixes: dict[str, str]) -> dict[str, torch.Tensor]:
    """Those with a known prefix, under their names here."""
    result = {}
    for name, values in weights.items():
        for old, new in prefixes.items():
            if name.startswith(old):
                name = new + name[len(old) :]
                for block_old, block_new in BLOCK.items():
                    name = name.replace(block_old, block_new)
                result[name] = torch.from_numpy(values.copy())
                break
    return result


def load(network: torch.nn.Module, state: dict[str, torch.Tensor]) -> list[str]:
    """Takes over what fits; returns the names of what stays as it was."""
    own = network.state_dict()
    fitting = {name: values for name, values in state.items() if name in own and own[name].shape == values.shape}
    network.load_state_dict(own | fitting)
    return [name for name in own if name not in fitting and "num_batches" not in name]
