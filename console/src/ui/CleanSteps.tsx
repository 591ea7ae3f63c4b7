// What is taken out of a voice before something is done with it.
import { t } from "../lib/strings";
import { Icon } from "./Icon";

/** In the order in which they are taken. */
const STEPS = ["lead", "dereverb", "deecho", "denoise"] as const;

interface Props {
  /** The steps with commas between. */
  value: string;
  onChange: (value: string) => void;
  help: string;
  error?: string;
}

export function CleanSteps({ value, onChange, help, error }: Props) {
  const chosen = value.split(",");
  const toggle = (step: (typeof STEPS)[number]) => {
    const isWanted = (other: string) => chosen.includes(other) !== (other === step);
    onChange(STEPS.filter(isWanted).join(","));
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
      <p class="field-help">{help}</p>
      {error !== undefined && (
        <p class="field-error" role="alert">
          <Icon name="warning" size={15} /> {error}
        </p>
      )}
    </div>
  );
}
