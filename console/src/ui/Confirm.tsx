import type { ComponentChildren } from "preact";
import { t } from "../lib/strings";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import type { IconName } from "./Icon";
import { Problem } from "./Problem";
import { useAct } from "../lib/read";

interface Props {
  title: string;
  children: ComponentChildren;
  /** The words of the button that does it. */
  label: string;
  icon?: IconName;
  kind?: "danger" | "primary";
  run: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks before something is done; what goes wrong is said in the dialog, which then stays. */
export function Confirm({ title, children, label, icon = "trash", kind = "danger", run, onClose }: Props) {
  const { busy, problem, act } = useAct();
  return (
    <Dialog
      open
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind={kind} icon={icon} busy={busy} onClick={() => void act(run).then((done) => done && onClose())}>
            {label}
          </Button>
        </>
      }
    >
      {children}
      <Problem problem={problem} />
    </Dialog>
  );
}
