import type { ReactNode } from "react";
import { TextField } from "~/kit/field.tsx";
import type { Limits } from "./limits.ts";

interface FieldsProps {
  limits: Limits;
  onChange: (part: Partial<Limits>) => void;
}

/** The fields for origins and the rate, of the forms that create and change a key. */
export function LimitFields({ limits, onChange }: FieldsProps): ReactNode {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <TextField
        label="Only pages of these origins"
        hint="For a key in a web page, for example https://*.example.com. Empty: no limit"
        value={limits.origins}
        onChange={({ target }) => onChange({ origins: target.value })}
      />
      <TextField
        label="Requests a second"
        hint="On each node. Empty: no own limit"
        type="number"
        min={1}
        max={100_000}
        value={limits.rate}
        onChange={({ target }) => onChange({ rate: target.value })}
      />
    </div>
  );
}
