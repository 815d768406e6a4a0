import { TELEMETRY_SETTINGS_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { useMayIn } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { useOrganization } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { TextField } from "~/kit/field.tsx";
import { bytesText } from "~/kit/figures.ts";
import { Facts, Loaded, Section } from "~/kit/page.tsx";
import { useSay } from "~/kit/toast.tsx";
import { ChangeError, useVersionedChange, VersionedForm, type Versioned } from "~/kit/versioned.tsx";
import { AcceptedTimes, bodyOf, timesChangeOf, timesDraftOf, type TimesDraft } from "./accepted-times.tsx";
import { RetentionRules } from "./retention-rules.tsx";
import { changeOf, draftOf, losesOf, TYPES, type Draft } from "./days.ts";

type Settings = ResultOf<typeof TELEMETRY_SETTINGS_ROUTES.getTelemetrySettings>;

/** Sets how long each type of telemetry is kept, and shows the operator's limits on sending and storing. */
export function Retention(): ReactNode {
  return (
    <>
      <Section
        title="Retention and accepted times"
        about="Rows older than the retention are hidden, and deleted from the disk soon after. Entries outside the accepted times are refused when they arrive."
      >
        <VersionedForm row={TELEMETRY_SETTINGS_ROUTES.getTelemetrySettings} params={{}}>
          {(versioned, onReload) => <RetentionForm versioned={versioned} onReload={onReload} />}
        </VersionedForm>
      </Section>
      <RetentionRules />
      <Quotas />
    </>
  );
}

const CHANGES = [
  TELEMETRY_SETTINGS_ROUTES.getTelemetrySettings,
  TELEMETRY_SETTINGS_ROUTES.getTelemetryUsage,
  TELEMETRY_SETTINGS_ROUTES.getRetentionRules,
] as const;
const SAVED_LATER = "Saved. Older rows are kept during the grace.";

interface FormProps {
  versioned: Versioned<Settings>;
  onReload: () => void;
}

function RetentionForm({ versioned: { value: settings, etag }, onReload }: FormProps): ReactNode {
  const mayWrite = useMayIn(null, "org:write");
  const say = useSay();
  const [draft, setDraft] = useState<Draft>(() => draftOf(settings.retention_days));
  const [isConfirming, setConfirming] = useState(false);
  const [times, setTimes] = useState<TimesDraft>(() => timesDraftOf(settings.timestamps));
  const change = changeOf(settings.retention_days, draft);
  const timesChange = timesChangeOf(settings.timestamps, times);
  const isChanged = Object.keys(change).length > 0 || Object.keys(timesChange).length > 0;
  const losing = losesOf(settings.effective_retention_days, change);
  const save = useVersionedChange(TELEMETRY_SETTINGS_ROUTES.updateTelemetrySettings, {
    changes: CHANGES,
    onDone: () => say(losing.length > 0 ? SAVED_LATER : "Saved. The change applies at once."),
  });
  // The confirmation closes on an error. Then the form shows the error with the button that loads the new version.
  const apply = (): void =>
    save.mutate({ params: {}, body: bodyOf(change, timesChange), etag }, { onError: () => setConfirming(false) });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (losing.length > 0) setConfirming(true);
    else apply();
  };
  const { retention_days_max: most } = settings;
  return (
    <form onSubmit={submit}>
      <fieldset disabled={!mayWrite} className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-3">
          {TYPES.map((type) => (
            <TextField
              key={type}
              label={`${type.charAt(0).toUpperCase()}${type.slice(1)} (days)`}
              hint={`Empty: the server’s default. In force: ${daysText(settings.effective_retention_days[type])}.`}
              type="number"
              min={1}
              max={most ?? 36_500}
              value={draft[type]}
              onChange={(event) => setDraft({ ...draft, [type]: event.target.value })}
            />
          ))}
        </div>
        {most !== null && <p className="text-ink-2">The server keeps {most} days at most.</p>}
        <AcceptedTimes
          draft={times}
          onChange={setTimes}
          aheadSeconds={settings.effective_timestamps.ahead_seconds}
          daysMax={most ?? 36_500}
        />
        <ChangeError error={save.error} onReload={onReload} />
        <div>
          <Button look="main" type="submit" busy={save.isPending} disabled={!isChanged}>
            Save
          </Button>
        </div>
      </fieldset>
      {isConfirming && (
        <DangerDialog
          title="Shorten the retention"
          about={`Older ${losing.join(" and ")} are hidden after the grace (below, under Retention rules, you can undo the change until then), and deleted from the disk later. A longer retention does not restore deleted rows.`}
          type="delete older rows"
          action="Shorten"
          busy={save.isPending}
          error={save.error}
          onClose={() => setConfirming(false)}
          onConfirm={apply}
        />
      )}
    </form>
  );
}

function daysText(days: number | null): string {
  return days === null ? "kept until deleted" : days === 1 ? "1 day" : `${days} days`;
}

/** Shows the operator's limits, which the organization can't change. */
function Quotas(): ReactNode {
  const { slug } = useOrganization();
  const usage = useRead(TELEMETRY_SETTINGS_ROUTES.getTelemetryUsage, {});
  return (
    <Section title="Ingest quotas" about="Set by the operator of the server.">
      <Loaded result={usage}>
        {({ quota, stored_bytes: stored }) => (
          <Facts
            items={[
              [
                "Stored",
                quota.stored_bytes_max === null
                  ? `${bytesText(stored)}, no limit`
                  : `${bytesText(stored)} of ${bytesText(quota.stored_bytes_max)}`,
              ],
              [
                "Sent",
                quota.ingest_bytes_per_second === null
                  ? "no limit"
                  : `${bytesText(quota.ingest_bytes_per_second)} a second, ${bytesText(quota.ingest_bytes_burst ?? 0)} at once`,
              ],
              [
                "Beyond",
                "the request gets 429 quota_exceeded with Retry-After, and nothing of it is stored. Exporters retry it",
              ],
              [
                "More",
                <PageLink key="more" page="usage">
                  Usage and limits
                </PageLink>,
              ],
            ]}
          />
        )}
      </Loaded>
      <CopyBlock
        label="Command that sets the quotas, to run on the server"
        text={`npx mooring quota ${slug} --stored 50GiB --rate 2MiB --burst 20MiB --data-dir ./data`}
      />
    </Section>
  );
}
