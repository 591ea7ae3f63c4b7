import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { all, Problem as Refusal, send } from "../lib/api";
import { effectOf, effects, entryOf, fromServer, loadEffects, toSend } from "../lib/chain";
import { can } from "../lib/session";
import { t } from "../lib/strings";
import type { ChainEntry, Effect, EffectParameter, ParameterValue, Pipeline } from "../lib/types";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { Select, TextInput, Toggle } from "./Field";
import { Icon } from "./Icon";
import { Problem } from "./Problem";
import { Slider } from "./Slider";
import { toast } from "./toast";

interface Props {
  value: ChainEntry[];
  onChange: (chain: ChainEntry[]) => void;
  /** What the chain is called for those who cannot see where it stands. */
  label?: string;
  /** What is said where the chain is empty. */
  empty?: string;
}

/** A chain of effects: put in order by dragging or with buttons, each with its panel; saved and opened under names. */
export function ChainEditor({ value, onChange, label, empty }: Props) {
  const [open, setOpen] = useState<number | null>(null);
  const [adding, setAdding] = useState(false);
  const [saved, setSaved] = useState<"open" | "save" | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const [said, setSaid] = useState("");
  const list = useRef<HTMLOListElement>(null);
  const keys = useKeys(value);

  useEffect(() => {
    loadEffects().catch(setProblem);
  }, []);
  const installed = effects.value;
  if (problem !== null) return <Problem problem={problem} />;
  if (installed === null) return <p class="muted">{t("ui.chain.loading")}</p>;

  const change = (at: number, entry: ChainEntry) => onChange(value.map((one, i) => (i === at ? entry : one)));
  const move = (from: number, to: number) => {
    if (to < 0 || to >= value.length || from === to) return;
    const chain = [...value];
    const [entry] = chain.splice(from, 1);
    chain.splice(to, 0, entry);
    keys.move(from, to);
    onChange(chain);
    setOpen(open === null ? null : open === from ? to : from < open && to >= open ? open - 1 : from > open && to <= open ? open + 1 : open);
    setSaid(t("ui.chain.moved", { name: title(entry, installed), place: to + 1, of: value.length }));
  };
  const remove = (at: number) => {
    keys.remove(at);
    onChange(value.filter((_, i) => i !== at));
    setOpen(open === null || open === at ? null : open > at ? open - 1 : open);
    setSaid(t("ui.chain.removed", { name: title(value[at], installed) }));
  };

  return (
    <div class="chain" role="group" aria-label={label}>
      {value.length === 0 && <p class="muted small">{empty ?? t("ui.chain.empty")}</p>}
      <ol class="chain-list" ref={list}>
        {value.map((entry, at) => {
          const effect = effectOf(entry, installed);
          const name = title(entry, installed);
          return (
            <li
              key={keys.at(at)}
              class={`link${entry.bypass === true ? " bypassed" : ""}${over === at && dragged !== null && dragged !== at ? (dragged < at ? " drop-after" : " drop-before") : ""}${dragged === at ? " dragged" : ""}`}
              onDragOver={(event) => {
                if (dragged === null) return;
                event.preventDefault();
                setOver(at);
              }}
              onDrop={(event) => {
                if (dragged === null) return;
                event.preventDefault();
                event.stopPropagation();
                move(dragged, at);
                setDragged(null);
                setOver(null);
              }}
            >
              <div class="link-head">
                <span
                  class="link-grip"
                  draggable
                  title={t("ui.chain.drag")}
                  onDragStart={(event) => {
                    event.dataTransfer?.setData("text/plain", name);
                    if (event.dataTransfer !== null) event.dataTransfer.effectAllowed = "move";
                    setDragged(at);
                  }}
                  onDragEnd={() => {
                    setDragged(null);
                    setOver(null);
                  }}
                >
                  <Icon name="drag" size={18} />
                </span>
                <button type="button" class="link-name" aria-expanded={open === at} onClick={() => setOpen(open === at ? null : at)}>
                  <span class="number muted">{at + 1}</span> {name}
                  <Icon name={open === at ? "up" : "down"} size={16} />
                </button>
                <span class="link-tools">
                  <Button
                    kind="quiet"
                    size="s"
                    icon="power"
                    aria-pressed={entry.bypass !== true}
                    aria-label={t("ui.chain.on", { name })}
                    onClick={() => change(at, { ...entry, bypass: entry.bypass !== true })}
                  />
                  <Button kind="quiet" size="s" icon="up" disabled={at === 0} aria-label={t("ui.chain.up", { name })} onClick={() => move(at, at - 1)} />
                  <Button kind="quiet" size="s" icon="down" disabled={at === value.length - 1} aria-label={t("ui.chain.down", { name })} onClick={() => move(at, at + 1)} />
                  <Button kind="quiet" size="s" icon="trash" aria-label={t("ui.chain.remove", { name })} onClick={() => remove(at)} />
                </span>
              </div>
              {open === at && (
                <div class="link-body">
                  {effect === undefined ? (
                    <p class="field-error">{t("ui.chain.unknown", { name: entry.effect })}</p>
                  ) : (
                    <EffectPanel effect={effect} entry={entry} onChange={(next) => change(at, next)} />
                  )}
                </div>
              )}
            </li>
          );
        })}
      </ol>
      <div class="row">
        <Button size="s" icon="plus" onClick={() => setAdding(true)}>
          {t("ui.chain.add")}
        </Button>
        <Button size="s" kind="quiet" onClick={() => setSaved("open")}>
          {t("ui.chain.openSaved")}
        </Button>
        {value.length > 0 && (
          <Button size="s" kind="quiet" onClick={() => setSaved("save")}>
            {t("ui.chain.save")}
          </Button>
        )}
      </div>
      <p class="sr-only" aria-live="polite">
        {said}
      </p>
      {adding && (
        <AddEffect
          installed={installed}
          onClose={() => setAdding(false)}
          onAdd={(effect) => {
            onChange([...value, entryOf(effect)]);
            setOpen(value.length);
            setAdding(false);
          }}
        />
      )}
      {saved === "open" && (
        <OpenChain
          onClose={() => setSaved(null)}
          onOpen={(chain) => {
            keys.reset();
            onChange(chain);
            setOpen(null);
            setSaved(null);
          }}
        />
      )}
      {saved === "save" && <SaveChain chain={value} onClose={() => setSaved(null)} />}
    </div>
  );
}

