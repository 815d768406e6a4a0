import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import type { ReactNode } from "react";
import { useAct, useRead } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Loaded, Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";

type Jobs = ResultOf<typeof PORTAL_ROUTES.listJobs>;
type Periodic = Jobs["periodic"][number];
type Queued = Jobs["queued"][number];

const REFRESH_MS = 3_000;

/** Shows all periodic work of the server with its last and next run and its result, and the queue. */
export function JobSection({ paused }: { paused: boolean }): ReactNode {
  const jobs = useRead(PORTAL_ROUTES.listJobs, {}, paused ? {} : { refetchMs: REFRESH_MS });
  return (
    <>
      <Section title="Periodic work" about="on each node: results on this node since its start" flush>
        <Loaded result={jobs}>{({ periodic }) => <PeriodicTable works={periodic} />}</Loaded>
      </Section>
      <Section title="Queue" about="of all nodes together" flush>
        <Loaded result={jobs}>
          {({ queued }) =>
            queued.length === 0 ? (
              <p className="p-3.5 text-ink-2">
                The queue is empty. Evaluations of alerts and deliveries appear here while they wait.
              </p>
            ) : (
              <Table label="Jobs in the queue, by kind" columns={QUEUE} items={queued} keyOf={({ kind }) => kind} />
            )
          }
        </Loaded>
      </Section>
    </>
  );
}

function PeriodicTable({ works }: { works: readonly Periodic[] }): ReactNode {
  const say = useSay();
  const run = useAct(PORTAL_ROUTES.runJob, { changes: [PORTAL_ROUTES.listJobs], onDone: () => say("It runs now.") });
  const begin = (name: string): void => run.mutate({ params: { name }, body: {}, purpose: "run it now" });
  return (
    <>
      <ErrorNote error={run.error} />
      <Table
        label="Periodic work"
        columns={periodicColumns(run.isPending, begin)}
        items={works}
        keyOf={({ name }) => name}
      />
    </>
  );
}

function periodicColumns(isBusy: boolean, begin: (name: string) => void): readonly Column<Periodic>[] {
  return [
    {
      title: "What",
      grow: true,
      cell: ({ name, does }) => (
        <span className="grid">
          <span>{name}</span>
          <span className="text-ink-2">{does}</span>
        </span>
      ),
    },
    { title: "On", cell: ({ on }) => (on === "one_node" ? "one node" : "each node") },
    { title: "Every", number: true, cell: (work) => <Every work={work} /> },
    { title: "Outcome", cell: (work) => <WorkState work={work} /> },
    { title: "Last run", cell: ({ last }) => (last === null ? "" : <Time at={last.started_at} />) },
    { title: "Took", number: true, cell: ({ last }) => (last === null ? "" : `${last.duration_ms} ms`) },
    { title: "Next run", cell: ({ next_at: at }) => (at === null ? "when needed" : <Time at={at} />) },
    {
      title: "Run",
      cell: ({ name, is_running: isRunning }) => (
        <Button
          look="quiet"
          className="h-6"
          disabled={isBusy || isRunning}
          aria-label={`Run now: ${name}`}
          onClick={() => begin(name)}
        >
          Run now
        </Button>
      ),
    },
  ];
}

function Every({ work: { every_ms: ms, setting } }: { work: Periodic }): ReactNode {
  if (ms === null) return "varies";
  return <span title={setting === null ? undefined : `setting ${setting}`}>{everyText(ms)}</span>;
}

function WorkState({ work: { is_running: isRunning, last } }: { work: Periodic }): ReactNode {
  if (isRunning) return <State kind="none">runs</State>;
  if (last === null) return <span className="text-ink-2">not yet</span>;
  if (last.failure === null) return <State kind="go">well</State>;
  return (
    <span title={last.failure}>
      <State kind="stop">failed</State>
      <span className="sr-only">: {last.failure}</span>
    </span>
  );
}

/** Parked jobs run again only when an operator resumes them. */
function Parked({ queued: { kind, parked, last_error: error } }: { queued: Queued }): ReactNode {
  const say = useSay();
  const run = useAct(PORTAL_ROUTES.runJob, { changes: [PORTAL_ROUTES.listJobs], onDone: () => say("It runs now.") });
  return (
    <span className="flex flex-wrap items-center gap-2" title={error ?? undefined}>
      <State kind="stop">{parked} parked</State>
      <Button
        look="quiet"
        className="h-6"
        disabled={run.isPending}
        aria-label={`Run now: ${kind}`}
        onClick={() => run.mutate({ params: { name: kind }, body: {}, purpose: "run it now" })}
      >
        Run now
      </Button>
      <ErrorNote error={run.error} />
    </span>
  );
}

const QUEUE: readonly Column<Queued>[] = [
  {
    title: "Kind",
    grow: true,
    cell: ({ kind, does }) => (
      <span className="grid">
        <code>{kind}</code>
        <span className="text-ink-2">{does}</span>
      </span>
    ),
  },
  {
    title: "State",
    cell: (queued) => {
      const { failing, parked, last_error: error } = queued;
      if (parked > 0) return <Parked queued={queued} />;
      return failing === 0 ? (
        <State kind="go">well</State>
      ) : (
        <span title={error ?? undefined}>
          <State kind="warn">{failing} tried again</State>
          <span className="sr-only">: {error}</span>
        </span>
      );
    },
  },
  {
    title: "Waiting",
    number: true,
    cell: ({ waiting, is_lower_bound: isCut }) => (isCut === true ? `> ${waiting}` : waiting),
  },
  { title: "Running", number: true, cell: ({ running }) => running },
  { title: "Next", cell: ({ next_at: at }) => (at === null ? "" : <Time at={at} />) },
];

function everyText(ms: number): string {
  return ms >= 60_000 ? `${Math.round(ms / 60_000)} min` : `${ms / 1000} s`;
}
