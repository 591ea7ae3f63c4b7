import { useState } from "preact/hooks";
import { asProblem, send, type Problem as Refusal } from "../../lib/api";
import { t } from "../../lib/strings";
import type { VoiceModel } from "../../lib/types";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { TextInput } from "../../ui/Field";
import { FileDrop } from "../../ui/FileDrop";
import { Problem } from "../../ui/Problem";

interface Props {
  voice: VoiceModel;
  onClose: () => void;
  onSaved: (voice: VoiceModel) => void;
}

/** Title, tags, picture and demo of a voice of one's own. */
export function Edit({ voice, onClose, onSaved }: Props) {
  const [title, setTitle] = useState(voice.title);
  const [tags, setTags] = useState(voice.tags.join(", "));
  const [beside, setBeside] = useState<{ imageFile?: File; demoFile?: File }>({});
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Refusal | null>(null);
  const save = async () => {
    setBusy(true);
    setProblem(null);
    const form = new FormData();
    form.append("title", title);
    form.append("tags", tags);
    for (const [name, file] of Object.entries(beside)) form.append(name, file);
    try {
      onSaved(await send<VoiceModel>("PATCH", `/voice-models/${voice.id}`, form));
    } catch (error) {
      setProblem(asProblem(error));
    }
    setBusy(false);
  };
  return (
    <Dialog
      open
      title={t("voices.editTitle")}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" busy={busy} onClick={() => void save()}>
            {t("ui.save")}
          </Button>
        </>
      }
    >
      <div class="stack">
        <TextInput label={t("voices.titleField")} value={title} maxLength={200} error={problem?.field("title")} onInput={setTitle} />
        <TextInput label={t("voices.tags")} help={t("voices.tagsHelp")} value={tags} error={problem?.field("tags")} onInput={setTags} />
        <FileDrop compact accept=".png,.jpg,.jpeg,.webp" label={t("voices.picture")} hint={beside.imageFile?.name ?? t("voices.keep")} onFiles={([imageFile]) => setBeside({ ...beside, imageFile })} />
        <FileDrop compact accept=".wav,.mp3,.flac" label={t("voices.demo")} hint={beside.demoFile?.name ?? t("voices.keep")} onFiles={([demoFile]) => setBeside({ ...beside, demoFile })} />
        <Problem problem={problem} />
      </div>
    </Dialog>
  );
}
