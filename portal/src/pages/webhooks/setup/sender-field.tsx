import { useState, type ReactNode } from "react";
import { SelectField, TextField } from "~/kit/field.tsx";

export interface Choice {
  readonly id: string;
  readonly title: string;
}

interface SenderFieldProps {
  label: string;
  hint?: ReactNode;
  value: string;
  choices: readonly Choice[];
  onChange: (id: string) => void;
}

/** A select field with a text that shortens its long list. The chosen entry always stays in the list. */
export function SenderField({ label, hint, value, choices, onChange }: SenderFieldProps): ReactNode {
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const shown = choices.filter(({ id, title }) => id === value || `${title} ${id}`.toLowerCase().includes(wanted));
  return (
    <>
      <TextField
        label="Find a sender"
        hint={wanted === "" ? undefined : `${shown.length} of ${choices.length} are in the list`}
        placeholder="part of a name"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <SelectField label={label} hint={hint} value={value} onChange={(event) => onChange(event.target.value)}>
        {shown.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </SelectField>
    </>
  );
}
