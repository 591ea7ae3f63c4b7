import { useEffect, useState } from "preact/hooks";
import { get } from "../../lib/api";
import { bytes } from "../../lib/format";
import { t } from "../../lib/strings";
import type { ConsentStatement } from "../../lib/types";
import { Button } from "../../ui/Button";
import { Toggle } from "../../ui/Field";
import { FileDrop } from "../../ui/FileDrop";
import { Problem } from "../../ui/Problem";
import { Recorder } from "../../ui/Recorder";

/** A consent that was said, and what says which sentence it was. */
export interface SpokenConsent {
  file: File;
  token: string;
}

/** The consent as a recording: somebody says a sentence with a number that the server has just given. */
export function Spoken({
  required,
  accept,
  value,
  onChange,
  errors,
}: {
  required: boolean;
  accept: string;
  value: SpokenConsent | null;
  onChange: (value: SpokenConsent | null) => void;
  errors: (string | undefined)[];
}) {
  const [wanted, setWanted] = useState(required);
  const [said, setSaid] = useState<ConsentStatement["spoken"] | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const ask = () => {
    setProblem(null);
    get<ConsentStatement>("/voice-trainings/consent").then((told) => setSaid(told.spoken), setProblem);
  };
  // Asked for when it is wanted: a sentence lasts ten minutes.
  useEffect(() => {
    if (wanted) ask();
    else onChange(null);
  }, [wanted]);
  const take = (file: File) => said !== null && onChange({ file, token: said.token });
  return (
    <div class="stack">
      <Toggle
        label={t("train.spoken")}
        help={t(required ? "train.spokenNeeded" : "train.spokenHelp")}
        value={wanted}
        disabled={required}
        onChange={setWanted}
      />
      {wanted && said !== null && (
        <>
          <blockquote class="train-statement" lang="en">
            {said.sentence}
          </blockquote>
          {value === null ? (
            <>
              <Recorder onTake={take} />
              <FileDrop accept={accept} compact onFiles={([file]) => file !== undefined && take(file)} label={t("train.spokenDrop")} hint={t("train.spokenHint")} />
            </>
          ) : (
            <div class="row">
              <strong class="grow">{value.file.name}</strong>
              <span class="muted">{bytes(value.file.size)}</span>
              <Button
                size="s"
                kind="quiet"
                icon="close"
                aria-label={t("train.remove", { name: value.file.name })}
                onClick={() => {
                  onChange(null);
                  ask();
                }}
              />
            </div>
          )}
          {errors.map((error) => error !== undefined && <p class="field-error">{error}</p>)}
        </>
      )}
      <Problem problem={problem} />
    </div>
  );
}
