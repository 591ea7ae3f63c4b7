import { asProblem } from "../lib/api";
import { maybe, t } from "../lib/strings";
import { Icon } from "./Icon";

/** What went wrong: the server's sentence, the fields, and the number by which it is found in the log. Nothing without a problem. */
export function Problem({ problem }: { problem: unknown }) {
  if (problem === null || problem === undefined) return null;
  const { title, detail, errors, requestId, code } = asProblem(problem);
  return (
    <div class="problem" role="alert">
      <Icon name="warning" />
      <div class="grow">
        <strong>{maybe(`ui.problem.${code}.title`) ?? title}</strong>
        <p>{maybe(`ui.problem.${code}.text`) ?? detail}</p>
        {(errors.length > 1 || (errors.length === 1 && errors[0].message !== detail)) && (
          <ul>
            {errors.map((error) => (
              <li key={error.field + error.message}>
                <code>{error.field}</code> {error.message}
              </li>
            ))}
          </ul>
        )}
        <p class="problem-foot">
          <code>{code}</code>
          {requestId !== "" && (
            <>
              {" "}
              {t("ui.requestId")} <code>{requestId}</code>
            </>
          )}
        </p>
      </div>
    </div>
  );
}
