import { useEffect, useId, useRef } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { t } from "../lib/strings";
import { Button } from "./Button";

interface Props {
  open: boolean;
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  /** Buttons at the bottom. */
  actions?: ComponentChildren;
}

/** A dialog over the page; the focus stays in it, and goes back to where it was. */
export function Dialog({ open, title, onClose, children, actions }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    if (!open || dialog === null) return;
    const before = document.activeElement;
    if (!dialog.open) dialog.showModal();
    return () => {
      // The dialog is taken out of the page, which gives the focus back to nobody.
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, [open]);
  if (!open) return null;
  return (
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === element.current && onClose()}
    >
      <div class="dialog-inner">
        <header class="card-head">
          <h2 id={id} class="grow">
            {title}
          </h2>
          <Button kind="quiet" icon="close" aria-label={t("ui.close")} onClick={onClose} />
        </header>
        <div class="stack">{children}</div>
        {actions !== undefined && <footer class="dialog-actions">{actions}</footer>}
      </div>
    </dialog>
  );
}
