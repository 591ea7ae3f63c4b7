// What is taken out of the voice before it is converted.
import { t } from "../../lib/strings";
import { Icon } from "../../ui/Icon";
import { set, settings } from "./state";

/** In the order in which they are taken. */
const STEPS = ["lead", "dereverb", "deecho", "denoise"] as const;

export function CleanSteps({ error }: { error?: string }) {
  const chosen = settings.value.clean.split(",");
  const toggle = (step: (typeof STEPS)[number]) => {
    const isWanted = (other: string) => chosen.includes(other) !== (other === step);
    set({ clean: STEPS.filter(isWanted).join(",") });
  };
  return (
    <div class="field">
      <div class="field-head">
        <span>{t("convert.knob.clean")}</span>
      </div>
      <div class="chips" role="group" aria-label={t("convert.knob.clean")}>
        {STEPS.map((step) => (
          <button key={step} type="button" class="chip" aria-pressed={chosen.includes(step)} onClick={() => toggle(step)}>
            {t(`convert.knob.cleanSteps.${step}`)}
          </button>
        ))}
      </div>
      <p class="field-help">{t("convert.knob.cleanHelp")}</p>
      {error !== undefined && (
        <p class="field-error" role="alert">
          <Icon name="warning" size={15} /> {error}
        </p>
      )}
    </div>
  );
}
