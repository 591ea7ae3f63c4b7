import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { go } from "../lib/router";
import { language, t } from "../lib/strings";
import { Problem } from "../ui/Problem";
import { Tabs } from "../ui/Tabs";
import { Deliveries } from "./developers/deliveries";
import { Keys } from "./developers/keys";
import { Usage } from "./developers/usage";
import { Webhooks } from "./developers/webhooks";
import type { ScreenProps } from "./index";
import "./developers.css";

const TABS = ["keys", "webhooks", "usage", "reference"] as const;

/** What programs need: keys, webhooks, limits, and the API's own description. */
export default function Developers({ id = "" }: ScreenProps) {
  const [name, ...rest] = id.split("/");
  const tab = TABS.find((one) => one === name) ?? "keys";
  const part = rest.join("/");
  const screen = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On narrow screens the tabs are a strip: the chosen one is moved into it.
    const chosen = screen.current?.querySelector<HTMLElement>(".tabs [aria-selected='true']");
    if (chosen?.parentElement) chosen.parentElement.scrollLeft = chosen.offsetLeft - chosen.parentElement.offsetLeft;
  }, [tab, language.value]);
  return (
    <div class="screen developers" ref={screen}>
      <header class="screen-head">
        <h1>{t("developers.title")}</h1>
        <p>{t("developers.text")}</p>
      </header>
      <Tabs
        label={t("developers.title")}
        value={tab}
        onChange={(chosen) => go(`/developers/${chosen}`)}
        tabs={TABS.map((one) => ({ id: one, label: t(`developers.tab.${one}`) }))}
      >
        {tab === "keys" && <Keys />}
        {tab === "webhooks" && (part === "" ? <Webhooks /> : <Deliveries key={part} id={part} />)}
        {tab === "usage" && <Usage />}
        {tab === "reference" && <LoadedReference part={part} />}
      </Tabs>
    </div>
  );
}

type Part = ComponentType<{ part: string }>;
let reference: Part | null = null;

/** The reference, whose code only those who read it fetch. */
function LoadedReference({ part }: { part: string }) {
  const [Component, setComponent] = useState<Part | null>(() => reference);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    if (reference !== null) return;
    import("./developers/reference").then((module) => {
      reference = module.Reference;
      setComponent(() => module.Reference);
    }, setProblem);
  }, []);
  if (problem !== null) return <Problem problem={problem} />;
  if (Component === null) return <p class="muted">{t("developers.reference.loading")}</p>;
  return <Component part={part} />;
}
