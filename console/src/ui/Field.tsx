import { useId } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { Icon } from "./Icon";

interface FieldProps {
  label: ComponentChildren;
  help?: ComponentChildren;
  error?: string;
  /** The control: gets the ids that tie it to its label, help and error. */
  children: (ids: { id: string; "aria-describedby"?: string; "aria-invalid"?: "true" }) => ComponentChildren;
  /** What stands at the right of the label, such as a value. */
  side?: ComponentChildren;
}

/** A control with its label, what it means, and what is wrong with it. */
export function Field({ label, help, error, children, side }: FieldProps) {
  const id = useId();
  const described = [help !== undefined ? `${id}-help` : "", error !== undefined ? `${id}-error` : ""].filter(Boolean).join(" ");
  return (
    <div class="field">
      <div class="field-head">
        <label for={id}>{label}</label>
        {side}
      </div>
      {children({
        id,
        "aria-describedby": described === "" ? undefined : described,
        "aria-invalid": error === undefined ? undefined : "true",
      })}
      {help !== undefined && (
        <p class="field-help" id={`${id}-help`}>
          {help}
        </p>
      )}
      {error !== undefined && (
        <p class="field-error" role="alert" id={`${id}-error`}>
          <Icon name="warning" size={15} /> {error}
        </p>
      )}
    </div>
  );
}

type Common = { label: ComponentChildren; help?: ComponentChildren; error?: string };

interface TextProps extends Common {
  value: string;
  onInput: (value: string) => void;
  type?: "text" | "password" | "search" | "number" | "url";
  placeholder?: string;
  required?: boolean;
  disabled?: boolean;
  autoComplete?: string;
  min?: number | string;
  max?: number | string;
  step?: number | string;
  spellcheck?: boolean;
  name?: string;
  autofocus?: boolean;
  maxLength?: number;
  onBlur?: () => void;
  onKeyDown?: (event: KeyboardEvent) => void;
}

export function TextInput({ label, help, error, value, onInput, type = "text", ...rest }: TextProps) {
  // The types of an input's attributes depend on its type, which is not known here.
  const kind = { type } as { type: "text" };
  return (
    <Field label={label} help={help} error={error}>
      {(ids) => (
        <input {...rest} {...ids} {...kind} class="input" value={value} onInput={(event) => onInput(event.currentTarget.value)} />
      )}
    </Field>
  );
}

interface SelectProps extends Common {
  value: string;
  onChange: (value: string) => void;
  options: { value: string; label: string; disabled?: boolean }[];
  disabled?: boolean;
}

export function Select({ label, help, error, value, onChange, options, disabled }: SelectProps) {
  return (
    <Field label={label} help={help} error={error}>
      {(ids) => (
        <span class="select">
          <select {...ids} value={value} disabled={disabled} onChange={(event) => onChange(event.currentTarget.value)}>
            {options.map((option) => (
              <option key={option.value} value={option.value} disabled={option.disabled}>
                {option.label}
              </option>
            ))}
          </select>
          <Icon name="down" size={16} />
        </span>
      )}
    </Field>
  );
}

interface ToggleProps {
  label: ComponentChildren;
  help?: ComponentChildren;
  error?: string;
  value: boolean;
  onChange: (value: boolean) => void;
  disabled?: boolean;
}

/** A switch with its label beside it. */
export function Toggle({ label, help, error, value, onChange, disabled }: ToggleProps) {
  const id = useId();
  return (
    <div class="field">
      <label class="toggle">
        <input
          type="checkbox"
          role="switch"
          checked={value}
          disabled={disabled}
          aria-describedby={help === undefined ? undefined : `${id}-help`}
          aria-invalid={error === undefined ? undefined : "true"}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <span class="toggle-track" aria-hidden="true" />
        <span>{label}</span>
      </label>
      {help !== undefined && (
        <p class="field-help toggle-help" id={`${id}-help`}>
          {help}
        </p>
      )}
      {error !== undefined && (
        <p class="field-error">
          <Icon name="warning" size={15} /> {error}
        </p>
      )}
    </div>
  );
}
