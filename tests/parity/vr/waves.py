"""Sound that the suite makes too."""

import numpy


def recording(length, rate):
    """Tones that rise, other ones on each side, with a fifth of the length silent at each end."""
    places = numpy.arange(length, dtype=numpy.float64)
    share = places / length
    inside = ((share >= 0.2) & (share < 0.8)) * 0.3
    sides = []
    for side in (1.0, 1.6):
        phase = 2 * numpy.pi * (110 * side * places / rate + 1500 * side * share * places / rate)
        sides.append(inside * (numpy.sin(phase) + 0.5 * numpy.sin(7.3 * phase) + 0.25 * numpy.sin(29.7 * phase)))
    return numpy.stack(sides).astype(numpy.float32)
