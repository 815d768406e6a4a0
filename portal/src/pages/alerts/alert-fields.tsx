import { ALERT_OPERATORS } from "@mooring/contract";
import type { ReactNode } from "react";
import { Checkbox, SelectField, TextField } from "~/kit/field.tsx";
import type { Draft, Faults } from "./alert-draft.ts";

interface FieldsProps {
  draft: Draft;
  faults: Faults;
  onChange: (change: Partial<Draft>) => void;
}

const NO_DATA: Readonly<Record<Draft["noData"], string>> = {
  ok: "ok",
  firing: "firing",
  keep: "no change",
};

/** The fields for the condition, the schedule and the destination. */
export function AlertFields({ draft, faults, onChange }: FieldsProps): ReactNode {
  return (
    <>
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-1 text-l font-medium">Fires when</legend>
        <div className="grid gap-3 sm:grid-cols-[1fr_110px_140px]">
          <TextField
            label="Column of the first row"
            hint="Empty: the number of rows."
            value={draft.column}
            error={faults.column}
            onChange={(event) => onChange({ column: event.target.value })}
          />
          <SelectField
            label="Is"
            value={draft.operator}
            onChange={(event) => {
              const operator = ALERT_OPERATORS.find((each) => each === event.target.value);
              if (operator !== undefined) onChange({ operator });
            }}
          >
            {ALERT_OPERATORS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </SelectField>
          <TextField
            label="Threshold"
            inputMode="decimal"
            value={draft.threshold}
            error={faults.threshold}
            onChange={(event) => onChange({ threshold: event.target.value })}
          />
        </div>
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField
            label="Times in a row"
            inputMode="numeric"
            value={draft.forEvaluations}
            error={faults.forEvaluations}
            onChange={(event) => onChange({ forEvaluations: event.target.value })}
          />
          <SelectField
            label="No row, or NULL, counts as"
            value={draft.noData}
            onChange={(event) => {
              const noData = (["ok", "firing", "keep"] as const).find((each) => each === event.target.value);
              if (noData !== undefined) onChange({ noData });
            }}
          >
            {Object.entries(NO_DATA).map(([id, title]) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </SelectField>
        </div>
      </fieldset>
      <ScheduleFields draft={draft} faults={faults} onChange={onChange} />
    </>
  );
}

function ScheduleFields({ draft, faults, onChange }: FieldsProps): ReactNode {
  return (
    <>
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-1 text-l font-medium">Schedule</legend>
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField
            label="Every"
            hint="For example 30s, 5m, 1h."
            value={draft.every}
            error={faults.every}
            onChange={(event) => onChange({ every: event.target.value })}
          />
          <TextField
            label="Over the last"
            hint="$from and $to of the statement. If it is longer than the interval, late entries are found."
            value={draft.window}
            error={faults.window}
            onChange={(event) => onChange({ window: event.target.value })}
          />
        </div>
      </fieldset>
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-1 text-l font-medium">Tells</legend>
        <TextField
          label="Address"
          hint="A public https address. It gets signed POST requests."
          type="url"
          placeholder="https://"
          value={draft.url}
          error={faults.url}
          onChange={(event) => onChange({ url: event.target.value })}
        />
        <TextField
          label="Reminder while it fires, after"
          hint="Nothing: once."
          value={draft.renotify}
          error={faults.renotify}
          onChange={(event) => onChange({ renotify: event.target.value })}
        />
        <Checkbox
          label="Send a message when it ends"
          checked={draft.notifyResolved}
          onChange={(event) => onChange({ notifyResolved: event.target.checked })}
        />
      </fieldset>
    </>
  );
}
