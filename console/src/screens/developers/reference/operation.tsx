import { t } from "../../../lib/strings";
import { CodeSame } from "../../../ui/CodeSame";
import { Icon } from "../../../ui/Icon";
import type { Answer, OpenApi, Operation } from "./document";
import { example, serverRoot } from "./example";
import { Fields, Fold, Parameters, Prose } from "./fields";
import { sample, typeOf } from "./schema";

interface Props {
  document: OpenApi;
  operation: Operation;
}

/** The headers that every answer has, or that say how limits stand: the reference says so once. */
const USUAL = /^(x-request-id|ratelimit.*|x-ratelimit-.*|retry-after|www-authenticate)$/i;

const isGood = ({ status }: Answer) => /^[123]/.test(status);

/** Everything about one operation. */
export function OperationBody({ document, operation }: Props) {
  const { parameters, bodies, answers, place } = operation;
  const refusals = answers.filter((one) => !isGood(one));
  return (
    <div class="ref-body">
      {operation.description !== "" && (
        <p>
          <Prose text={operation.description} />
        </p>
      )}
      <p class="small muted ref-key">
        <Icon name={operation.keyed ? "key" : "info"} size={15} /> {t(`developers.reference.${place === "receiver" ? "sent" : operation.keyed ? "keyed" : "open"}`)}
      </p>
      {parameters.length > 0 && (
        <section>
          <h4>{t("developers.reference.parameters")}</h4>
          <Parameters document={document} list={parameters} />
        </section>
      )}
      {bodies.map((body) => (
        <section key={body.type}>
          <h4>
            {t("developers.reference.body")} <code>{body.type}</code>
            {!operation.bodyRequired && <span class="muted"> {t("developers.reference.optional")}</span>}
          </h4>
          <Fields document={document} schema={body.schema} />
        </section>
      ))}
      {place === "receiver" ? (
        <Sample document={document} title={t("developers.reference.example")} schema={bodies[0]?.schema ?? {}} />
      ) : (
        <Request document={document} operation={operation} />
      )}
      <section>
        <h4>{t("developers.reference.answers")}</h4>
        <ul class="ref-answers">
          {answers.filter(isGood).map((one) => (
            <GoodAnswer key={one.status} document={document} answer={one} />
          ))}
          {refusals.length > 0 && (
            <li>
              <Fold summary={t("developers.reference.refusals", { n: refusals.length })}>
                {() => (
                  <ul class="ref-fields">
                    {refusals.map((one) => (
                      <li key={one.status} class="ref-field">
                        <p class="ref-name">
                          <code class="ref-status bad">{one.status}</code> <Prose text={one.description} />
                        </p>
                      </li>
                    ))}
                  </ul>
                )}
              </Fold>
            </li>
          )}
        </ul>
      </section>
    </div>
  );
}

function Request({ document, operation }: Props) {
  const { path, fields, file, headers } = example(document, operation);
  const good = operation.answers.find(isGood);
  const type = good?.bodies[0]?.type;
  return (
    <CodeSame
      method={operation.method}
      path={path}
      root={operation.place === "server" ? serverRoot() : undefined}
      fields={fields}
      file={file}
      headers={headers}
      keyed={operation.keyed}
      gives={type === undefined ? "nothing" : type.includes("json") ? "json" : type.startsWith("text/") ? "text" : "bytes"}
      open
    />
  );
}

function GoodAnswer({ document, answer }: { document: OpenApi; answer: Answer }) {
  const headers = answer.headers.filter((one) => !USUAL.test(one.name));
  return (
    <li class="ref-answer">
      <p class="ref-name">
        <code class="ref-status">{answer.status}</code> <Prose text={answer.description} />
      </p>
      {headers.length > 0 && (
        <p class="small muted">
          {t("developers.reference.headers")}{" "}
          {headers.map((one) => (
            <span key={one.name}>
              <code>{one.name}</code> {one.description !== undefined && <Prose text={one.description} />}{" "}
            </span>
          ))}
        </p>
      )}
      {answer.bodies.map((body) => (
        <div key={body.type} class="ref-answer">
          <p class="small">
            <code>{body.type}</code> <code class="muted">{typeOf(document, body.schema)}</code>
          </p>
          {body.type.includes("json") && (
            <>
              <Fold summary={t("developers.reference.fields")}>{() => <Fields document={document} schema={body.schema} />}</Fold>
              <Fold summary={t("developers.reference.answerExample")}>
                {() => (
                  <pre class="dev-code" tabIndex={0} role="region" aria-label={t("developers.reference.answerExample")}>
                    <code>{JSON.stringify(sample(document, body.schema, true), null, 2)}</code>
                  </pre>
                )}
              </Fold>
            </>
          )}
        </div>
      ))}
    </li>
  );
}

function Sample({ document, title, schema }: { document: OpenApi; title: string; schema: Operation["bodies"][0]["schema"] }) {
  return (
    <section>
      <h4>{title}</h4>
      <pre class="dev-code" tabIndex={0} role="region" aria-label={title}>
        <code>{JSON.stringify(sample(document, schema, true), null, 2)}</code>
      </pre>
    </section>
  );
}
