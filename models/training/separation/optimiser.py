"""Muon (Keller Jordan and others, 2024) for convolutions and matrices over bands, AdamW for the rest.

Muon orthogonalises the momentum of each matrix with five steps of a Newton-Schulz iteration (its published
coefficients) and scales the step to the root mean square of Adam's (0.2 times the root of the larger side, Liu and
others, 2025).
"""

from __future__ import annotations

from pathlib import Path

import torch

import precision

AVERAGE = 0.998
"""What averaged weights keep of themselves at each step."""


def _orthogonal(matrix: torch.Tensor) -> torch.Tensor:
    a, b, c = 3.4445, -4.7750, 2.0315
    turned = matrix.shape[0] > matrix.shape[1]
    x = matrix.T if turned else matrix
    x = x / (x.norm() + 1e-7)
    if precision.HALVES:
        x = x.bfloat16()
    for _ in range(5):
        square = x @ x.T
        x = torch.addmm(x, torch.addmm(square, square, square, beta=b, alpha=c), x, beta=a)
    return (x.T if turned else x).float()


class Muon(torch.optim.Optimizer):
    """For weights [out, in] and [out, in, height, width]."""

    def __init__(self, parameters: list[torch.nn.Parameter], lr: float, decay: float = 0.01):
        super().__init__(parameters, {"lr": lr, "decay": decay})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state = self.state[parameter]
                if not state:
                    state["mean"] = torch.zeros_like(parameter)
                state["mean"].lerp_(parameter.grad, 0.05)
                update = parameter.grad.lerp(state["mean"], 0.95)
                flat = update.reshape(update.shape[0], -1)
                scale = 0.2 * max(flat.shape) ** 0.5
                parameter.mul_(1 - group["lr"] * group["decay"])
                parameter.add_(_orthogonal(flat).reshape(update.shape), alpha=-group["lr"] * scale)


def for_model(model: torch.nn.Module, lr: float) -> list[torch.optim.Optimizer]:
    """Muon for convolutions and matrices over bands, AdamW for the per-band matrices (three dimensions) and vectors."""
    muon = [parameter for parameter in model.parameters() if parameter.ndim in (2, 4)]
    adam = [parameter for parameter in model.parameters() if parameter.ndim not in (2, 4)]
    return [Muon(muon, lr), torch.optim.AdamW(adam, lr, betas=(0.9, 0.98), weight_decay=0.01, fused=True)]


def step(optimisers: list[torch.optim.Optimizer], rate: float) -> None:
    """A step of each at the learning rate `rate`."""
    for one in optimisers:
        for group in one.param_groups:
            group["lr"] = rate
        one.step()


@torch.no_grad()
def follow(average: dict[str, torch.Tensor], model: torch.nn.Module, steps: int) -> None:
    """Moves averaged weights a little towards the model's, more so in the first `steps`."""
    share = min(AVERAGE, (1 + steps) / (10 + steps))
    for name, value in model.state_dict().items():
        if value.is_floating_point():
            average[name].lerp_(value, 1 - share)
        else:
            average[name].copy_(value)


def rate_at(highest: float, steps: int, done: float, decay_from: float) -> float:
    """The learning rate after `steps`, when the share `done` of the time is over: it rises at first, and falls from `decay_from` on."""
    return highest * min(1, (steps + 1) / 80) * min(1, (1 - done) / (1 - decay_from) + 0.01)


def write(held: dict, checkpoint: Path) -> None:
    """Writes a checkpoint whole or not at all."""
    temporary = checkpoint.with_suffix(".part")
    torch.save(held, temporary)
    temporary.rename(checkpoint)
