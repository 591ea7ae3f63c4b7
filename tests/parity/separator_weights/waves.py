"""What the networks hear, computed by a formula that the host's tests repeat."""

import torch


def spectrum(*shape):
    """sin(0.37 n) cos(0.0113 n), n being the place."""
    count = torch.Size(shape).numel()
    n = torch.arange(count, dtype=torch.float64)
    return (torch.sin(0.37 * n) * torch.cos(0.0113 * n)).to(torch.float32).reshape(shape)
