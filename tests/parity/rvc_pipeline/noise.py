"""The host's Gaussian noise: ChaCha with 8 rounds, seeded as rand_core does (PCG32), then Box and Muller's transform.

The values of a frame depend on the seed and the frame's number alone. Stream 0 is the prior's noise, stream 1 the source's.
"""

import numpy as np


def key_of(seed):
    state, words = seed, []
    for _ in range(8):
        state = (state * 0x5851F42D4C957F2D + 0xA17654E46FBE17F3) % 2**64
        mixed = (((state >> 18) ^ state) >> 27) % 2**32
        turn = state >> 59
        words.append(((mixed >> turn) | (mixed << (32 - turn))) % 2**32)
    return words


def blocks(key, stream, first, count):
    """`count` blocks of 16 words from block `first` on."""
    counter = np.arange(first, first + count, dtype=np.uint64)
    fixed = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *key]
    state = [np.full(count, word, np.uint32) for word in fixed]
    state += [(counter & 0xFFFFFFFF).astype(np.uint32), (counter >> np.uint64(32)).astype(np.uint32)]
    state += [np.full(count, stream % 2**32, np.uint32), np.full(count, stream >> 32, np.uint32)]
    x = [word.copy() for word in state]

    def turn(word, bits):
        return (word << np.uint32(bits)) | (word >> np.uint32(32 - bits))

    def quarter(a, b, c, d):
        x[a] += x[b]
        x[d] = turn(x[d] ^ x[a], 16)
        x[c] += x[d]
        x[b] = turn(x[b] ^ x[c], 12)
        x[a] += x[b]
        x[d] = turn(x[d] ^ x[a], 8)
        x[c] += x[d]
        x[b] = turn(x[b] ^ x[c], 7)

    for _ in range(4):
        for column in range(4):
            quarter(column, column + 4, column + 8, column + 12)
        for column in range(4):
            quarter(column, (column + 1) % 4 + 4, (column + 2) % 4 + 8, (column + 3) % 4 + 12)
    return np.stack([word + start for word, start in zip(x, state)], axis=1).reshape(-1)


def gaussian(seed, stream, rows, first, frames, scale):
    """`[frames, rows]` normal values from frame `first` on."""
    per_frame = rows + rows % 2
    start, end = first * per_frame, (first + frames) * per_frame
    words = blocks(key_of(seed), stream, start // 16, (end + 15) // 16 - start // 16)
    words = words[start % 16 :][: end - start].reshape(frames, per_frame // 2, 2)
    unit = (words.astype(np.float64) + 0.5) / 2**32
    radius = scale * np.sqrt(-2 * np.log(unit[..., 0]))
    angle = 2 * np.pi * unit[..., 1]
    values = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
    return values.reshape(frames, per_frame)[:, :rows].astype(np.float32)
