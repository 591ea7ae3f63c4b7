import { useEffect, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { all, config, send } from "../lib/api";
import { go } from "../lib/router";
import { can } from "../lib/session";
import { t } from "../lib/strings";
import type { VoiceModel } from "../lib/types";
import { Button } from "../ui/Button";
import { Card, EmptyState } from "../ui/Card";
import { CodeSame } from "../ui/CodeSame";
import { Dialog } from "../ui/Dialog";
import { Problem } from "../ui/Problem";
import { toast } from "../ui/toast";
import { loadVoices, VoiceCard, VoicePicker } from "../ui/VoiceCard";
import type { ScreenProps } from "./index";
import { Edit } from "./voices/edit";
import { Import } from "./voices/import";
import "./voices.css";

/** What a voice is good for, at a press. */
function uses(voice: VoiceModel): ComponentChildren {
  const button = (icon: "convert" | "blend", label: string, screen: string) => (
    <Button kind="quiet" size="s" icon={icon} disabled={!voice.isUsable} aria-label={label} onClick={() => go(`/${screen}?voice=${voice.id}`)} />
  );
  return (
    <>
      {button("convert", t("voices.use", { name: voice.title }), "convert")}
      {button("blend", t("voices.blend", { name: voice.title }), "blend")}
    </>
  );
}

export default function Voices(_: ScreenProps) {
  const [own, setOwn] = useState<VoiceModel[] | null>(null);
  const [editing, setEditing] = useState<VoiceModel | null>(null);
  const [leaving, setLeaving] = useState<VoiceModel | null>(null);
  const [operates, setOperates] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);

  const load = () => {
    all<VoiceModel>("/voice-models?myModels=true").then(setOwn, setProblem);
    void loadVoices().catch(() => undefined);
  };
  useEffect(load, []);
  useEffect(() => {
    if (can("admin")) void config().then(({ surface }) => setOperates(surface !== "clients"));
  }, []);

  const act = async (work: () => Promise<unknown>, said: string) => {
    setBusy(true);
    setProblem(null);
    try {
      await work();
      toast(said, "success");
      load();
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
    setLeaving(null);
  };

  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{t("voices.title")}</h1>
        <p>{t("voices.text")}</p>
      </header>
      {can("write") && <Import onImported={load} />}
      <Card title={t("voices.own")} text={t("voices.ownText")}>
        <Problem problem={problem} />
        {own === null && problem === null && <p class="muted">{t("ui.voice.loading")}</p>}
        {own?.length === 0 && <EmptyState icon="voices" title={t("voices.noneTitle")} text={t("voices.noneText")} />}
        <ul class="own-voices voices">
          {own?.map((voice) => (
            <li key={voice.id}>
              <VoiceCard voice={voice}>
                {can("write") && (
                  <>
                    {uses(voice)}
                    <Button kind="quiet" size="s" icon="edit" aria-label={t("voices.edit", { name: voice.title })} onClick={() => setEditing(voice)} />
                    {operates && (
                      <Button
                        kind="quiet"
                        size="s"
                        icon="users"
                        aria-label={t("voices.publish", { name: voice.title })}
                        onClick={() =>
                          void act(() => send("PATCH", `/admin/models/${voice.id}`, { public: true }), t("voices.published", { name: voice.title }))
                        }
                      />
                    )}
                    <Button kind="quiet" size="s" icon="trash" aria-label={t("voices.remove", { name: voice.title })} onClick={() => setLeaving(voice)} />
                  </>
                )}
              </VoiceCard>
            </li>
          ))}
        </ul>
      </Card>
      <Card title={t("voices.all")}>
        <VoicePicker value={null} label={t("voices.all")} actions={can("write") ? uses : undefined} />
        <CodeSame method="GET" path="/voice-models?perPage=100" />
      </Card>
      {editing !== null && (
        <Edit
          voice={editing}
          onClose={() => setEditing(null)}
          onSaved={(voice) => {
            setEditing(null);
            toast(t("voices.saved", { name: voice.title }), "success");
            load();
          }}
        />
      )}
      <Dialog
        open={leaving !== null}
        title={t("voices.removeTitle")}
        onClose={() => setLeaving(null)}
        actions={
          <>
            <Button onClick={() => setLeaving(null)}>{t("ui.cancel")}</Button>
            <Button
              kind="danger"
              icon="trash"
              busy={busy}
              onClick={() => leaving !== null && void act(() => send("DELETE", `/voice-models/${leaving.id}`), t("voices.removed", { name: leaving.title }))}
            >
              {t("voices.removeNow")}
            </Button>
          </>
        }
      >
        <p>{t("voices.removeText", { name: leaving?.title ?? "" })}</p>
      </Dialog>
    </div>
  );
}
