import { useState } from "preact/hooks";
import { t } from "../../lib/strings";
import type { Key } from "../../lib/types";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Icon } from "../../ui/Icon";
import { toast } from "../../ui/toast";

/** A key that was just made, the only time that it can be seen. It is kept nowhere but here, until the dialog is closed. */
export function Secret({ made, onClose }: { made: Key; onClose: () => void }) {
  const [copied, setCopied] = useState(false);
  const [warned, setWarned] = useState(false);
  const close = () => {
    if (copied || warned) onClose();
    else setWarned(true);
  };
  return (
    <Dialog open title={t("operators.secret.title", { user: made.user })} onClose={close} actions={<Button onClick={close}>{t("operators.secret.done")}</Button>}>
      <p>{t("operators.secret.text")}</p>
      <div class="ops-secret">
        <code>{made.key}</code>
        <Button
          kind="primary"
          icon="copy"
          onClick={() =>
            void navigator.clipboard.writeText(made.key ?? "").then(
              () => {
                setCopied(true);
                toast(t("ui.copied"), "success");
              },
              () => toast(t("ui.notCopied"), "error"),
            )
          }
        >
          {t("operators.secret.copy")}
        </Button>
      </div>
      <div role="status">
        {warned && !copied && (
          <p class="note warning">
            <Icon name="warning" size={18} /> <span>{t("operators.secret.warning")}</span>
          </p>
        )}
      </div>
    </Dialog>
  );
}
