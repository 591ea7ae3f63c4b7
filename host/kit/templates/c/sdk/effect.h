/* What an effect in C is written against.
 *
 * An effect is the one `effect_description` and the functions below, in any number of files. `effect.c` beside this
 * file is the bridge to the component interface (`wit/effect.wit`, whose texts say more on every item); nothing here
 * needs WebAssembly, so the same functions can be tested natively. */
#ifndef VOCALHOST_EFFECT_H
#define VOCALHOST_EFFECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of elements of an array. */
#define EFFECT_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What kind of value a parameter takes. */
enum effect_kind { EFFECT_NUMBER, EFFECT_TOGGLE, EFFECT_CHOICE };

/* One alternative of a choice. */
struct effect_option {
    const char *id;
    const char *name;
};

/* One thing that can be set. What is left out is 0, false or empty. */
struct effect_parameter {
    const char *id;      /* a to z, 0 to 9, `-` and `_`; the unit comes last: "cutoff_hz" */
    const char *name;    /* label for people */
    const char *group;   /* panel heading */
    const char *summary; /* help */
    bool advanced;       /* left out of a first, simple panel */
    enum effect_kind kind;
    /* Of a number, in its own unit. A step of 0 is continuous; a logarithmic slider needs min > 0. */
    double min, max, fallback, step;
    const char *unit;
    bool logarithmic;
    /* Of a toggle. */
    bool on;
    /* Of a choice; the option number `chosen` is its default. */
    const struct effect_option *options;
    size_t option_count;
    size_t chosen;
};

/* A value for a parameter: the member that its kind names. */
struct effect_setting {
    const char *id;
    double number;
    bool on;
    const char *option;
};

/* A named set of values; the parameters that it does not name have their default. */
struct effect_preset {
    const char *id;
    const char *name;
    const struct effect_setting *settings;
    size_t setting_count;
};

/* Channels in and out, 1 to 8. */
struct effect_layout {
    uint32_t inputs, outputs;
};

/* What an effect is. */
struct effect_description {
    const char *id;      /* globally unique and for good: "com.example.tape-echo" */
    const char *name;    /* shown to people */
    const char *version; /* of the effect: "1.0.0" */
    const char *vendor;
    const char *summary; /* one sentence: what it does to the sound */
    const char *const *tags;
    size_t tag_count;
    const struct effect_layout *layouts; /* none: any number of channels, as many out as in */
    size_t layout_count;
    const struct effect_parameter *parameters;
    size_t parameter_count;
    const struct effect_preset *presets;
    size_t preset_count;
};

/* The stream that an effect is made for. None of it changes while it lives. */
struct effect_stream {
    double rate_hz;
    uint32_t inputs, outputs;
    uint32_t max_frames;                   /* no call to `effect_process` carries more */
    const struct effect_setting *settings; /* one for each parameter, in the order of the description */
};

/* A tail that cannot be said in frames. */
#define EFFECT_UNBOUNDED UINT64_MAX

/* The author's own state of one stream. */
struct effect;

/* Defined by the effect. */

extern const struct effect_description effect_description;

/* Prepares a stream; everything that allocates or takes long happens here. On failure the answer is NULL and `*error` a
 * sentence, static, for the person who wrote the request. */
struct effect *effect_new(const struct effect_stream *stream, const char **error);

/* Frames by which the output lags behind the input: constant. */
uint32_t effect_latency(const struct effect *effect);

/* Frames for which sound goes on after the input, on top of the latency, until it is 120 dB under full scale. */
uint64_t effect_tail(const struct effect *effect);

/* Changes the next frames in place. `samples` has as many channels as the larger of inputs and outputs, all frames of
 * channel 0, then those of channel 1, and so on. Nobody may hear where the stream is cut. */
void effect_process(struct effect *effect, float *samples, uint32_t frames);

/* Forgets all sound but not the settings. */
void effect_reset(struct effect *effect);

/* Gives everything back. */
void effect_free(struct effect *effect);

/* For tests: a setting for each parameter, with its default. `settings` has room for all of them. */
void effect_defaults(struct effect_setting *settings);

#endif