function title(entry: ChainEntry, installed: readonly Effect[]): string {
  return effectOf(entry, installed)?.name ?? entry.effect;
}

/** Keys for entries that have none of their own, so that a panel goes along with its effect. */
function useKeys(value: ChainEntry[]) {
  const keys = useRef<number[]>([]);
  const next = useRef(1);
  while (keys.current.length < value.length) {
    keys.current.push(next.current);
    next.current += 1;
  }
  keys.current.length = value.length;
  return {
    at: (i: number) => keys.current[i],
    move: (from: number, to: number) => keys.current.splice(to, 0, ...keys.current.splice(from, 1)),
    remove: (i: number) => keys.current.splice(i, 1),
    reset: () => (keys.current = []),
  };
}

interface PanelProps {
  effect: Effect;
  entry: ChainEntry;
  onChange: (entry: ChainEntry) => void;
}

/** The panel of an effect, made of its descriptor. */
export function EffectPanel({ effect, entry, onChange }: PanelProps) {
  const plain = effect.parameters.filter((one) => !one.advanced);
  const advanced = effect.parameters.filter((one) => one.advanced);
  const set = (id: string, value: ParameterValue) => onChange({ ...entry, params: { ...entry.params, [id]: value } });
  const defaults = entryOf(effect).params;
  const same = (settings: Record<string, ParameterValue>) =>
    effect.parameters.every((one) => (entry.params[one.id] ?? one.default) === (settings[one.id] ?? one.default));
  const preset = effect.presets.find((one) => same(one.settings));
  return (
    <div class="stack">
      <p class="muted small">{effect.summary}</p>
      <div class="chips" role="group" aria-label={t("ui.chain.presets")}>
        <button type="button" class="chip" aria-pressed={same({})} onClick={() => onChange({ ...entry, params: defaults })}>
          {t("ui.chain.default")}
        </button>
        {effect.presets.map((one) => (
          <button key={one.id} type="button" class="chip" aria-pressed={one === preset} onClick={() => onChange({ ...entry, params: { ...defaults, ...one.settings } })}>
            {one.name}
          </button>
        ))}
      </div>
      <Groups parameters={plain} entry={entry} set={set} />
      {advanced.length > 0 && (
        <details class="more">
          <summary>{t("ui.advanced")}</summary>
          <Groups parameters={advanced} entry={entry} set={set} />
        </details>
      )}
    </div>
  );
}

function Groups({ parameters, entry, set }: { parameters: EffectParameter[]; entry: ChainEntry; set: (id: string, value: ParameterValue) => void }) {
  const groups = useMemo(() => {
    const found = new Map<string, EffectParameter[]>();
    for (const one of parameters) found.set(one.group, [...(found.get(one.group) ?? []), one]);
    return [...found];
  }, [parameters.length, parameters[0]]);
  return (
    <>
      {groups.map(([group, members]) => (
        <div key={group} class="knob-group" role={group === "" ? undefined : "group"} aria-label={group === "" ? undefined : group}>
          {group !== "" && <h4>{group}</h4>}
          <div class="knobs">
            {members.map((one) => (
              <Parameter key={one.id} parameter={one} value={entry.params[one.id] ?? one.default} onChange={(value) => set(one.id, value)} />
            ))}
          </div>
        </div>
      ))}
    </>
  );
}

