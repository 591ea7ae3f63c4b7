import { t } from "../../lib/strings";
import type { Key } from "../../lib/types";
import { Secret } from "../../ui/Secret";

/** A key that was just made, the only time that it can be seen. */
export function NewKey({ made, onClose }: { made: Key; onClose: () => void }) {
  const { user, key } = made;
  return <Secret title={t("operators.secret.title", { user })} text={t("operators.secret.text")} label={t("operators.secret.label")} value={key ?? ""} onClose={onClose} />;
}
