import { signal } from "@preact/signals";
import { t } from "../lib/strings";
import { Icon } from "./Icon";

type Kind = "info" | "success" | "error";
const shown = signal<{ id: number; text: string; kind: Kind }[]>([]);
let next = 1;

/** Says something in passing; it is read aloud, too. Errors stay until they are closed. */
export function toast(text: string, kind: Kind = "info"): void {
  const id = next;
  next += 1;
  shown.value = [...shown.value, { id, text, kind }];
  if (kind !== "error") setTimeout(() => close(id), 5000);
}

function close(id: number): void {
  shown.value = shown.value.filter((one) => one.id !== id);
}

/** Where toasts appear: the live region of the page. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.value.map((one) => (
        <div key={one.id} class={`toast ${one.kind}`}>
          <Icon name={one.kind === "error" ? "warning" : one.kind === "success" ? "check" : "info"} size={18} />
          <span class="grow">{one.text}</span>
          <button type="button" class="toast-close" aria-label={t("ui.close")} onClick={() => close(one.id)}>
            <Icon name="close" size={16} />
          </button>
        </div>
      ))}
    </div>
  );
}
