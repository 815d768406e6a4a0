import { TELEMETRY_SETTINGS_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct, useRead } from "~/api/queries.ts";
import { useMayIn } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { useOrganization } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { bytesText } from "~/kit/figures.ts";
import { Facts, Loaded, Section } from "~/kit/page.tsx";
import { useSay } from "~/kit/toast.tsx";
import { changeOf, draftOf, losesOf, TYPES, type Draft } from "./days.ts";

type Settings = ResultOf<typeof TELEMETRY_SETTINGS_ROUTES.getTelemetrySettings>;

/** How long each type of telemetry is kept, and what the operator lets the organization send and store. */
export function Retention(): ReactNode {
  const settings = useRead(TELEMETRY_SETTINGS_ROUTES.getTelemetrySettings, {});
  return (
    <>
      <Section title="Retention" about="Rows that are older are not shown, and their files are deleted soon after.">
        <Loaded result={settings}>
          {(loaded) => <RetentionForm key={JSON.stringify(loaded)} settings={loaded} />}
        </Loaded>
      </Section>
      <Quotas />
    </>
  );
}

function RetentionForm({ settings }: { settings: Settings }): ReactNode {
  const mayWrite = useMayIn(null, "org:write");
  const say = useSay();
  const [draft, setDraft] = useState<Draft>(() => draftOf(settings.retention_days));
  const [isConfirming, setConfirming] = useState(false);
  const change = changeOf(settings.retention_days, draft);
  const losing = losesOf(settings.effective_retention_days, change);
  const save = useAct(TELEMETRY_SETTINGS_ROUTES.updateTelemetrySettings, {
    changes: [TELEMETRY_SETTINGS_ROUTES.getTelemetrySettings, TELEMETRY_SETTINGS_ROUTES.getTelemetryUsage],
    onDone: () => say("The retention holds from now on"),
  });
  const apply = (): void => save.mutate({ body: { retention_days: change } });
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
        <ErrorNote error={save.error} />
        <div>
          <Button look="main" type="submit" busy={save.isPending} disabled={Object.keys(change).length === 0}>
            Save
          </Button>
        </div>
      </fieldset>
      {isConfirming && (
        <DangerDialog
          title="Shorten the retention"
          about={`Of ${losing.join(" and ")}, what is older is no longer shown within seconds, and is deleted from the disk soon after. A longer retention brings nothing back that was deleted.`}
          type="delete older rows"
          action="Shorten it"
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

/** What the operator allows; this organization can look at it, and not change it. */
function Quotas(): ReactNode {
  const { slug } = useOrganization();
  const usage = useRead(TELEMETRY_SETTINGS_ROUTES.getTelemetryUsage, {});
  return (
    <Section title="Ingest quotas" about="Set by who runs the server.">
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
                "429 quota_exceeded with Retry-After; nothing of the request is kept, and exporters send again",
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
        label="Command that sets the quotas, on the server’s machine"
        text={`npx mooring quota ${slug} --stored 50GiB --rate 2MiB --burst 20MiB --data-dir ./data`}
      />
    </Section>
  );
}
