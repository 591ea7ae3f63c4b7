import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { t } from "../lib/strings";
import { Icon } from "./Icon";

interface Props {
  /** As of an input: `.wav,.mp3`. */
  accept?: string;
  multiple?: boolean;
  onFiles: (files: File[]) => void;
  label: ComponentChildren;
  /** What may be dropped, in a line under the label. */
  hint?: ComponentChildren;
  /** Whether files may be dropped anywhere on the page. */
  page?: boolean;
  compact?: boolean;
}

/** A place to drop files on, which is a button to pick them, too. */
export function FileDrop({ accept, multiple = false, onFiles, label, hint, page = false, compact = false }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const id = useId();
  const latest = useRef(onFiles);
  latest.current = onFiles;

  const take = (files: FileList | null | undefined) => {
    const list = [...(files ?? [])];
    if (list.length > 0) latest.current(multiple ? list : list.slice(0, 1));
  };

  useEffect(() => {
    if (!page) return;
    let depth = 0;
    const enter = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes("Files") !== true) return;
      depth += 1;
      setOver(true);
    };
    const leave = () => {
      depth = Math.max(0, depth - 1);
      if (depth === 0) setOver(false);
    };
    const hold = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes("Files") === true) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      depth = 0;
      setOver(false);
      if (event.defaultPrevented || event.dataTransfer?.types.includes("Files") !== true) return;
      event.preventDefault();
      take(event.dataTransfer.files);
    };
    const on: [string, (event: never) => void][] = [["dragenter", enter], ["dragleave", leave], ["dragover", hold], ["drop", drop]];
    for (const [name, listener] of on) window.addEventListener(name, listener as EventListener);
    return () => {
      for (const [name, listener] of on) window.removeEventListener(name, listener as EventListener);
    };
  }, [page]);

  return (
    <div
      class={`drop${over ? " over" : ""}${compact ? " compact" : ""}`}
      onDragEnter={() => setOver(true)}
      onDragLeave={(event) => !event.currentTarget.contains(event.relatedTarget as Node | null) && setOver(false)}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <input
        ref={input}
        id={id}
        class="sr-only"
        type="file"
        accept={accept}
        multiple={multiple}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => {
          take(event.currentTarget.files);
          event.currentTarget.value = "";
        }}
      />
      <label for={id}>
        <Icon name="upload" size={compact ? 20 : 28} />
        <strong>{over ? t("ui.drop.now") : label}</strong>
        {hint !== undefined && (
          <span class="muted small" id={`${id}-hint`}>
            {hint}
          </span>
        )}
      </label>
    </div>
  );
}
