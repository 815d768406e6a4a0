import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from "react";
import { cn } from "./cn.ts";

interface FieldProps {
  label: ReactNode;
  /** Shown below the label. */
  hint?: ReactNode;
  error?: string | null | undefined;
}

/** A label, its field and its error, linked for screen readers. */
export function Field({
  label,
  hint,
  error,
  children,
}: FieldProps & {
  children: (bound: { id: string; "aria-describedby": string; "aria-invalid": boolean }) => ReactNode;
}): ReactNode {
  const id = useId();
  const isWrong = error !== null && error !== undefined;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({ id, "aria-describedby": `${id}-about`, "aria-invalid": isWrong })}
      <div id={`${id}-about`} className="text-s text-ink-2">
        {hint}
        {isWrong && <p className="text-stop">{error}</p>}
      </div>
    </div>
  );
}

const CONTROL = cn(
  "h-[30px] w-full min-w-0 rounded border border-line-2 bg-sheet px-2 text-ink",
  "aria-invalid:border-stop disabled:opacity-60",
);

export function TextInput({ className, ...rest }: InputHTMLAttributes<HTMLInputElement>): ReactNode {
  return <input type="text" className={cn(CONTROL, className)} autoComplete="off" spellCheck={false} {...rest} />;
}

export function TextArea({ className, ...rest }: TextareaHTMLAttributes<HTMLTextAreaElement>): ReactNode {
  return <textarea className={cn(CONTROL, "h-auto min-h-20 py-1.5", className)} spellCheck={false} {...rest} />;
}

export function Select({ className, ...rest }: SelectHTMLAttributes<HTMLSelectElement>): ReactNode {
  return <select className={cn(CONTROL, "pr-6", className)} {...rest} />;
}

/** A labelled text field. */
export function TextField({
  label,
  hint,
  error,
  ...input
}: FieldProps & InputHTMLAttributes<HTMLInputElement>): ReactNode {
  return (
    <Field label={label} hint={hint} error={error}>
      {(bound) => <TextInput {...bound} {...input} />}
    </Field>
  );
}

/** A labelled select field. */
export function SelectField({
  label,
  hint,
  error,
  children,
  ...select
}: FieldProps & SelectHTMLAttributes<HTMLSelectElement>): ReactNode {
  return (
    <Field label={label} hint={hint} error={error}>
      {(bound) => (
        <Select {...bound} {...select}>
          {children}
        </Select>
      )}
    </Field>
  );
}

/** A checkbox. `why` says why it is disabled. */
export function Checkbox({
  label,
  why,
  disabled,
  ...input
}: InputHTMLAttributes<HTMLInputElement> & { label: ReactNode; why?: ReactNode }): ReactNode {
  const id = useId();
  return (
    <div className={cn("flex min-h-6 items-start gap-2 py-0.5", disabled === true && "text-ink-3")}>
      <input
        id={id}
        type="checkbox"
        className="mt-0.5 size-4 shrink-0 accent-sea"
        disabled={disabled}
        aria-describedby={why === undefined ? undefined : `${id}-why`}
        {...input}
      />
      <label htmlFor={id} className="min-w-0">
        {label}
        {why !== undefined && (
          <span id={`${id}-why`} className="block text-s text-ink-2">
            {why}
          </span>
        )}
      </label>
    </div>
  );
}
