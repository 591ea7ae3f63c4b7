"""MDX23C, the third version of TFC-TDF, by the names that Music-Source-Separation-Training saves weights under. Takes and gives spectra."""

import torch
from torch import nn

ACTIVATIONS = {"gelu": nn.GELU, "relu": nn.ReLU, "elu0.5": lambda: nn.ELU(0.5)}
NORMS = {"InstanceNorm": lambda width: nn.InstanceNorm2d(width, affine=True), "BatchNorm": nn.BatchNorm2d}


class Mdx23c(nn.Module):
    def __init__(self, bins, subbands, levels, blocks, channels, growth, narrowing, stems, scale=(2, 2), norm="InstanceNorm", act="gelu"):
        super().__init__()
        self.subbands, self.stems, self.act = subbands, stems, ACTIVATIONS[act]()

        def prepared(width, *layers):
            return nn.Sequential(NORMS[norm](width), self.act, *layers)

        def level(inputs, outputs, length):
            module = nn.Module()
            module.blocks = nn.ModuleList()
            for number in range(blocks):
                before = outputs if number else inputs
                block = nn.Module()
                block.tfc1 = prepared(before, nn.Conv2d(before, outputs, 3, 1, 1, bias=False))
                narrow = length // narrowing
                block.tdf = prepared(outputs, nn.Linear(length, narrow, bias=False), *prepared(outputs, nn.Linear(narrow, length, bias=False)))
                block.tfc2 = prepared(outputs, nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False))
                block.shortcut = nn.Conv2d(before, outputs, 1, bias=False)
                module.blocks.append(block)
            return module

        def holder(name, conv):
            module = nn.Module()
            setattr(module, name, nn.Module())
            getattr(module, name).conv = conv
            return module

        stacked, length = 4 * subbands, bins // subbands
        self.first_conv = nn.Conv2d(stacked, channels, 1, bias=False)
        self.encoder_blocks, self.decoder_blocks = nn.ModuleList(), nn.ModuleList()
        width = channels
        for _ in range(levels):
            block = holder("downscale", prepared(width, nn.Conv2d(width, width + growth, scale, scale, bias=False)))
            block.tfc_tdf = level(width, width, length)
            self.encoder_blocks.append(block)
            length, width = length // scale[1], width + growth
        self.bottleneck_block = level(width, width, length)
        for _ in range(levels):
            block = holder("upscale", prepared(width, nn.ConvTranspose2d(width, width - growth, scale, scale, bias=False)))
            length, width = length * scale[1], width - growth
            block.tfc_tdf = level(2 * width, width, length)
            self.decoder_blocks.append(block)
        self.final_conv = nn.Sequential(
            nn.Conv2d(width + stacked, width, 1, bias=False), self.act, nn.Conv2d(width, stems * stacked, 1, bias=False)
        )

    @staticmethod
    def through(level, x):
        for block in level.blocks:
            besides = block.shortcut(x)
            x = block.tfc1(x)
            x = block.tfc2(x + block.tdf(x)) + besides
        return x

    def forward(self, spectrum):
        """`[4, bins, frames]`; gives `[4 stems, bins, frames]`."""
        mix = spectrum.unflatten(1, (self.subbands, -1)).flatten(0, 1)[None]
        first = self.first_conv(mix)
        x, passed = first.transpose(2, 3), []
        for block in self.encoder_blocks:
            x = self.through(block.tfc_tdf, x)
            passed.append(x)
            x = block.downscale.conv(x)
        x = self.through(self.bottleneck_block, x)
        for block in self.decoder_blocks:
            x = torch.cat([block.upscale.conv(x), passed.pop()], 1)
            x = self.through(block.tfc_tdf, x)
        x = self.final_conv(torch.cat([mix, x.transpose(2, 3) * first], 1))[0]
        return x.unflatten(0, (-1, self.subbands)).flatten(1, 2)
