import { useRef, useState } from "preact/hooks";
import { t } from "../lib/strings";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { Icon } from "./Icon";
import "./secret.css";

interface Props {
  title: string;
  /** What it is for, and where it belongs. */
  text: string;
  /** What the secret is called. */
  label: string;
  value: string;
  onClose: () => void;
}

/** Copies what an element shows, also where browsers have no clipboard for pages: those that came by plain http. */
async function copy(element: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(element.textContent ?? "");
    return true;
  } catch {
    getSelection()?.selectAllChildren(element);
    return document.execCommand("copy");
  }
}

/** A secret that is shown once. It is in the page as long as the dialog is open, and nowhere else. */
export function Secret({ title, text, label, value, onClose }: Props) {
  const [copied, setCopied] = useState<boolean | null>(null);
  const [warned, setWarned] = useState(false);
  const shown = useRef<HTMLElement>(null);
  // A stray click beside the dialog must not lose what nobody can show again.
  const leave = () => {
    if (copied === true || warned) onClose();
    else setWarned(true);
  };
  return (
    <Dialog
      open
      title={title}
      onClose={leave}
      actions={
        <Button kind={copied === true ? "primary" : "plain"} onClick={onClose}>
          {t("ui.secret.kept")}
        </Button>
      }
    >
      <p>{text}</p>
      <div class="secret">
        <code ref={shown} role="textbox" aria-readonly="true" aria-label={label} tabIndex={0}>
          {value}
        </code>
        <Button
          kind={copied === true ? "plain" : "primary"}
          icon={copied === true ? "check" : "copy"}
          autofocus
          onClick={() => shown.current !== null && void copy(shown.current).then(setCopied)}
        >
          {t(copied === true ? "ui.secret.copied" : "ui.copy")}
        </Button>
      </div>
      <p class="sr-only" role="status">
        {copied === true ? t("ui.copied") : ""}
      </p>
      {copied === false && <p class="field-error">{t("ui.notCopied")}</p>}
      <p class={warned ? "note warning" : "note"} role={warned ? "alert" : undefined}>
        <Icon name={warned ? "warning" : "info"} size={18} />
        <span>{t(warned ? "ui.secret.leaving" : "ui.secret.once")}</span>
      </p>
    </Dialog>
  );
}
