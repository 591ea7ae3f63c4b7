"""From Whisper's features to the 64 content channels that the decoders take, and both together as one encoder."""

from __future__ import annotations

import math

import torch
from torch import nn

from . import spectra, whisper
from .networks import CONTENT_DIM, GatedBlock
from .phones import PHONES

STAGES = (3, 5)
"""The layers, counted from 0, whose results are heard: the middle ones know the sound, the last the word."""
WIDTH = 192
DILATIONS = (1, 1, 2)
VOICE_WIDTH, VOICE_TAPS, VOICE_GROUPS = 64, 5, 2


class VoiceLayers(nn.Module):
    """Features [B, len(STAGES) * 512, T] to the logit that somebody is heard [B, T]: speaks, sings, laughs, breathes. Several groups were trained
    apart, and their mean counts: what one of them takes for a voice by chance the other does not."""

    def __init__(self, groups: int = VOICE_GROUPS):
        super().__init__()
        width = groups * VOICE_WIDTH
        self.inward = nn.Conv1d(len(STAGES) * whisper.CHANNELS, width, 1)
        self.around = nn.Conv1d(width, width, VOICE_TAPS, padding=VOICE_TAPS // 2, groups=groups)
        self.outward = nn.Conv1d(width, 1, 1)
        self.forgetting = nn.Dropout(0.3)

    @classmethod
    def joined(cls, parts: list[VoiceLayers]) -> VoiceLayers:
        """Of layers with one group each."""
        whole = cls(len(parts))
        states = [part.state_dict() for part in parts]
        state = {name: torch.cat([one[name] for one in states]) for name in states[0] if not name.startswith("outward.")}
        state["outward.weight"] = torch.cat([one["outward.weight"] for one in states], 1) / len(parts)
        state["outward.bias"] = sum(one["outward.bias"] for one in states) / len(parts)
        whole.load_state_dict(state)
        return whole

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        hidden = self.forgetting(nn.functional.gelu(self.inward(features)))
        return self.outward(nn.functional.gelu(self.around(hidden)))[:, 0]


class Projection(nn.Module):
    """Features [B, T, len(STAGES), 512] at 50 Hz to content [B, T, 64] within -1..1, phone logits [B, T, 41], and the logit that somebody
    is heard [B, T]."""

    def __init__(self, width: int = WIDTH):
        super().__init__()
        self.inward = nn.Conv1d(len(STAGES) * whisper.CHANNELS, width, 1)
        self.blocks = nn.ModuleList([GatedBlock(width, dilation) for dilation in DILATIONS])
        self.bottleneck = nn.Conv1d(width, CONTENT_DIM, 1)
        self.phones = nn.Conv1d(CONTENT_DIM, len(PHONES), 1)
        self.voice = VoiceLayers()

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        heard = features.flatten(2).transpose(1, 2)
        hidden = self.inward(heard)
        for block in self.blocks:
            hidden = block(hidden)
        content = torch.tanh(self.bottleneck(hidden))
        return content.transpose(1, 2), self.phones(3.0 * content).transpose(1, 2), self.voice(heard)


def normalised(stages: list[torch.Tensor], heard: tuple[int, ...] = STAGES) -> torch.Tensor:
    """What the layers `heard` give, each vector brought to mean 0 and deviation 1: [B, T, len(heard), 512]."""
    chosen = torch.stack([stages[number] for number in heard], 2)
    return nn.functional.layer_norm(chosen, (whisper.CHANNELS,))


class WhisperContent(nn.Module):
    """What is shipped: wave [B, 1, N] at 16 kHz, N a multiple of 320, to content with loudness [B, N / 320, 65]."""

    def __init__(self, encoder: whisper.WhisperEncoder, projection: Projection, heard: tuple[int, ...] = STAGES):
        super().__init__()
        self.encoder, self.network, self.heard = encoder, projection, heard

    def forward(self, wave: torch.Tensor) -> torch.Tensor:
        samples = wave[:, 0]
        content, _, voice = self.network(self.features(samples))
        log_mel = torch.stack([spectra.content_log_mel(one) for one in samples])
        return torch.cat([content, kept_down(spectra.loudness(log_mel), voice)[..., None]], 2)

    def features(self, samples: torch.Tensor) -> torch.Tensor:
        """[B, N] to [B, N / 320, len(STAGES), 512]."""
        return normalised(self.encoder.stages(whisper.scaled_log_mel(samples)), self.heard)


VOICE_REACH = 9
"""Frames of 20 ms: somebody who speaks 80 ms before or after counts as speaking, so that beginnings and ends stay."""
DOUBT = 0.2
"""From this chance that somebody speaks on, the loudness is left as it is."""
KEPT_DOWN_DB = 60.0
"""By how much the loudness of what is certainly nobody's voice is lowered."""


def kept_down(loudness: torch.Tensor, voice: torch.Tensor) -> torch.Tensor:
    """The loudness channel [B, T] where somebody speaks by these logits [B, T], and lowered where nobody does.

    The channel is 0.11 ln(power) + 1, so decibels are 0.0253 each; it does not go below that of silence.
    """
    near = nn.functional.max_pool1d(voice[:, None], VOICE_REACH, 1, VOICE_REACH // 2)[:, 0]
    sure = (torch.sigmoid(near) / DOUBT).clamp(max=1.0)
    lowered = loudness - (0.11 * math.log(10.0) / 10.0 * KEPT_DOWN_DB) * (1.0 - sure)
    return torch.maximum(lowered, torch.clamp(loudness, max=SILENCE))


SILENCE = 0.11 * math.log(1e-8) + 1.0
"""The loudness channel of digital silence."""
