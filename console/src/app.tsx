import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { go, route } from "./lib/router";
import { can, session, signOut } from "./lib/session";
import { choose, language, t } from "./lib/strings";
import type { Config } from "./lib/types";
import { SCREENS, type Screen, type ScreenProps } from "./screens";
import SignIn from "./screens/sign-in";
import { Button } from "./ui/Button";
import { EmptyState } from "./ui/Card";
import { Icon, Logo } from "./ui/Icon";
import { Problem } from "./ui/Problem";
import { Toasts } from "./ui/toast";

const THEME = "vocalhost.theme";
type Theme = "dark" | "light";
const system = window.matchMedia("(prefers-color-scheme: light)");
const kept = localStorage.getItem(THEME);
const theme = signal<Theme>(kept === "dark" || kept === "light" ? kept : system.matches ? "light" : "dark");
system.addEventListener("change", () => {
  if (localStorage.getItem(THEME) === null) theme.value = system.matches ? "light" : "dark";
});
theme.subscribe((value) => {
  document.documentElement.dataset.theme = value;
});

export function ThemeSwitch() {
  const other: Theme = theme.value === "dark" ? "light" : "dark";
  return (
    <Button
      kind="quiet"
      size="s"
      icon={other === "light" ? "sun" : "moon"}
      aria-label={t(other === "light" ? "shell.light" : "shell.dark")}
      onClick={() => {
        localStorage.setItem(THEME, other);
        theme.value = other;
      }}
    />
  );
}

export function LanguageSwitch() {
  return (
    <div class="languages" role="group" aria-label={t("shell.language")}>
      {(["en", "de"] as const).map((name) => (
        <button key={name} type="button" lang={name} aria-pressed={language.value === name} onClick={() => void choose(name)}>
          {name === "en" ? "English" : "Deutsch"}
        </button>
      ))}
    </div>
  );
}

/** The whole page: the door, or the shell with a screen in it. */
export function App({ config }: { config: Config }) {
  if (session.value === null) {
    return (
      <>
        <SignIn config={config} />
        <Toasts />
      </>
    );
  }
  return <Shell config={config} />;
}

function Shell({ config }: { config: Config }) {
  const [open, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  const screens = SCREENS.filter((screen) => screen.surfaces.includes(config.surface) && can(screen.scope));
  const { screen: name, id, query } = route.value;
  const screen = screens.find((one) => one.name === name);
  const known = SCREENS.some((one) => one.name === name);

  useEffect(() => {
    if (name === "" && screens.length > 0) go(`/${screens[0].name}`, { replace: true });
  }, [name, screens.length]);

  // Before anything is painted: whoever types at once is not taken away from where they are.
  useLayoutEffect(() => {
    setOpen(false);
    document.title = screen === undefined ? "vocalhost" : `${t(screen.title)} · vocalhost`;
    // A new screen is where the keyboard and the screen reader go on; the first one leaves the focus at the top.
    if (!first.current) main.current?.focus({ preventScroll: true });
    first.current = false;
    window.scrollTo(0, 0);
  }, [screen?.name, language.value]);

  return (
    <div class="shell">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {t("shell.skip")}
      </a>
      <header class="top">
        <a class="brand" href={`#/${screens[0]?.name ?? ""}`}>
          <Logo /> vocalhost
        </a>
        <Button kind="quiet" icon="menu" aria-label={t("shell.menu")} aria-expanded={open} onClick={() => setOpen(true)} />
      </header>
      {open && <button type="button" class="side-veil" aria-label={t("shell.closeMenu")} onClick={() => setOpen(false)} />}
      <aside class="side" data-open={open} aria-label="vocalhost" onKeyDown={(event) => event.key === "Escape" && setOpen(false)}>
        <a class="brand" href={`#/${screens[0]?.name ?? ""}`}>
          <Logo /> vocalhost
        </a>
        <nav class="nav" aria-label={t("shell.navigation")}>
          {(["make", "keep", "run"] as const).map((group) => {
            const members = screens.filter((one) => one.group === group);
            return members.length === 0 ? null : (
              <div key={group}>
                <p class="nav-label" id={`nav-${group}`}>
                  {t(`shell.group.${group}`)}
                </p>
                <ul aria-labelledby={`nav-${group}`}>
                  {members.map((one) => (
                    <li key={one.name}>
                      <a href={`#/${one.name}`} aria-current={one.name === name ? "page" : undefined}>
                        <Icon name={one.icon} /> {t(one.title)}
                      </a>
                    </li>
                  ))}
                </ul>
              </div>
            );
          })}
        </nav>
        <footer class="side-foot">
          <div class="who">
            <strong title={session.value?.user}>{session.value?.user}</strong>
            <Button kind="quiet" size="s" icon="out" onClick={() => void signOut()}>
              {t("shell.signOut")}
            </Button>
          </div>
          <div class="side-tools">
            <LanguageSwitch />
            <ThemeSwitch />
          </div>
          <p class="muted small">vocalhost {config.version}</p>
        </footer>
      </aside>
      <main class="main" id="main" ref={main} tabIndex={-1}>
        {screen !== undefined ? (
          <Loaded key={screen.name} screen={screen} id={id} query={query} />
        ) : name === "" ? null : (
          <EmptyState
            icon="search"
            title={t(known ? "shell.elsewhereTitle" : "shell.missingTitle")}
            text={t(known ? "shell.elsewhereText" : "shell.missingText")}
            action={
              <a class="button primary size-m" href="#/">
                {t("shell.home")}
              </a>
            }
          />
        )}
      </main>
      <Toasts />
    </div>
  );
}

const loaded = new Map<string, ComponentType<ScreenProps>>();

function Loaded({ screen, id, query }: { screen: Screen } & ScreenProps) {
  const [Component, setComponent] = useState<ComponentType<ScreenProps> | undefined>(() => loaded.get(screen.name));
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    let gone = false;
    if (Component === undefined) {
      screen.load().then(
        (module) => {
          loaded.set(screen.name, module.default);
          if (!gone) setComponent(() => module.default);
        },
        (error) => !gone && setProblem(error),
      );
    }
    return () => {
      gone = true;
    };
  }, []);
  if (problem !== null) return <Problem problem={problem} />;
  if (Component === undefined) return <p class="muted">{t("ui.loading")}</p>;
  return <Component id={id} query={query} />;
}
