"""The network of RMVPE, written for these tests from its published description. Modules carry the names that checkpoints use."""

import torch
from torch import nn
from torch.nn import functional as F

MELS, BINS = 128, 360


class Block(nn.Module):
    def __init__(self, before, behind):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(before, behind, 3, padding=1, bias=False), nn.BatchNorm2d(behind), nn.ReLU(),
            nn.Conv2d(behind, behind, 3, padding=1, bias=False), nn.BatchNorm2d(behind), nn.ReLU(),
        )
        if before != behind:
            self.shortcut = nn.Conv2d(before, behind, 1)

    def forward(self, x):
        around = self.shortcut(x) if hasattr(self, "shortcut") else x
        return self.conv(x) + around


def blocks(before, behind, count):
    return nn.ModuleList([Block(before, behind)] + [Block(behind, behind) for _ in range(count - 1)])


class Stack(nn.Module):
    def __init__(self, before, behind, count):
        super().__init__()
        self.conv = blocks(before, behind, count)

    def forward(self, x):
        for block in self.conv:
            x = block(x)
        return x


class Up(nn.Module):
    def __init__(self, before, behind, count):
        super().__init__()
        self.conv1 = nn.Sequential(
            nn.ConvTranspose2d(before, behind, 3, 2, 1, output_padding=1, bias=False), nn.BatchNorm2d(behind), nn.ReLU()
        )
        self.conv2 = blocks(2 * behind, behind, count)

    def forward(self, x, besides):
        x = torch.cat([self.conv1(x), besides], 1)
        for block in self.conv2:
            x = block(x)
        return x


class Encoder(nn.Module):
    def __init__(self, widths, count):
        super().__init__()
        self.bn = nn.BatchNorm2d(1)
        self.layers = nn.ModuleList(Stack(a, b, count) for a, b in zip([1] + widths, widths))


class Layers(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)


class UNet(nn.Module):
    def __init__(self, widths, count, middle):
        super().__init__()
        last = widths[-1]
        self.encoder = Encoder(widths, count)
        self.intermediate = Layers([Stack(last, 2 * last, count)] + [Stack(2 * last, 2 * last, count) for _ in range(middle - 1)])
        self.decoder = Layers(Up(2 * width, width, count) for width in reversed(widths))

    def forward(self, x):
        x, kept = self.encoder.bn(x), []
        for layer in self.encoder.layers:
            x = layer(x)
            kept.append(x)
            x = F.avg_pool2d(x, 2)
        for layer in self.intermediate.layers:
            x = layer(x)
        for layer, besides in zip(self.decoder.layers, reversed(kept)):
            x = layer(x, besides)
        return x


class Recurrent(nn.Module):
    def __init__(self, before, hidden):
        super().__init__()
        self.gru = nn.GRU(before, hidden, batch_first=True, bidirectional=True)

    def forward(self, x):
        return self.gru(x)[0]


class Rmvpe(nn.Module):
    def __init__(self, first=16, count=4, middle=4, hidden=256):
        super().__init__()
        self.unet = UNet([first << level for level in range(5)], count, middle)
        self.cnn = nn.Conv2d(first, 3, 3, padding=1)
        self.fc = nn.Sequential(Recurrent(3 * MELS, hidden), nn.Linear(2 * hidden, BINS), nn.Dropout(0.25), nn.Sigmoid())

    def forward(self, mel):
        """[1, 128, T] -> [1, T, 360]"""
        x = self.cnn(self.unet(mel.transpose(1, 2)[:, None]))
        return self.fc(x.transpose(1, 2).flatten(2))
