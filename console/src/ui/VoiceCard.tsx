import { signal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { all, get, here } from "../lib/api";
import { t } from "../lib/strings";
import { accept } from "../lib/terms";
import type { VoiceModel, VoiceModelWithTerms } from "../lib/types";
import { Button } from "./Button";
import { EmptyState } from "./Card";
import { Dialog } from "./Dialog";
import { Icon } from "./Icon";
import { Problem } from "./Problem";
import { toast } from "./toast";

/** The demo that is heard now: one at a time in the whole page. */
const playing = signal<number | null>(null);
let player: HTMLAudioElement | undefined;

function demo(voice: VoiceModel): void {
  player?.pause();
  if (playing.value === voice.id || voice.demoUrl === null) {
    playing.value = null;
    return;
  }
  player = new Audio(here(voice.demoUrl));
  playing.value = voice.id;
  const stop = () => {
    if (playing.value === voice.id) playing.value = null;
  };
  player.addEventListener("ended", stop);
  player.play().catch(() => {
    stop();
    toast(t("ui.voice.noDemo"), "error");
  });
}

/** Stops the demo that is heard, when another sound begins. */
export function stopDemo(): void {
  player?.pause();
  playing.value = null;
}

interface CardProps {
  voice: VoiceModel;
  selected?: boolean;
  /** Given, the card is a choice in a group of radio buttons of this name. */
  group?: string;
  onChoose?: () => void;
  /** What else stands in the card. */
  children?: ComponentChildren;
}

/** A voice with its picture, tags, demo and terms. */
export function VoiceCard({ voice, selected = false, group, onChoose, children }: CardProps) {
  const [terms, setTerms] = useState(false);
  const body = (
    <>
      <span class="voice-picture">
        {voice.imageUrl === null ? <span class="voice-initial">{voice.title.slice(0, 1)}</span> : <img src={here(voice.imageUrl)} alt="" loading="lazy" width={56} height={56} />}
      </span>
      <span class="voice-text">
        <strong>{voice.title}</strong>
        <span class="voice-tags">{voice.isUsable ? voice.tags.join(" · ") : (voice.unusableReason ?? t("ui.voice.unusable"))}</span>
      </span>
    </>
  );
  return (
    <div class={`voice${selected ? " selected" : ""}${voice.isUsable ? "" : " unusable"}`}>
      {group === undefined ? (
        <div class="voice-main">{body}</div>
      ) : (
        <label class="voice-main">
          <input class="sr-only" type="radio" name={group} checked={selected} disabled={!voice.isUsable} onChange={onChoose} />
          {body}
        </label>
      )}
      <div class="voice-actions">
        {voice.demoUrl !== null && (
          <Button
            kind="quiet"
            size="s"
            icon={playing.value === voice.id ? "stop" : "play"}
            aria-label={t(playing.value === voice.id ? "ui.voice.stop" : "ui.voice.play", { name: voice.title })}
            onClick={() => demo(voice)}
          />
        )}
        <Button kind="quiet" size="s" icon="info" aria-label={t("ui.voice.terms", { name: voice.title })} onClick={() => setTerms(true)} />
        {children}
      </div>
      {terms && <TermsDialog voice={voice} onClose={() => setTerms(false)} />}
    </div>
  );
}

/** What a voice may be used for. */
export function TermsDialog({ voice, onClose, actions }: { voice: VoiceModel; onClose: () => void; actions?: ComponentChildren }) {
  const [full, setFull] = useState<VoiceModelWithTerms | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    const stop = new AbortController();
    get<VoiceModelWithTerms>(`/voice-models/${voice.id}`, { signal: stop.signal }).then(setFull, (error) => !stop.signal.aborted && setProblem(error));
    return () => stop.abort();
  }, [voice.id]);
  const terms = full?.terms ?? null;
  return (
    <Dialog open title={t("ui.voice.termsOf", { name: voice.title })} onClose={onClose} actions={actions}>
      <Problem problem={problem} />
      {full === null && problem === null && <p class="muted">{t("ui.loading")}</p>}
      {full !== null && terms === null && <p>{t("ui.voice.noTerms")}</p>}
      {terms !== null && (
        <dl class="facts">
          <dt>{t("ui.voice.licence")}</dt>
          <dd>{terms.license}</dd>
          <dt>{t("ui.voice.attribution")}</dt>
          <dd>{terms.attribution}</dd>
          <dt>{t("ui.voice.trainedOn")}</dt>
          <dd>{terms.trainedOn}</dd>
          <dt>{t("ui.voice.consent")}</dt>
          <dd>{terms.consent}</dd>
          {terms.sources.map((source) => [
            <dt key={`${source.packageId}-name`}>{t("ui.voice.source", { name: source.name, share: Math.round(source.share * 100) })}</dt>,
            <dd key={source.packageId}>
              {source.license}. {source.attribution}
            </dd>,
          ])}
        </dl>
      )}
    </Dialog>
  );
}

