/* The bridge between `effect.h` and the component interface. What the interface hands over belongs to whom it is handed
 * to: strings of the description are copied, because the host frees its answer, and the settings of a stream live as
 * long as the stream does. */
#include "effect.h"

#include <stdlib.h>
#include <string.h>

#include "generated/plugin.h"

/* The names of the generated bindings, shortened. */
#define BOUND(name) exports_vocalhost_effect_effect_##name
#define KIND(name) EXPORTS_VOCALHOST_EFFECT_EFFECT_KIND_##name
#define VALUE(name) EXPORTS_VOCALHOST_EFFECT_EFFECT_VALUE_##name

/* One stream as the interface's resource. */
struct BOUND(processor_t) {
    struct effect *effect;
    uint32_t inputs, outputs;
};

/* The bindings ask for an object file that describes the interface; `vocalhost effect wrap` adds that description. */
void __component_type_object_force_link_plugin(void) {}

/* A list of `count` elements, or NULL when it is empty. */
static void *list_of(size_t count, size_t size) {
    void *list = count ? calloc(count, size) : NULL;
    if (count && !list) {
        abort();
    }
    return list;
}

static plugin_string_t copy_of(const char *text) {
    plugin_string_t copy = {NULL, 0};
    if (text && *text) {
        plugin_string_dup(&copy, text);
    }
    return copy;
}

static const struct effect_parameter *find_parameter(const char *id) {
    for (size_t i = 0; i < effect_description.parameter_count; i++) {
        if (strcmp(effect_description.parameters[i].id, id) == 0) {
            return &effect_description.parameters[i];
        }
    }
    abort(); /* a preset that sets what does not exist */
}

static BOUND(kind_t) describe_kind(const struct effect_parameter *parameter) {
    BOUND(kind_t) kind = {0};
    switch (parameter->kind) {
    case EFFECT_NUMBER:
        kind.tag = KIND(NUMBER);
        kind.val.number = (BOUND(number_t)){
            .min = parameter->min,
            .max = parameter->max,
            .default_ = parameter->fallback,
            .step = parameter->step,
            .unit = copy_of(parameter->unit),
            .scale = parameter->logarithmic,
        };
        break;
    case EFFECT_TOGGLE:
        kind.tag = KIND(TOGGLE);
        kind.val.toggle = parameter->on;
        break;
    case EFFECT_CHOICE:
        kind.tag = KIND(CHOICE);
        BOUND(choice_t) *choice = &kind.val.choice;
        choice->options.len = parameter->option_count;
        choice->options.ptr = list_of(parameter->option_count, sizeof *choice->options.ptr);
        for (size_t i = 0; i < parameter->option_count; i++) {
            choice->options.ptr[i].id = copy_of(parameter->options[i].id);
            choice->options.ptr[i].name = copy_of(parameter->options[i].name);
        }
        choice->default_ = copy_of(parameter->options[parameter->chosen].id);
        break;
    }
    return kind;
}

static BOUND(value_t) describe_value(const struct effect_setting *setting) {
    BOUND(value_t) value = {0};
    switch (find_parameter(setting->id)->kind) {
    case EFFECT_NUMBER:
        value.tag = VALUE(NUMBER);
        value.val.number = setting->number;
        break;
    case EFFECT_TOGGLE:
        value.tag = VALUE(TOGGLE);
        value.val.toggle = setting->on;
        break;
    case EFFECT_CHOICE:
        value.tag = VALUE(CHOICE);
        value.val.choice = copy_of(setting->option);
        break;
    }
    return value;
}

static BOUND(preset_t) describe_preset(const struct effect_preset *preset) {
    BOUND(preset_t) described = {.id = copy_of(preset->id), .name = copy_of(preset->name)};
    described.settings.len = preset->setting_count;
    described.settings.ptr = list_of(preset->setting_count, sizeof *described.settings.ptr);
    for (size_t i = 0; i < preset->setting_count; i++) {
        described.settings.ptr[i].id = copy_of(preset->settings[i].id);
        described.settings.ptr[i].value = describe_value(&preset->settings[i]);
    }
    return described;
}

