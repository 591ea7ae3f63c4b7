import { useEffect, useRef } from "preact/hooks";
import type { ComponentType } from "preact";
import { go } from "../lib/router";
import { t } from "../lib/strings";
import { Tabs } from "../ui/Tabs";
import type { ScreenProps } from "./index";
import { Audit } from "./operators/audit";
import { Effects } from "./operators/effects";
import { Jobs } from "./operators/jobs";
import { Keys } from "./operators/keys";
import type { TabProps } from "./operators/list";
import { watch } from "./operators/metrics";
import { Models } from "./operators/models";
import { Nodes } from "./operators/nodes";
import { Overview } from "./operators/overview";
import { Users } from "./operators/users";
import "./operators.css";

const TABS = {
  overview: Overview,
  users: Users,
  keys: Keys,
  models: Models,
  effects: Effects,
  jobs: Jobs,
  nodes: Nodes,
  audit: Audit,
} as const satisfies Record<string, ComponentType<TabProps>>;
type Name = keyof typeof TABS;
const NAMES = Object.keys(TABS) as Name[];

/** How the server does, who uses it, and what is installed. */
export default function Operators({ id = "", query }: ScreenProps) {
  // The figures go on while another tab is looked at, so that their charts have no holes.
  useEffect(watch, []);
  const [first, ...rest] = id.split("/");
  const tab = NAMES.find((name) => name === first) ?? "overview";
  const screen = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On a telephone the tabs are wider than the screen.
    screen.current?.querySelector('[role="tab"][aria-selected="true"]')?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [tab]);
  const Tab: ComponentType<TabProps> = TABS[tab];
  return (
    <div class="screen operators" ref={screen}>
      <header class="screen-head">
        <h1>{t("operators.title")}</h1>
        <p>{t("operators.text")}</p>
      </header>
      <Tabs<Name>
        label={t("operators.title")}
        value={tab}
        onChange={(name) => go(name === "overview" ? "/operators" : `/operators/${name}`)}
        tabs={NAMES.map((name) => ({ id: name, label: t(`operators.tab.${name}`) }))}
      >
        <Tab key={tab} id={rest.join("/")} query={query} />
      </Tabs>
    </div>
  );
}
