import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./Icon";

interface CardProps {
  title?: ComponentChildren;
  /** What stands under the title. */
  text?: ComponentChildren;
  /** What stands at the right of the title. */
  actions?: ComponentChildren;
  children?: ComponentChildren;
  class?: string;
}

export function Card({ title, text, actions, children, class: extra = "" }: CardProps) {
  return (
    <section class={`card ${extra}`}>
      {(title !== undefined || actions !== undefined) && (
        <header class="card-head">
          <div class="grow">
            {title !== undefined && <h2>{title}</h2>}
            {text !== undefined && <p class="muted small">{text}</p>}
          </div>
          {actions !== undefined && <div class="row">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

/** What is shown where there is nothing yet: what this is for, and how to begin. */
export function EmptyState({ icon = "wave", title, text, action }: { icon?: IconName; title: string; text: ComponentChildren; action?: ComponentChildren }) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={26} />
      </span>
      <h2>{title}</h2>
      <p class="muted">{text}</p>
      {action}
    </div>
  );
}

/** How far something is, in words beside the bar. Without a value the bar only says that it goes on. `value` is 0 to 1. */
export function Progress({ value, text }: { value?: number | null; text: ComponentChildren }) {
  const known = value !== undefined && value !== null;
  return (
    <div class="progress">
      <div class="progress-text">
        <span>{text}</span>
        {known && <span class="number">{Math.round(value * 100)} %</span>}
      </div>
      <div
        class={`progress-bar${known ? "" : " unknown"}`}
        role="progressbar"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={known ? Math.round(value * 100) : undefined}
        aria-label={typeof text === "string" ? text : undefined}
      >
        <span style={{ "--share": String(known ? value : 1) }} />
      </div>
    </div>
  );
}