void BOUND(describe)(BOUND(descriptor_t) * answer) {
    const struct effect_description *own = &effect_description;
    *answer = (BOUND(descriptor_t)){
        .id = copy_of(own->id),
        .name = copy_of(own->name),
        .version = copy_of(own->version),
        .vendor = copy_of(own->vendor),
        .summary = copy_of(own->summary),
        .tags = {list_of(own->tag_count, sizeof *answer->tags.ptr), own->tag_count},
        .layouts = {list_of(own->layout_count, sizeof *answer->layouts.ptr), own->layout_count},
        .parameters = {list_of(own->parameter_count, sizeof *answer->parameters.ptr), own->parameter_count},
        .presets = {list_of(own->preset_count, sizeof *answer->presets.ptr), own->preset_count},
    };
    for (size_t i = 0; i < own->tag_count; i++) {
        answer->tags.ptr[i] = copy_of(own->tags[i]);
    }
    for (size_t i = 0; i < own->layout_count; i++) {
        answer->layouts.ptr[i] = (BOUND(layout_t)){own->layouts[i].inputs, own->layouts[i].outputs};
    }
    for (size_t i = 0; i < own->parameter_count; i++) {
        const struct effect_parameter *parameter = &own->parameters[i];
        answer->parameters.ptr[i] = (BOUND(parameter_t)){
            .id = copy_of(parameter->id),
            .name = copy_of(parameter->name),
            .group = copy_of(parameter->group),
            .summary = copy_of(parameter->summary),
            .kind = describe_kind(parameter),
            .advanced = parameter->advanced,
        };
    }
    for (size_t i = 0; i < own->preset_count; i++) {
        answer->presets.ptr[i] = describe_preset(&own->presets[i]);
    }
}

/* Replaces the default of a parameter by what the host says. The host has checked id, kind and range. */
static void take_over(struct effect_setting *settings, const BOUND(setting_t) * given) {
    for (size_t i = 0; i < effect_description.parameter_count; i++) {
        const struct effect_parameter *parameter = &effect_description.parameters[i];
        if (strlen(parameter->id) != given->id.len || memcmp(parameter->id, given->id.ptr, given->id.len) != 0) {
            continue;
        }
        if (given->value.tag == VALUE(NUMBER)) {
            settings[i].number = given->value.val.number;
        } else if (given->value.tag == VALUE(TOGGLE)) {
            settings[i].on = given->value.val.toggle;
        }
        for (size_t k = 0; given->value.tag == VALUE(CHOICE) && k < parameter->option_count; k++) {
            const char *option = parameter->options[k].id;
            const plugin_string_t *chosen = &given->value.val.choice;
            if (strlen(option) == chosen->len && memcmp(option, chosen->ptr, chosen->len) == 0) {
                settings[i].option = option;
            }
        }
    }
}

bool BOUND(constructor_processor)(BOUND(config_t) * config, BOUND(own_processor_t) * answer, plugin_string_t *failure) {
    struct effect_setting *settings = list_of(effect_description.parameter_count, sizeof *settings);
    effect_defaults(settings);
    for (size_t i = 0; i < config->settings.len; i++) {
        take_over(settings, &config->settings.ptr[i]);
    }
    struct effect_stream stream = {
        .rate_hz = config->sample_rate,
        .inputs = config->layout.inputs,
        .outputs = config->layout.outputs,
        .max_frames = config->max_frames,
        .settings = settings,
    };
    BOUND(config_free)(config);
    const char *error = "It cannot be made.";
    struct effect *effect = effect_new(&stream, &error);
    free(settings);
    if (!effect) {
        *failure = copy_of(error);
        return false;
    }
    BOUND(processor_t) *processor = list_of(1, sizeof *processor);
    *processor = (BOUND(processor_t)){effect, stream.inputs, stream.outputs};
    *answer = BOUND(processor_new)(processor);
    return true;
}

void BOUND(processor_destructor)(BOUND(processor_t) * processor) {
    effect_free(processor->effect);
    free(processor);
}

uint32_t BOUND(method_processor_latency)(BOUND(borrow_processor_t) self) {
    return effect_latency(self->effect);
}

void BOUND(method_processor_tail)(BOUND(borrow_processor_t) self, BOUND(tail_t) * answer) {
    uint64_t frames = effect_tail(self->effect);
    answer->tag = frames == EFFECT_UNBOUNDED ? EXPORTS_VOCALHOST_EFFECT_EFFECT_TAIL_UNBOUNDED
                                             : EXPORTS_VOCALHOST_EFFECT_EFFECT_TAIL_FRAMES;
    answer->val.frames = frames;
}

/* Works in the memory that the host handed over, and gives it back. */
void BOUND(method_processor_process)(BOUND(borrow_processor_t) self, plugin_list_f32_t *input,
                                     plugin_list_f32_t *answer) {
    size_t frames = input->len / self->inputs;
    if (self->outputs > self->inputs) {
        float *wider = realloc(input->ptr, frames * self->outputs * sizeof(float));
        if (!wider) {
            abort();
        }
        memset(wider + input->len, 0, frames * (self->outputs - self->inputs) * sizeof(float));
        input->ptr = wider;
    }
    effect_process(self->effect, input->ptr, (uint32_t)frames);
    *answer = (plugin_list_f32_t){input->ptr, frames * self->outputs};
}

void BOUND(method_processor_reset)(BOUND(borrow_processor_t) self) {
    effect_reset(self->effect);
}