function Parameter({ parameter, value, onChange }: { parameter: EffectParameter; value: ParameterValue; onChange: (value: ParameterValue) => void }) {
  const { name, summary, type } = parameter;
  if (type === "toggle") return <Toggle label={name} help={summary} value={value === true} onChange={onChange} />;
  if (type === "choice") {
    return <Select label={name} help={summary} value={String(value)} onChange={onChange} options={(parameter.options ?? []).map((one) => ({ value: one.id, label: one.name }))} />;
  }
  return (
    <Slider
      label={name}
      help={summary}
      value={Number(value)}
      min={parameter.min ?? 0}
      max={parameter.max ?? 1}
      step={parameter.step}
      unit={parameter.unit}
      logarithmic={parameter.scale === "logarithmic"}
      initial={Number(parameter.default)}
      onInput={onChange}
    />
  );
}

function AddEffect({ installed, onClose, onAdd }: { installed: Effect[]; onClose: () => void; onAdd: (effect: Effect) => void }) {
  const [search, setSearch] = useState("");
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = installed.filter((effect) => words.every((word) => `${effect.name} ${effect.summary} ${effect.tags.join(" ")}`.toLowerCase().includes(word)));
  return (
    <Dialog open title={t("ui.chain.add")} onClose={onClose}>
      <label class="searchbox">
        <Icon name="search" size={17} />
        <input type="search" autofocus value={search} placeholder={t("ui.chain.search")} aria-label={t("ui.chain.search")} onInput={(event) => setSearch(event.currentTarget.value)} />
      </label>
      <ul class="effects">
        {shown.map((effect) => (
          <li key={effect.id}>
            <button type="button" class="effect" onClick={() => onAdd(effect)}>
              <strong>{effect.name}</strong>
              <span class="muted small">{effect.summary}</span>
            </button>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p class="muted">{t("ui.chain.noMatch")}</p>}
    </Dialog>
  );
}

function OpenChain({ onClose, onOpen }: { onClose: () => void; onOpen: (chain: ChainEntry[]) => void }) {
  const [list, setList] = useState<Pipeline[] | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    all<Pipeline>("/pipelines").then(setList, setProblem);
  }, []);
  const remove = async (one: Pipeline) => {
    try {
      await send("DELETE", `/pipelines/${encodeURIComponent(one.name)}`);
      setList((list ?? []).filter((other) => other !== one));
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <Dialog open title={t("ui.chain.openSaved")} onClose={onClose}>
      <Problem problem={problem} />
      {list === null && problem === null && <p class="muted">{t("ui.loading")}</p>}
      {list !== null && list.length === 0 && <p class="muted">{t("ui.chain.noneSaved")}</p>}
      <ul class="effects one">
        {(list ?? []).map((one) => (
          <li key={`${one.name}${one.isMine}`} class="row">
            <button type="button" class="effect grow" onClick={() => onOpen(fromServer(one.chain))}>
              <strong>{one.name}</strong>
              <span class="muted small">
                {one.chain.map((link) => title(typeof link === "string" ? { effect: link, params: {} } : { effect: link.effect, params: {} }, effects.value ?? [])).join(" → ")}
                {one.shared ? ` · ${t("ui.chain.shared")}` : ""}
              </span>
            </button>
            {one.isMine && <Button kind="quiet" icon="trash" aria-label={t("ui.chain.deleteSaved", { name: one.name })} onClick={() => void remove(one)} />}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function SaveChain({ chain, onClose }: { chain: ChainEntry[]; onClose: () => void }) {
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const [shared, setShared] = useState(false);
  const wrong = problem instanceof Refusal ? problem.field("name") : undefined;
  const save = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      const body = { name: name.trim(), chain: toSend(chain), shared };
      const mine = (await all<Pipeline>("/pipelines")).some((one) => one.isMine && one.name === body.name);
      if (mine) await send("PUT", `/pipelines/${encodeURIComponent(body.name)}`, body);
      else await send("POST", "/pipelines", body);
      toast(t("ui.chain.saved", { name: name.trim() }), "success");
      onClose();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return (
    <Dialog open title={t("ui.chain.save")} onClose={onClose}>
      <form class="stack" onSubmit={(event) => void save(event)}>
        <TextInput label={t("ui.chain.name")} help={t("ui.chain.nameHelp")} error={wrong} value={name} onInput={setName} required autofocus />
        {can("admin") && <Toggle label={t("ui.chain.share")} value={shared} onChange={setShared} />}
        {wrong === undefined && <Problem problem={problem} />}
        <div class="row">
          <Button kind="primary" type="submit" busy={busy} disabled={name.trim() === ""}>
            {t("ui.save")}
          </Button>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
        </div>
      </form>
    </Dialog>
  );
}
