import { QUERY_LOG_MODES, TELEMETRY_SETTINGS_ROUTES, type QueryLogMode, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useMayIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { SelectField, TextField } from "~/kit/field.tsx";
import { plural } from "~/kit/figures.ts";
import { useSay } from "~/kit/toast.tsx";
import { ChangeError, useVersionedChange, type Versioned } from "~/kit/versioned.tsx";

type Settings = ResultOf<typeof TELEMETRY_SETTINGS_ROUTES.getQueryLogSettings>;

const MODES: Readonly<Record<QueryLogMode, string>> = { off: "Nothing", all: "Every statement" };

/** Switches the query log, and sets how long its rows are kept. */
export function SettingsForm({
  versioned: { value: settings, etag },
  onReload,
}: {
  versioned: Versioned<Settings>;
  onReload: () => void;
}): ReactNode {
  const mayWrite = useMayIn(null, "org:write");
  const say = useSay();
  const [mode, setMode] = useState<QueryLogMode>(settings.mode);
  const [days, setDays] = useState(settings.retention_days === null ? "" : String(settings.retention_days));
  const save = useVersionedChange(TELEMETRY_SETTINGS_ROUTES.updateQueryLogSettings, {
    changes: [TELEMETRY_SETTINGS_ROUTES.getQueryLogSettings],
    onDone: () => say("Saved. Every server applies it within seconds."),
  });
  const next = { mode, retention_days: days === "" ? null : Number(days) };
  const isSame = next.mode === settings.mode && next.retention_days === settings.retention_days;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate({ params: {}, body: next, etag });
  };
  const { effective_retention_days: effective } = settings;
  return (
    <form onSubmit={submit}>
      <fieldset disabled={!mayWrite} className="flex flex-col gap-3">
        <div className="grid items-start gap-4 sm:grid-cols-3">
          <SelectField
            label="Record"
            value={mode}
            onChange={({ target }) => setMode(QUERY_LOG_MODES.find((each) => each === target.value) ?? "all")}
          >
            {QUERY_LOG_MODES.map((each) => (
              <option key={each} value={each}>
                {MODES[each]}
              </option>
            ))}
          </SelectField>
          <TextField
            label="Rows are kept for (days)"
            hint={`Empty: the server’s default. In force: ${effective === null ? "kept until deleted" : plural(effective, "day")}.`}
            type="number"
            min={1}
            max={36_500}
            value={days}
            onChange={(event) => setDays(event.target.value)}
          />
        </div>
        <ChangeError error={save.error} onReload={onReload} />
        <div>
          <Button look="main" type="submit" busy={save.isPending} disabled={isSame}>
            Save
          </Button>
        </div>
      </fieldset>
    </form>
  );
}
