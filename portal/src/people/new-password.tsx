import type { ReactNode } from "react";
import { cn } from "~/kit/cn.ts";
import { PasswordField } from "~/kit/password-field.tsx";
import { PASSWORD_LENGTH_MIN, passwordHint } from "./password-hint.ts";

const COLOURS = { none: "text-ink-2", warn: "text-warn", go: "text-go" } as const;

/** A password that is chosen now; says how good it is while it is typed. */
export function NewPassword({
  value,
  onChange,
  error,
  known,
  label = "Password",
}: {
  value: string;
  onChange: (password: string) => void;
  error: string | null;
  /** Name and address of the person: not to be part of it. */
  known: readonly string[];
  label?: string;
}): ReactNode {
  const hint = passwordHint(value, known);
  return (
    <PasswordField
      label={label}
      name="new-password"
      autoComplete="new-password"
      minLength={PASSWORD_LENGTH_MIN}
      maxLength={1024}
      required
      hint={
        <span aria-live="polite" className={cn(COLOURS[hint.kind])}>
          {hint.kind === "warn" && "▲ "}
          {hint.text}
        </span>
      }
      error={error === null ? null : "The password needs 12 characters or more, and 1024 at most."}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
