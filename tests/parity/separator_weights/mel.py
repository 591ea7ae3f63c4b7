"""Which bins the bands of a Mel-Band RoFormer hear. The same as `librosa.filters.mel(sr=44100, n_fft=n_fft, n_mels=count) > 0`, which
`run.py` checks, with the lowest and the highest bin added."""

import numpy


def hertz(mels):
    return numpy.where(mels < 15, mels * 200 / 3, 1000 * numpy.exp((mels - 15) * numpy.log(6.4) / 27))


def mel_bands(count, n_fft, rate=44100):
    top = 15 + numpy.log(rate / 2 / 1000) / (numpy.log(6.4) / 27)
    edges = hertz(numpy.linspace(0, top, count + 2))
    bins = numpy.arange(n_fft // 2 + 1) * rate / n_fft
    bands = [list(numpy.flatnonzero((bins > low) & (bins < high)).tolist()) for low, high in zip(edges, edges[2:])]
    bands[0] = sorted({0, *bands[0]})
    bands[-1] = sorted({n_fft // 2, *bands[-1]})
    return bands
