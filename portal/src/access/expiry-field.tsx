import type { ReactNode } from "react";
import { SelectField } from "~/kit/field.tsx";
import { expiryChoices } from "./draft.ts";

interface ExpiryProps {
  hint?: string;
  /** Null: it does not expire. */
  days: number | null;
  policy?: { readonly lifetimeDaysMax: number | null; readonly requireExpiry: boolean };
  onChange: (days: number | null) => void;
}

const ANY = { lifetimeDaysMax: null, requireExpiry: false };

/** The lifetime of a new credential, key or token. */
export function ExpiryField({ hint, days, policy = ANY, onChange }: ExpiryProps): ReactNode {
  return (
    <SelectField
      label="Expires after"
      hint={hint}
      value={days ?? "never"}
      onChange={({ target }) => onChange(target.value === "never" ? null : Number(target.value))}
    >
      {expiryChoices(policy.lifetimeDaysMax, days, policy.requireExpiry).map(({ days: choice, title }) => (
        <option key={title} value={choice ?? "never"}>
          {title}
        </option>
      ))}
    </SelectField>
  );
}
