/* The sound of the effect, free of any interface: numbers in, numbers out. */
#ifndef DSP_H
#define DSP_H

#include <stddef.h>

/* The form of the tone: one frequency, or odd harmonics as well. */
enum shape { SHAPE_SINE, SHAPE_TRIANGLE };

/* A tone, frame by frame. */
struct ring_modulator {
    enum shape shape;
    double mix;
    double step;  /* periods per frame */
    double phase; /* where in its period the tone is, 0 to 1 */
};

/* A tone of `frequency_hz` for a stream of `rate_hz`. */
struct ring_modulator ring_modulator(double rate_hz, double frequency_hz, double mix, enum shape shape);

/* The gain of each of the next `frames` frames, the same for all channels. */
void ring_modulator_next(struct ring_modulator *modulator, float *gains, size_t frames);

#endif
