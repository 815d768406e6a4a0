import type { BodyOf, TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { TextField } from "~/kit/field.tsx";

type Body = BodyOf<typeof TELEMETRY_SETTINGS_ROUTES.updateTelemetrySettings>;
type Limits = Readonly<Record<"behind_days" | "ahead_seconds", number | null>>;
/** The texts in the form; empty: the server's default. */
export type TimesDraft = Readonly<Record<keyof Limits, string>>;

export function timesDraftOf(limits: Limits): TimesDraft {
  const text = (value: number | null): string => (value === null ? "" : String(value));
  return { behind_days: text(limits.behind_days), ahead_seconds: text(limits.ahead_seconds) };
}

/** Returns the limits that have changed. */
export function timesChangeOf(before: Limits, draft: TimesDraft): Partial<Limits> {
  const names = ["behind_days", "ahead_seconds"] as const;
  const entries = names.map((name) => [name, draft[name] === "" ? null : Number(draft[name])] as const);
  return Object.fromEntries(entries.filter(([name, value]) => value !== before[name]));
}

/** Returns the body of a change, without empty parts, since the API refuses those. */
export function bodyOf(days: NonNullable<Body["retention_days"]>, times: Partial<Limits>): Body {
  return {
    ...(Object.keys(days).length > 0 && { retention_days: days }),
    ...(Object.keys(times).length > 0 && { timestamps: times }),
  };
}

interface AcceptedTimesProps {
  draft: TimesDraft;
  onChange: (draft: TimesDraft) => void;
  aheadSeconds: number;
  daysMax: number;
}

const AHEAD_SECONDS_MAX = 10 * 365 * 86_400;

/** The fields that limit the times of entries. */
export function AcceptedTimes({ draft, onChange, aheadSeconds, daysMax }: AcceptedTimesProps): ReactNode {
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <TextField
        label="Oldest accepted entry (days)"
        hint="Empty: as old as the retention, or ten years without one."
        type="number"
        min={1}
        max={daysMax}
        value={draft.behind_days}
        onChange={(event) => onChange({ ...draft, behind_days: event.target.value })}
      />
      <TextField
        label="Furthest in the future (seconds)"
        hint={`Empty: one hour. In force: ${aheadSeconds} seconds.`}
        type="number"
        min={0}
        max={AHEAD_SECONDS_MAX}
        value={draft.ahead_seconds}
        onChange={(event) => onChange({ ...draft, ahead_seconds: event.target.value })}
      />
    </div>
  );
}
