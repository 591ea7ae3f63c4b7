/* A ring modulator multiplies the sound with a tone c of the frequency f. Every frequency g of the sound becomes the two
 * frequencies g + f and |g - f|, because sin(a) sin(b) = (cos(a - b) - cos(a + b)) / 2. With a mix of m the gain of a
 * frame is 1 - m + m c. */
#include "dsp.h"

#include <math.h>

static const double TAU = 6.283185307179586;

struct ring_modulator ring_modulator(double rate_hz, double frequency_hz, double mix, enum shape shape) {
    /* A tone has no frequency above half the rate. */
    double step = fmin(frequency_hz / rate_hz, 0.5);
    return (struct ring_modulator){.shape = shape, .mix = mix, .step = step, .phase = 0.0};
}

/* A triangle that begins at 0 and rises, as the sine does. */
static double triangle(double phase) {
    return fabs(4.0 * fmod(phase + 0.75, 1.0) - 2.0) - 1.0;
}

void ring_modulator_next(struct ring_modulator *modulator, float *gains, size_t frames) {
    double mix = modulator->mix;
    for (size_t i = 0; i < frames; i++) {
        double phase = modulator->phase;
        double tone = modulator->shape == SHAPE_SINE ? sin(TAU * phase) : triangle(phase);
        gains[i] = (float)(1.0 - mix + mix * tone);
        /* The phase goes on from block to block, so that nobody can hear where the host cuts the stream. */
        phase += modulator->step;
        modulator->phase = phase >= 1.0 ? phase - 1.0 : phase;
    }
}
