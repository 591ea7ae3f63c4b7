import { useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { t } from "../../../lib/strings";
import type { OpenApi, Parameter, Schema } from "./document";
import { insides, limits, typeOf, whole } from "./schema";

/** A sentence of the server's, which writes code between backticks. It speaks English. */
export function Prose({ text }: { text: string }) {
  return <span lang="en">{text.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</span>;
}

/** What is only made when it is opened: records name each other without end. */
export function Fold({ summary, children }: { summary: ComponentChildren; children: () => ComponentChildren }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="more" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {open && children()}
    </details>
  );
}

interface FieldProps {
  document: OpenApi;
  name: string;
  schema: Schema;
  required: boolean;
  description?: string;
}

function Field({ document, name, schema, required, description }: FieldProps) {
  const found = whole(document, schema);
  const { choices, rules } = limits(found);
  const text = description ?? found.description;
  return (
    <li class="ref-field">
      <p class="ref-name">
        <code>{name}</code> <code class="muted">{typeOf(document, schema)}</code>
        {required && <span class="ref-required">{t("developers.reference.required")}</span>}
      </p>
      {text !== undefined && (
        <p class="small">
          <Prose text={text} />
        </p>
      )}
      {choices.length > 0 && (
        <p class="small muted">
          {t("developers.reference.oneOf")} {choices.map((one) => [<code key={one}>{one}</code>, " "])}
        </p>
      )}
      {(rules.length > 0 || (found.default !== undefined && found.default !== null)) && (
        <p class="small muted">
          {rules.map((one) => [<code key={one}>{one}</code>, " "])}
          {found.default !== undefined && found.default !== null && (
            <>
              {t("developers.reference.default")} <code>{JSON.stringify(found.default)}</code>
            </>
          )}
        </p>
      )}
      <Insides document={document} schema={schema} />
    </li>
  );
}

/** The objects inside a field, folded. */
function Insides({ document, schema }: { document: OpenApi; schema: Schema }) {
  return (
    <>
      {insides(document, schema).map((one, at) => (
        <Fold key={at} summary={/^object\b/.test(one.name) ? t("developers.reference.fields") : t("developers.reference.fieldsOf", { name: one.name })}>
          {() => <ObjectFields document={document} schema={one.schema} />}
        </Fold>
      ))}
    </>
  );
}

function ObjectFields({ document, schema }: { document: OpenApi; schema: Schema }) {
  return (
    <ul class="ref-fields">
      {Object.entries(schema.properties ?? {}).map(([name, one]) => (
        <Field key={name} document={document} name={name} schema={one} required={schema.required?.includes(name) === true} />
      ))}
    </ul>
  );
}

/** The fields of a body or an answer. */
export function Fields({ document, schema }: { document: OpenApi; schema: Schema }) {
  const found = insides(document, schema);
  if (found.length === 0) return <p class="small muted">{typeOf(document, schema)}</p>;
  if (found.length === 1) return <ObjectFields document={document} schema={found[0].schema} />;
  return <Insides document={document} schema={schema} />;
}

/** What stands in the path, in the query and in headers. */
export function Parameters({ document, list }: { document: OpenApi; list: Parameter[] }) {
  return (
    <ul class="ref-fields">
      {list.map((one) => (
        <Field
          key={one.in + one.name}
          document={document}
          name={one.name}
          schema={one.schema ?? {}}
          required={one.required === true}
          description={[t(`developers.reference.in.${one.in}`), one.description].filter(Boolean).join(". ")}
        />
      ))}
    </ul>
  );
}
