/* The defaults of the description as settings: used by the bridge and by native tests. */
#include "effect.h"

void effect_defaults(struct effect_setting *settings) {
    for (size_t i = 0; i < effect_description.parameter_count; i++) {
        const struct effect_parameter *parameter = &effect_description.parameters[i];
        settings[i] = (struct effect_setting){
            .id = parameter->id,
            .number = parameter->fallback,
            .on = parameter->on,
            .option = parameter->option_count ? parameter->options[parameter->chosen].id : NULL,
        };
    }
}
