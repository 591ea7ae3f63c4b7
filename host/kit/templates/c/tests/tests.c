/* The effect on test signals, natively: `make test`. */
#include "../sdk/effect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                             \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

enum { RATE_HZ = 48000, FRAMES = 48000, MAX_FRAMES = 4096 };

/* A mono stream with its first parameters set to these numbers. */
static struct effect *start(const double *numbers, size_t count) {
    struct effect_setting settings[64];
    effect_defaults(settings);
    for (size_t i = 0; i < count; i++) {
        settings[i].number = numbers[i];
    }
    struct effect_stream stream = {
        .rate_hz = RATE_HZ, .inputs = 1, .outputs = 1, .max_frames = MAX_FRAMES, .settings = settings};
    const char *error = NULL;
    struct effect *effect = effect_new(&stream, &error);
    if (!effect) {
        printf("refused: %s\n", error);
        exit(1);
    }
    return effect;
}

/* Sends the sound through in blocks of these lengths, over and over. */
static void run(struct effect *effect, float *samples, const uint32_t *cuts, size_t count) {
    for (uint32_t at = 0, i = 0; at < FRAMES; i++) {
        uint32_t frames = cuts[i % count];
        frames = frames < FRAMES - at ? frames : FRAMES - at;
        effect_process(effect, samples + at, frames);
        at += frames;
    }
}

static void fill_with_tone(float *samples, double frequency_hz) {
    for (int i = 0; i < FRAMES; i++) {
        samples[i] = (float)(0.5 * sin(6.283185307179586 * frequency_hz * i / RATE_HZ));
    }
}

/* How much of the frequency is in the sound: the magnitude of its Fourier coefficient. */
static double amount(const float *samples, double frequency_hz) {
    double real = 0.0, imaginary = 0.0;
    for (int i = 0; i < FRAMES; i++) {
        double angle = 6.283185307179586 * frequency_hz * i / RATE_HZ;
        real += samples[i] * cos(angle);
        imaginary += samples[i] * sin(angle);
    }
    return 2.0 * hypot(real, imaginary) / FRAMES;
}

static float input[FRAMES], first[FRAMES], second[FRAMES];

static void a_tone_becomes_its_sum_and_its_difference_with_the_other(void) {
    struct effect *effect = start((double[]){100.0}, 1);
    memcpy(first, input, sizeof input);
    run(effect, first, (uint32_t[]){MAX_FRAMES}, 1);
    CHECK(fabs(amount(first, 900.0) - 0.25) < 1e-4);
    CHECK(fabs(amount(first, 1100.0) - 0.25) < 1e-4);
    CHECK(amount(first, 1000.0) < 1e-4);
    effect_free(effect);
}

static void where_the_stream_is_cut_cannot_be_heard(void) {
    struct effect *whole = start(NULL, 0), *cut = start(NULL, 0);
    memcpy(first, input, sizeof input);
    memcpy(second, input, sizeof input);
    run(whole, first, (uint32_t[]){MAX_FRAMES}, 1);
    run(cut, second, (uint32_t[]){1, 700, 3, 1024}, 4);
    CHECK(memcmp(first, second, sizeof first) == 0);
    effect_free(whole);
    effect_free(cut);
}

static void a_reset_forgets(void) {
    struct effect *effect = start(NULL, 0);
    memcpy(first, input, sizeof input);
    memcpy(second, input, sizeof input);
    run(effect, first, (uint32_t[]){1000}, 1);
    effect_reset(effect);
    run(effect, second, (uint32_t[]){1000}, 1);
    CHECK(memcmp(first, second, sizeof first) == 0);
    effect_free(effect);
}

static void without_a_mix_the_sound_stays_as_it_is(void) {
    struct effect *effect = start((double[]){50.0, 0.0}, 2);
    memcpy(first, input, sizeof input);
    run(effect, first, (uint32_t[]){MAX_FRAMES}, 1);
    CHECK(memcmp(first, input, sizeof first) == 0);
    effect_free(effect);
}

int main(void) {
    fill_with_tone(input, 1000.0);
    a_tone_becomes_its_sum_and_its_difference_with_the_other();
    where_the_stream_is_cut_cannot_be_heard();
    a_reset_forgets();
    without_a_mix_the_sound_stays_as_it_is();
    printf(failures ? "%d checks failed\n" : "all tests passed\n", failures);
    return failures != 0;
}
