import type { ReactNode } from "react";
import { Checkbox } from "~/kit/field.tsx";

interface TypesProps<T extends string> {
  types: readonly T[];
  /** The types that fit the rest of the form. A chosen one can always be removed. */
  possible: readonly T[];
  chosen: readonly T[];
  onChange: (chosen: readonly T[]) => void;
}

/** The types of rows that a form is for. */
export function TypesField<T extends string>({ types, possible, chosen, onChange }: TypesProps<T>): ReactNode {
  return (
    <fieldset>
      <legend className="pb-1 font-medium">Types</legend>
      <div className="flex flex-wrap gap-x-6">
        {types.map((type) => (
          <Checkbox
            key={type}
            label={type}
            checked={chosen.includes(type)}
            disabled={!possible.includes(type) && !chosen.includes(type)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, type] : chosen.filter((each) => each !== type))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}
