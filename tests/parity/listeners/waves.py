"""What the networks hear, computed by formulas that the host's tests repeat."""

import torch


def wave(count):
    """0.3 sin(0.07 n) cos(0.0031 n)."""
    n = torch.arange(count, dtype=torch.float64)
    return (0.3 * torch.sin(0.07 * n) * torch.cos(0.0031 * n)).to(torch.float32)


def mel(count):
    """-3 + 2 sin(0.37 n) cos(0.011 n): as large as logarithms of mel bands."""
    n = torch.arange(count, dtype=torch.float64)
    return (-3 + 2 * torch.sin(0.37 * n) * torch.cos(0.011 * n)).to(torch.float32)