/** The voices that the user may use; null until they were read. */
export const voices = signal<VoiceModel[] | null>(null);

/** Reads the voices; screens call it again when they have changed something. */
export async function loadVoices(): Promise<VoiceModel[]> {
  const list = await all<VoiceModel>("/voice-models");
  voices.value = list;
  return list;
}

interface PickerProps {
  /** Number of the chosen voice. */
  value: number | null;
  /** Without it there is nothing to choose: the voices are only shown. */
  onChange?: (voice: VoiceModel) => void;
  /** What else stands in each card. */
  actions?: (voice: VoiceModel) => ComponentChildren;
  filter?: (voice: VoiceModel) => boolean;
  label?: string;
}

let groups = 0;

/** Voices to choose one of, with a search and tags. */
export function VoicePicker({ value, onChange, actions, filter, label }: PickerProps) {
  const [search, setSearch] = useState("");
  const [tag, setTag] = useState<string | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const group = useMemo(() => `voices-${(groups += 1)}`, []);
  const load = () => {
    setProblem(null);
    loadVoices().catch(setProblem);
  };
  useEffect(load, []);

  const list = (voices.value ?? []).filter((voice) => filter?.(voice) ?? true);
  const tags = useMemo(() => {
    const counted = new Map<string, number>();
    for (const voice of list) for (const one of voice.tags) counted.set(one, (counted.get(one) ?? 0) + 1);
    return [...counted].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).slice(0, 14).map(([name]) => name);
  }, [voices.value, filter]);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = list.filter(
    (voice) => (tag === null || voice.tags.includes(tag)) && words.every((word) => `${voice.title} ${voice.tags.join(" ")}`.toLowerCase().includes(word)),
  );

  if (problem !== null) {
    return (
      <div class="stack">
        <Problem problem={problem} />
        <div>
          <Button icon="refresh" onClick={load}>
            {t("ui.again")}
          </Button>
        </div>
      </div>
    );
  }
  if (voices.value === null) return <p class="muted">{t("ui.voice.loading")}</p>;
  if (list.length === 0) {
    return (
      <EmptyState
        icon="voices"
        title={t("ui.voice.noneTitle")}
        text={t("ui.voice.noneText")}
        action={
          <a class="button primary size-m" href="#/voices">
            {t("ui.voice.import")}
          </a>
        }
      />
    );
  }
  return (
    <fieldset class="picker">
      <legend class="sr-only">{label ?? t("ui.voice.choose")}</legend>
      <div class="picker-tools">
        <label class="searchbox">
          <Icon name="search" size={17} />
          <input type="search" value={search} placeholder={t("ui.voice.search")} aria-label={t("ui.voice.search")} onInput={(event) => setSearch(event.currentTarget.value)} />
        </label>
        <div class="chips" role="group" aria-label={t("ui.voice.tags")}>
          {tags.map((one) => (
            <button key={one} type="button" class="chip" aria-pressed={tag === one} onClick={() => setTag(tag === one ? null : one)}>
              {one}
            </button>
          ))}
        </div>
      </div>
      <div class="voices">
        {shown.map((voice) => (
          <VoiceCard
            key={voice.id}
            voice={voice}
            group={onChange === undefined ? undefined : group}
            selected={voice.id === value}
            onChoose={() => onChange?.(voice)}
          >
            {actions?.(voice)}
          </VoiceCard>
        ))}
      </div>
      {shown.length === 0 && <p class="muted">{t("ui.voice.noMatch")}</p>}
    </fieldset>
  );
}

/** The same, before the voice is used: `onAccept` comes once they are accepted in this browser. */
export function TermsToAccept({ voice, onClose, onAccept }: { voice: VoiceModel; onClose: () => void; onAccept: () => void }) {
  const agree = () => {
    accept(voice.id);
    onAccept();
  };
  const actions = (
    <>
      <Button onClick={onClose}>{t("ui.cancel")}</Button>
      <Button kind="primary" onClick={agree}>
        {t("convert.voice.accept")}
      </Button>
    </>
  );
  return <TermsDialog voice={voice} onClose={onClose} actions={actions} />;
}
