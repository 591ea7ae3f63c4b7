import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { address, get } from "../../lib/api";
import { go } from "../../lib/router";
import { t } from "../../lib/strings";
import { Button } from "../../ui/Button";
import { Icon } from "../../ui/Icon";
import { Problem } from "../../ui/Problem";
import { grouped, matches, operations, type OpenApi, type Operation } from "./reference/document";
import { Prose } from "./reference/fields";
import { OperationBody } from "./reference/operation";
import { useRead } from "../../lib/read";

let kept: OpenApi | null = null;

/** The description, read once: it changes with the program alone. */
async function description(signal: AbortSignal): Promise<OpenApi> {
  kept ??= await get<OpenApi>("/openapi.json", { signal });
  return kept;
}

/** The reference of the API, made of what the server says of itself. `part` names the operation that is open. */
export function Reference({ part }: { part: string }) {
  const { value: document, problem, again } = useRead(description);
  const [search, setSearch] = useState("");
  const [tag, setTag] = useState<string | null>(null);
  const list = useMemo(() => (document === null ? [] : operations(document)), [document]);

  if (document === null) {
    if (problem === null) return <p class="muted">{t("developers.reference.loading")}</p>;
    return (
      <div class="stack">
        <Problem problem={problem} />
        <div>
          <Button icon="refresh" onClick={again}>
            {t("ui.again")}
          </Button>
        </div>
      </div>
    );
  }
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = list.filter((one) => (tag === null || one.tag === tag) && matches(one, words));
  return (
    <div class="dev-stack">
      <div class="ref-tools">
        <label class="searchbox">
          <Icon name="search" size={17} />
          <input
            type="search"
            value={search}
            placeholder={t("developers.reference.search")}
            aria-label={t("developers.reference.search")}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
        </label>
        <div class="chips" role="group" aria-label={t("developers.reference.tags")}>
          {grouped(list).map(([name, members]) => (
            <button key={name} type="button" class="chip" aria-pressed={tag === name} onClick={() => setTag(tag === name ? null : name)}>
              {name} <span class="number">{members.length}</span>
            </button>
          ))}
        </div>
        <div class="row spread">
          <p class="muted small" role="status">
            {t("developers.reference.count", { n: found.length })}
          </p>
          <p class="row small">
            <a href={address("/openapi.json")} download="openapi.json">
              {t("developers.reference.download", { version: document.info.version })}
            </a>
            <a href={address("/docs/api.md")} target="_blank" rel="noopener">
              {t("developers.reference.guide")}
            </a>
          </p>
        </div>
      </div>
      {found.length === 0 && <p class="muted">{t("developers.reference.noMatch")}</p>}
      {grouped(found).map(([name, members]) => (
        <section key={name} class="ref-group" aria-label={name}>
          <h2 lang="en">{name}</h2>
          <ul class="ref-list">
            {members.map((one) => (
              <Entry key={one.id} document={document} operation={one} wanted={one.id === part} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Entry({ document, operation, wanted }: { document: OpenApi; operation: Operation; wanted: boolean }) {
  const [open, setOpen] = useState(wanted);
  const byHand = useRef(false);
  const { id, method, path, summary } = operation;
  useEffect(() => {
    const seen = byHand.current;
    byHand.current = false;
    if (!wanted) return;
    setOpen(true);
    // What was opened here stands where it is looked at already.
    if (seen) return;
    // After the shell, which shows a new screen from its top.
    const frame = requestAnimationFrame(() => window.document.getElementById(`op-${id}`)?.scrollIntoView({ block: "start" }));
    return () => cancelAnimationFrame(frame);
  }, [wanted]);
  const toggle = () => {
    byHand.current = true;
    setOpen(!open);
    // The address names what was opened last, so that it can be passed on.
    go(open ? "/developers/reference" : `/developers/reference/${encodeURIComponent(id)}`, { replace: true });
  };
  return (
    <li class="ref-entry" id={`op-${id}`}>
      <h3>
        <button type="button" aria-expanded={open} onClick={toggle}>
          <code class={`ref-method ${method.toLowerCase()}`}>{method}</code>
          <code class="ref-path">{path}</code>
          <span class="ref-summary">
            <Prose text={summary} />
          </span>
          <Icon name={open ? "up" : "down"} size={16} />
        </button>
      </h3>
      {open && <OperationBody document={document} operation={operation} />}
    </li>
  );
}
