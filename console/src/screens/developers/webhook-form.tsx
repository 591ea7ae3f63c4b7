import { useState } from "preact/hooks";
import { asProblem, send } from "../../lib/api";
import { t } from "../../lib/strings";
import type { Webhook } from "../../lib/types";
import { Button } from "../../ui/Button";
import { CodeSame } from "../../ui/CodeSame";
import { Dialog } from "../../ui/Dialog";
import { TextInput, Toggle } from "../../ui/Field";
import { Problem } from "../../ui/Problem";
import { useAct } from "../../lib/read";

const EVENTS: Webhook["events"] = ["job.success", "job.error", "job.cancelled"];
const MAX_DESCRIPTION_CHARS = 200;

interface Props {
  /** Without it a new one is made. */
  webhook?: Webhook;
  onSaved: (webhook: Webhook) => void;
  onClose: () => void;
}

/** Where news goes, and which. */
export function WebhookForm({ webhook, onSaved, onClose }: Props) {
  const [forJobs, setForJobs] = useState(webhook?.forJobs ?? false);
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [description, setDescription] = useState(webhook?.description ?? "");
  // The server takes an empty list for all.
  const [events, setEvents] = useState(webhook === undefined || webhook.events.length === 0 ? EVENTS : webhook.events);
  const { busy, problem, act } = useAct();
  const refused = problem === null ? null : asProblem(problem);
  const ready = events.length > 0 && (forJobs || url.trim() !== "");
  const body = {
    ...(forJobs ? (webhook === undefined ? { forJobs: true } : {}) : { url: url.trim() }),
    events: events.length === EVENTS.length ? [] : events,
    description,
  };
  const [method, path] = webhook === undefined ? (["POST", "/webhooks"] as const) : (["PATCH", `/webhooks/${webhook.id}`] as const);
  const save = () =>
    void act(async () => {
      onSaved(await send<Webhook>(method, path, body));
    });
  const enter = (event: KeyboardEvent) => event.key === "Enter" && ready && !busy && save();
  return (
    <Dialog
      open
      title={t(webhook === undefined ? "developers.webhooks.addTitle" : "developers.webhooks.editTitle")}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" icon={webhook === undefined ? "plus" : undefined} busy={busy} disabled={!ready} onClick={save}>
            {t(webhook === undefined ? "developers.webhooks.add" : "ui.save")}
          </Button>
        </>
      }
    >
      {!forJobs && (
        <TextInput
          label={t("developers.webhooks.url")}
          help={t("developers.webhooks.urlHelp")}
          error={refused?.field("url")}
          type="url"
          placeholder="https://hooks.example/vocalhost"
          value={url}
          onInput={setUrl}
          autoComplete="off"
          spellcheck={false}
          autofocus
          onKeyDown={enter}
        />
      )}
      {webhook === undefined && (
        <Toggle
          label={t("developers.webhooks.forJobs")}
          help={t("developers.webhooks.forJobsHelp")}
          error={refused?.field("forJobs")}
          value={forJobs}
          onChange={setForJobs}
        />
      )}
      <fieldset class="dev-choice">
        <legend>{t("developers.webhooks.events")}</legend>
        {EVENTS.map((event) => (
          <Toggle
            key={event}
            label={
              <>
                {t(`developers.event.${event}`)} <code class="muted">{event}</code>
              </>
            }
            value={events.includes(event)}
            onChange={(on) => setEvents(EVENTS.filter((one) => (one === event ? on : events.includes(one))))}
          />
        ))}
        {events.length === 0 && <p class="field-error">{t("developers.webhooks.noEvent")}</p>}
        {refused?.field("events") !== undefined && <p class="field-error">{refused.field("events")}</p>}
      </fieldset>
      <TextInput
        label={t("developers.webhooks.description")}
        help={t("developers.webhooks.descriptionHelp")}
        error={refused?.field("description")}
        value={description}
        onInput={setDescription}
        maxLength={MAX_DESCRIPTION_CHARS}
        autoComplete="off"
        onKeyDown={enter}
      />
      <Problem problem={problem} />
      <CodeSame method={method} path={path} fields={body} />
    </Dialog>
  );
}
