import { useState, type ReactNode } from "react";
import { SelectField, TextField } from "./field.tsx";

interface Choice {
  readonly id: string;
  readonly title: string;
  /** Choices of the same group are listed together below its name. */
  readonly group?: string;
}

interface FindSelectProps {
  label: string;
  /** The label of the field for the text: "Find a sender". */
  findLabel: string;
  hint?: ReactNode;
  value: string;
  choices: readonly Choice[];
  onChange: (id: string) => void;
}

/** A select field with a text that shortens its long list. The chosen entry always stays in the list. */
export function FindSelectField({ label, findLabel, hint, value, choices, onChange }: FindSelectProps): ReactNode {
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const shown = choices.filter(
    ({ id, title, group = "" }) => id === value || `${title} ${id} ${group}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      <TextField
        label={findLabel}
        hint={wanted === "" ? undefined : `${shown.length} of ${choices.length} are in the list`}
        placeholder="part of a name"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <SelectField label={label} hint={hint} value={value} onChange={(event) => onChange(event.target.value)}>
        {[...Map.groupBy(shown, ({ group }) => group)].map(([group, members]) =>
          group === undefined ? (
            <Options key="" choices={members} />
          ) : (
            <optgroup key={group} label={group}>
              <Options choices={members} />
            </optgroup>
          ),
        )}
      </SelectField>
    </>
  );
}

function Options({ choices }: { choices: readonly Choice[] }): ReactNode {
  return choices.map(({ id, title }) => (
    <option key={id} value={id}>
      {title}
    </option>
  ));
}
