/* {{title}}: what the effect is and how a host runs it. The sound is made in `dsp.c`. */
#include "../sdk/effect.h"

#include <stdlib.h>
#include <string.h>

#include "dsp.h"

/* In the order of the parameters below. */
enum { FREQUENCY_HZ, MIX, SHAPE };

static const struct effect_option shapes[] = {{"sine", "Sine"}, {"triangle", "Triangle"}};

static const struct effect_parameter parameters[] = {
    {.id = "frequency_hz",
     .name = "Frequency",
     .summary = "Of the tone; below 20 Hz the sound trembles instead.",
     .kind = EFFECT_NUMBER,
     .min = 1.0,
     .max = 5000.0,
     .fallback = 50.0,
     .unit = "Hz",
     .logarithmic = true},
    {.id = "mix",
     .name = "Mix",
     .summary = "From the plain sound (0) to the product alone (1).",
     .kind = EFFECT_NUMBER,
     .min = 0.0,
     .max = 1.0,
     .fallback = 1.0},
    {.id = "shape",
     .name = "Shape",
     .summary = "Of the tone; the triangle has odd harmonics too.",
     .advanced = true,
     .kind = EFFECT_CHOICE,
     .options = shapes,
     .option_count = EFFECT_COUNT(shapes)},
};

static const struct effect_setting tremble[] = {{.id = "frequency_hz", .number = 6.0}, {.id = "mix", .number = 0.5}};
static const struct effect_setting bells[] = {{.id = "frequency_hz", .number = 800.0},
                                              {.id = "mix", .number = 0.6},
                                              {.id = "shape", .option = "triangle"}};

static const struct effect_preset presets[] = {
    {"tremble", "Tremble", tremble, EFFECT_COUNT(tremble)},
    {"bells", "Bells", bells, EFFECT_COUNT(bells)},
};

static const char *const tags[] = {"{{tag}}"};

/* What hosts show and check requests against. The id is for good: a change that breaks requests needs another one. The
 * version is this effect's own. Without layouts it runs with any number of channels. */
const struct effect_description effect_description = {
    .id = "{{id}}",
    .name = "{{title}}",
    .version = "0.1.0",
    .vendor = "{{vendor}}",
    .summary = "Multiplies the sound with a tone, as robots in old films were made.",
    .tags = tags,
    .tag_count = EFFECT_COUNT(tags),
    .parameters = parameters,
    .parameter_count = EFFECT_COUNT(parameters),
    .presets = presets,
    .preset_count = EFFECT_COUNT(presets),
};

/* One running stream. */
struct effect {
    uint32_t channels;
    struct ring_modulator modulator;
    float gains[]; /* of one block */
};

struct effect *effect_new(const struct effect_stream *stream, const char **error) {
    struct effect *effect = malloc(sizeof *effect + stream->max_frames * sizeof(float));
    if (!effect) {
        *error = "There is no memory for the stream.";
        return NULL;
    }
    const struct effect_setting *settings = stream->settings;
    bool is_triangle = strcmp(settings[SHAPE].option, "triangle") == 0;
    effect->channels = stream->inputs;
    effect->modulator = ring_modulator(stream->rate_hz, settings[FREQUENCY_HZ].number, settings[MIX].number,
                                       is_triangle ? SHAPE_TRIANGLE : SHAPE_SINE);
    return effect;
}

uint32_t effect_latency(const struct effect *effect) {
    (void)effect;
    return 0;
}

/* A product with silence is silent; an echo would say for how many frames it can be heard. */
uint64_t effect_tail(const struct effect *effect) {
    (void)effect;
    return 0;
}

void effect_process(struct effect *effect, float *samples, uint32_t frames) {
    ring_modulator_next(&effect->modulator, effect->gains, frames);
    for (uint32_t channel = 0; channel < effect->channels; channel++) {
        for (uint32_t i = 0; i < frames; i++) {
            samples[channel * frames + i] *= effect->gains[i];
        }
    }
}

void effect_reset(struct effect *effect) {
    effect->modulator.phase = 0.0;
}

void effect_free(struct effect *effect) {
    free(effect);
}
