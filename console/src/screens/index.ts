// The screens, each fetched when it is first shown.
import type { ComponentType } from "preact";
import type { Key } from "../lib/strings";
import type { Config } from "../lib/types";
import type { IconName } from "../ui/Icon";

export interface ScreenProps {
  id?: string;
  query: URLSearchParams;
}

export interface Screen {
  /** Its name in the address. */
  name: string;
  title: Key;
  icon: IconName;
  group: "make" | "keep" | "run";
  /** The scope that it needs. */
  scope: "read" | "write" | "admin";
  /** On which listeners it can work. */
  surfaces: Config["surface"][];
  load: () => Promise<{ default: ComponentType<ScreenProps> }>;
}

const CLIENTS: Config["surface"][] = ["whole", "clients"];

export const SCREENS: Screen[] = [
  { name: "convert", title: "shell.nav.convert", icon: "convert", group: "make", scope: "write", surfaces: CLIENTS, load: () => import("./convert") },
  { name: "live", title: "shell.nav.live", icon: "live", group: "make", scope: "write", surfaces: CLIENTS, load: () => import("./live") },
  { name: "separate", title: "shell.nav.separate", icon: "separate", group: "make", scope: "write", surfaces: CLIENTS, load: () => import("./separate") },
  { name: "split", title: "shell.nav.split", icon: "split", group: "make", scope: "write", surfaces: CLIENTS, load: () => import("./split") },
  { name: "blend", title: "shell.nav.blend", icon: "blend", group: "make", scope: "write", surfaces: CLIENTS, load: () => import("./blend") },
  { name: "train", title: "shell.nav.train", icon: "train", group: "make", scope: "write", surfaces: CLIENTS, load: () => import("./train") },
  { name: "voices", title: "shell.nav.voices", icon: "voices", group: "keep", scope: "read", surfaces: CLIENTS, load: () => import("./voices") },
  { name: "jobs", title: "shell.nav.jobs", icon: "jobs", group: "keep", scope: "read", surfaces: CLIENTS, load: () => import("./jobs") },
  { name: "developers", title: "shell.nav.developers", icon: "developers", group: "run", scope: "read", surfaces: CLIENTS, load: () => import("./developers") },
  { name: "operators", title: "shell.nav.operators", icon: "operators", group: "run", scope: "admin", surfaces: ["whole", "operators"], load: () => import("./operators") },
];
