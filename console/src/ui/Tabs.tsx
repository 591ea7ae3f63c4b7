import { useId } from "preact/hooks";
import type { ComponentChildren } from "preact";

interface Props<T extends string> {
  label: string;
  tabs: { id: T; label: ComponentChildren }[];
  value: T;
  onChange: (id: T) => void;
  children?: ComponentChildren;
}

/** Tabs, moved between with the arrow keys. `children` is the panel of the chosen one. */
export function Tabs<T extends string>({ label, tabs, value, onChange, children }: Props<T>) {
  const id = useId();
  const move = (event: KeyboardEvent, at: number) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const to = event.key === "Home" ? 0 : event.key === "End" ? tabs.length - 1 : step === undefined ? -1 : (at + step + tabs.length) % tabs.length;
    if (to < 0) return;
    event.preventDefault();
    onChange(tabs[to].id);
    document.getElementById(`${id}-${tabs[to].id}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label}>
        {tabs.map((tab, at) => (
          <button
            key={tab.id}
            id={`${id}-${tab.id}`}
            type="button"
            role="tab"
            aria-selected={tab.id === value}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === value ? 0 : -1}
            onClick={() => onChange(tab.id)}
            onKeyDown={(event) => move(event, at)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${value}`} class="tab-panel">
        {children}
      </div>
    </>
  );
}
