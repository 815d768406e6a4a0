import { PORTAL_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { useSay } from "~/kit/toast.tsx";
import { Copyable } from "~/kit/copy.tsx";
import { bytesText } from "~/kit/figures.ts";
import { Facts, Section } from "~/kit/page.tsx";
import { State, type StateKind } from "~/kit/state.tsx";
import { Time } from "~/kit/time.tsx";
import { diskKind, shareText } from "./lag.ts";
import type { Instance } from "./types.ts";

type Check = Instance["checks"][number];

const KINDS: Record<Check["state"], StateKind> = { ok: "go", warning: "warn", failed: "stop" };
const RANK: Record<Check["state"], number> = { failed: 0, warning: 1, ok: 2 };
const WORDS: Record<Check["state"], string> = { ok: "ok", warning: "warning", failed: "failed" };

/** Deletions by age wait while the server's clock is in doubt. The operator can accept the clock. */
function AcceptClock(): ReactNode {
  const say = useSay();
  const accept = useAct(PORTAL_ROUTES.acceptClock, {
    changes: [PORTAL_ROUTES.getInstance],
    onDone: () => say("The clock is accepted. Deletions resume."),
  });
  return (
    <div className="flex flex-col gap-1 border-b border-line px-3.5 py-2">
      <p className="text-ink-2">
        The clock is in doubt, so nothing is deleted by age. If the clock is wrong, correct it. If it is right, accept
        it.
      </p>
      <ErrorNote error={accept.error} />
      <Button
        className="self-start"
        disabled={accept.isPending}
        onClick={() => accept.mutate({ body: {}, purpose: "accept the clock" })}
      >
        Accept the clock
      </Button>
    </div>
  );
}

/** The server's checks, problems first. */
export function CheckSection({ checks }: { checks: Instance["checks"] }): ReactNode {
  const wrong = checks.filter(({ state }) => state !== "ok").length;
  return (
    <Section
      title="Checks"
      about={wrong === 0 ? `all ${checks.length} are good` : `${wrong} of ${checks.length} need attention`}
      flush
    >
      {checks.some(({ name, state }) => name === "deletions" && state !== "ok") && <AcceptClock />}
      <dl>
        {checks
          .toSorted((a, b) => RANK[a.state] - RANK[b.state])
          .map(({ name, state, detail }) => (
            <div
              key={name}
              className="grid grid-cols-[76px_minmax(0,1fr)] items-baseline gap-x-3 sm:grid-cols-[76px_104px_minmax(0,1fr)] border-b border-line px-3.5 py-1 last:border-b-0"
            >
              <dt className="col-start-2">{name}</dt>
              <dd className="col-start-1 row-start-1">
                <State kind={KINDS[state]}>{WORDS[state]}</State>
              </dd>
              {detail !== "" && (
                <dd className="col-start-2 text-s [overflow-wrap:anywhere] text-ink-2 sm:col-start-3 sm:row-start-1">
                  {detail}
                </dd>
              )}
            </div>
          ))}
      </dl>
    </Section>
  );
}

const STORES = {
  sqlite: "SQLite, in the data directory",
  postgres: "PostgreSQL",
  filesystem: "files, in the data directory",
  s3: "an S3 store",
  embedded: "embedded, in the data directory",
  clickhouse: "ClickHouse",
} as const;

/** Shows where data is stored, and how much space there is. */
export function FactSection({ instance }: { instance: Instance }): ReactNode {
  const { disk } = instance;
  return (
    <Section title="Storage and free space">
      <Facts
        items={[
          ["Records", STORES[instance.metadata]],
          ["Content", STORES[instance.objects]],
          ["Telemetry", STORES[instance.telemetry]],
          [
            "Disk",
            <span key="disk" className="flex flex-col gap-1">
              <State kind={diskKind(disk.free_bytes, disk.total_bytes)}>
                {bytesText(disk.free_bytes)} free of {bytesText(disk.total_bytes)}
              </State>
              <UsedBar used={disk.total_bytes - disk.free_bytes} total={disk.total_bytes} />
            </span>,
          ],
          ["Memory", `${bytesText(instance.memory_bytes)} in use by this process`],
          ["Master key", <Copyable key="key" text={instance.master_key_id} />],
          ["Started", <Time key="started" at={instance.started_at} />],
        ]}
      />
    </Section>
  );
}

/** A bar for the figure in the text next to it. */
function UsedBar({ used, total }: { used: number; total: number }): ReactNode {
  return (
    <svg
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      role="img"
      className="h-1.5 w-full max-w-[260px] rounded-sm bg-line"
    >
      <title>{`${shareText(used, total)} used`}</title>
      <path d={`M0 0h${total === 0 ? 0 : (100 * used) / total}v4H0z`} fill="var(--ink-3)" />
    </svg>
  );
}
