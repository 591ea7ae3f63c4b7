import { useState } from "preact/hooks";
import { address } from "../lib/api";
import { t } from "../lib/strings";
import { Button } from "./Button";
import { Tabs } from "./Tabs";
import { toast } from "./toast";

/** A field of a form: a text, or a file by its name. Several of one name are several entries. */
export type CodeField = { name: string; value: string } | { name: string; file: string };

interface Props {
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Under the API's root: `/stem-splits`. */
  path: string;
  /** The fields of a form, or an object that goes as JSON. */
  fields?: CodeField[] | Record<string, unknown>;
  /** A body that is one file, in the place of fields. */
  file?: { name: string; type: string };
  /** The address that the path lies under; the API's root without it. */
  root?: string;
  /** What comes back; JSON without it. */
  gives?: "json" | "text" | "bytes" | "nothing";
  /** Headers that the request needs beside the key. */
  headers?: Record<string, string>;
  /** Whether a key has to be shown; it has to without it. */
  keyed?: boolean;
  /** Whether the example is shown without being asked for. */
  open?: boolean;
}

type Tongue = "curl" | "python" | "javascript";

const shell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const literal = (text: string) => JSON.stringify(text);

function curl({ method, path, fields, file, gives, headers = {}, keyed = true }: Props, url: string): string {
  const lines = [keyed ? `curl -H "Authorization: Bearer $VOCALHOST_KEY"` : "curl"];
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${shell(`${name}: ${value}`)}`);
  if (method === "HEAD") lines.push("--head");
  else if (method !== "GET" && !(method === "POST" && (fields !== undefined || file !== undefined))) lines.push(`-X ${method}`);
  if (Array.isArray(fields)) {
    for (const field of fields) {
      // `-F` reads a file where a value begins with `@` or `<`, and a type behind a semicolon.
      if ("file" in field) lines.push(`-F ${shell(`${field.name}=@${/[;,"]/.test(field.file) ? `"${field.file.replaceAll('"', '\\"')}"` : field.file}`)}`);
      else lines.push(`${/^[@<]|;/.test(field.value) ? "--form-string" : "-F"} ${shell(`${field.name}=${field.value}`)}`);
    }
  } else if (fields !== undefined) lines.push(`--json ${shell(JSON.stringify(fields))}`);
  else if (file !== undefined) lines.push(`-H ${shell(`Content-Type: ${file.type}`)}`, `--data-binary ${shell(`@${file.name}`)}`);
  if (gives === "bytes") lines.push("-o answer");
  return [...lines, shell(url + path)].join(" \\\n  ");
}

function python({ method, path, fields, file, gives = "json", headers = {}, keyed = true }: Props, url: string): string {
  const heads = Object.entries({ ...(file === undefined ? {} : { "Content-Type": file.type }), ...headers }).map(([name, value]) => `${literal(name)}: ${literal(value)}`);
  if (keyed) heads.unshift(`"Authorization": "Bearer " + os.environ["VOCALHOST_KEY"]`);
  const call = [`    ${literal(url + path)},`, ...(heads.length > 0 ? [`    headers={${heads.join(", ")}},`] : [])];
  if (Array.isArray(fields)) {
    const texts = fields.filter((field) => "value" in field).map((field) => `        (${literal(field.name)}, ${literal(field.value)}),`);
    const files = fields.filter((field) => "file" in field).map((field) => `        ${literal(field.name)}: open(${literal(field.file)}, "rb"),`);
    if (texts.length > 0) call.push("    data=[", ...texts, "    ],");
    if (files.length > 0) call.push("    files={", ...files, "    },");
  } else if (fields !== undefined) call.push(`    json=${python3(fields)},`);
  else if (file !== undefined) call.push(`    data=open(${literal(file.name)}, "rb"),`);
  const last = { json: ["print(answer.json())"], text: ["print(answer.text)"], bytes: [`open("answer", "wb").write(answer.content)`], nothing: [] }[gives];
  return [...(keyed ? ["import os"] : []), "import requests", "", `answer = requests.${method.toLowerCase()}(`, ...call, ")", "answer.raise_for_status()", ...last].join("\n");
}

/** A value of JSON as Python writes it. */
function python3(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(python3).join(", ")}]`;
  if (typeof value === "object") return `{${Object.entries(value).map(([name, one]) => `${literal(name)}: ${python3(one)}`).join(", ")}}`;
  return JSON.stringify(value);
}

function javascript({ method, path, fields, file, gives = "json", headers = {}, keyed = true }: Props, url: string): string {
  const before: string[] = [];
  const type = file !== undefined ? file.type : fields !== undefined && !Array.isArray(fields) ? "application/json" : undefined;
  const heads = Object.entries({ ...(type === undefined ? {} : { "Content-Type": type }), ...headers }).map(([name, value]) => `${literal(name)}: ${literal(value)}`);
  if (keyed) heads.unshift("Authorization: `Bearer ${process.env.VOCALHOST_KEY}`");
  const options = heads.length > 0 ? [`  headers: { ${heads.join(", ")} },`] : [];
  if (method !== "GET") options.unshift(`  method: ${literal(method)},`);
  if (Array.isArray(fields)) {
    before.push(`import { openAsBlob } from "node:fs";`, "", "const form = new FormData();");
    for (const field of fields) {
      before.push(
        "file" in field
          ? `form.append(${literal(field.name)}, await openAsBlob(${literal(field.file)}), ${literal(field.file)});`
          : `form.append(${literal(field.name)}, ${literal(field.value)});`,
      );
    }
    before.push("");
    options.push("  body: form,");
  } else if (fields !== undefined) options.push(`  body: JSON.stringify(${JSON.stringify(fields)}),`);
  else if (file !== undefined) {
    before.push(`import { openAsBlob } from "node:fs";`, "");
    options.push(`  body: await openAsBlob(${literal(file.name)}),`);
  }
  const last = { json: ["console.log(await answer.json());"], text: ["console.log(await answer.text());"], bytes: ["const bytes = await answer.arrayBuffer();"], nothing: [] }[gives];
  return [...before, `const answer = await fetch(${literal(url + path)}, {`, ...options, "});", "if (!answer.ok) throw new Error(await answer.text());", ...last].join("\n");
}

/** What the screen does, as a program would. */
export function CodeSame(props: Props) {
  const [tongue, setTongue] = useState<Tongue>("curl");
  const url = props.root ?? address("");
  const code = { curl, python, javascript }[tongue](props, url);
  return (
    <details class="same" open={props.open}>
      <summary>{t("ui.same.title")}</summary>
      <Tabs
        label={t("ui.same.language")}
        value={tongue}
        onChange={setTongue}
        tabs={[
          { id: "curl", label: "curl" },
          { id: "python", label: "Python" },
          { id: "javascript", label: "JavaScript" },
        ]}
      >
        <div class="same-code">
          <pre tabIndex={0} role="region" aria-label={t("ui.same.title")}>
            <code>{code}</code>
          </pre>
          <Button
            size="s"
            icon="copy"
            onClick={() =>
              void navigator.clipboard.writeText(code).then(
                () => toast(t("ui.copied"), "success"),
                () => toast(t("ui.notCopied"), "error"),
              )
            }
          >
            {t("ui.copy")}
          </Button>
        </div>
      </Tabs>
    </details>
  );
}
