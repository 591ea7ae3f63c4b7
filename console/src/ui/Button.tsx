import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { Icon, type IconName } from "./Icon";

type Attributes = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "type" | "disabled" | "role" | "children" | "size">;

interface Props extends Attributes {
  kind?: "primary" | "plain" | "danger" | "quiet";
  size?: "s" | "m" | "l";
  /** Something is under way: the button cannot be pressed and says so. */
  busy?: boolean;
  icon?: IconName;
  type?: "button" | "submit";
  disabled?: boolean;
  children?: ComponentChildren;
}

/** A button. One without words needs an `aria-label`. */
export function Button({ kind = "plain", size = "m", busy = false, icon, type = "button", disabled, children, ...rest }: Props) {
  const bare = children === undefined;
  return (
    <button
      {...rest}
      type={type}
      class={`button ${kind} size-${size}${bare ? " bare" : ""}`}
      disabled={disabled === true || busy}
      aria-busy={busy ? "true" : undefined}
    >
      {icon !== undefined && <Icon name={icon} size={size === "s" ? 16 : 19} />}
      {children}
    </button>
  );
}
