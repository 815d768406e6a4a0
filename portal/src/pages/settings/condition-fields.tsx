import type { ReactNode } from "react";
import { Button, IconButton } from "~/kit/button.tsx";
import { SelectField, TextField } from "~/kit/field.tsx";
import { MEMBERS, type Condition, type MemberName } from "./erasure.ts";

const HAS_KEY: ReadonlySet<string> = new Set(MEMBERS.filter(({ hasKey }) => hasKey).map(({ name }) => name));

/** Fields for conditions, one member per line. A row must match all of them. */
export function ConditionFields({
  conditions,
  members = MEMBERS,
  onChange,
}: {
  conditions: readonly Condition[];
  members?: readonly (typeof MEMBERS)[number][];
  onChange: (conditions: readonly Condition[]) => void;
}): ReactNode {
  const set = (index: number, change: Partial<Condition>): void =>
    onChange(conditions.map((each, at) => (at === index ? { ...each, ...change } : each)));
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="pb-1 font-medium">Conditions (a row must match all of them)</legend>
      {conditions.map((condition, index) => (
        <div
          key={index}
          role="group"
          aria-label={`Condition ${index + 1}`}
          className="flex flex-wrap items-start gap-2"
        >
          <SelectField
            label="Member"
            value={condition.member}
            onChange={({ target }) => {
              const member = target.value as MemberName;
              set(index, { member, ...(HAS_KEY.has(member) ? {} : { key: "" }) });
            }}
          >
            {members.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </SelectField>
          {HAS_KEY.has(condition.member) && (
            <TextField
              label="Its name"
              className="mono"
              placeholder="user or /user/email"
              value={condition.key}
              onChange={(event) => set(index, { key: event.target.value })}
            />
          )}
          <div className="min-w-48 flex-1">
            <TextField
              label="Equals"
              className="mono"
              value={condition.value}
              onChange={(event) => set(index, { value: event.target.value })}
            />
          </div>
          <IconButton
            label={`Remove condition ${index + 1}`}
            className="mt-[23px]"
            disabled={conditions.length === 1}
            onClick={() => onChange(conditions.filter((_, at) => at !== index))}
          >
            ✕
          </IconButton>
        </div>
      ))}
      <div>
        <Button onClick={() => onChange([...conditions, { member: "service", key: "", value: "" }])}>And…</Button>
      </div>
    </fieldset>
  );
}
