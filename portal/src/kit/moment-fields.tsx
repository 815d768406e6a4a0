import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { TextField } from "./field.tsx";
import { Menu, MenuItem } from "./menu.tsx";

interface Moments {
  /** ISO 8601 UTC; absent: unbounded. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const SINCE: readonly (readonly [title: string, hours: number])[] = [
  ["The last hour", 1],
  ["The last 24 hours", 24],
  ["The last 7 days", 168],
  ["The last 30 days", 720],
];

/** Fields for the start and end of a time range in the address; each may be empty. */
export function MomentFields({ from, to, onChange }: Moments & { onChange: (change: Moments) => void }): ReactNode {
  return (
    <div className="flex flex-wrap items-end gap-2">
      <MomentField label="From (UTC)" value={from} onChange={(moment) => onChange({ from: moment })} />
      <MomentField label="To (UTC)" value={to} onChange={(moment) => onChange({ to: moment })} />
      <Menu trigger={<Button className="mb-1">Since…</Button>}>
        {SINCE.map(([title, hours]) => (
          <MenuItem
            key={title}
            onSelect={() =>
              onChange({
                from: `${new Date(Date.now() - hours * 3_600_000).toISOString().slice(0, 19)}Z`,
                to: undefined,
              })
            }
          >
            {title}
          </MenuItem>
        ))}
        <MenuItem onSelect={() => onChange({ from: undefined, to: undefined })}>Any time</MenuItem>
      </Menu>
    </div>
  );
}

/** A field for one moment in UTC; empty: none. */
export function MomentField({
  label,
  hint,
  value,
  disabled,
  onChange,
}: {
  label: string;
  hint?: string;
  value: string | undefined;
  disabled?: boolean;
  onChange: (moment: string | undefined) => void;
}): ReactNode {
  return (
    <TextField
      label={label}
      hint={hint}
      disabled={disabled}
      type="datetime-local"
      step={1}
      value={value?.replace(/(\.\d+)?Z$/, "") ?? ""}
      onChange={({ target }) => onChange(target.value === "" ? undefined : `${withSeconds(target.value)}Z`)}
    />
  );
}

/** Adds the seconds, which browsers omit if they are zero. */
function withSeconds(text: string): string {
  return text.length === 16 ? `${text}:00` : text;
}
