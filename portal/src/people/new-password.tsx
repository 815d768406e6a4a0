import type { ReactNode } from "react";
import { cn } from "~/kit/cn.ts";
import { PasswordField } from "~/kit/password-field.tsx";
import { PASSWORD_LENGTH_MIN, passwordHint } from "./password-hint.ts";

const COLOURS = { none: "text-ink-2", warn: "text-warn", go: "text-go" } as const;

/** A field for a new password. It shows the strength while the person types. */
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
  /** Name and address of the person, which should not be part of the password. */
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
      error={error === null ? null : "The password needs 12 to 1024 characters."}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
