import { RUNNING_QUERY_ROUTES, type ResultOf } from "@mooring/contract";
import type { ReactNode } from "react";
import { useAct, useRead } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { bytesText, durationText, plural } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { useNames } from "~/kit/names.ts";
import { Loaded, Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { useSay } from "~/kit/toast.tsx";
import { Statement, Who } from "./parts.tsx";

type Running = ResultOf<typeof RUNNING_QUERY_ROUTES.listQueries>["items"][number];

const REFRESH_MS = 2000;
/** From this number on, all queries of an actor can be cancelled at once. */
const MANY = 3;
const CHANGES = [RUNNING_QUERY_ROUTES.listQueries] as const;

/** Lists the queries that run and wait, with buttons that cancel them. */
export function RunningQueries(): ReactNode {
  const running = useRead(RUNNING_QUERY_ROUTES.listQueries, {}, { refetchMs: REFRESH_MS });
  return (
    <Section title="Running and waiting" about="refreshed every two seconds" flush>
      <Loaded result={running}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="p-3.5 text-ink-2">No query runs now. A query appears here while it waits or runs.</p>
          ) : (
            <RunningTable items={items} />
          )
        }
      </Loaded>
    </Section>
  );
}

function RunningTable({ items }: { items: readonly Running[] }): ReactNode {
  const say = useSay();
  const nameOf = useNames();
  const cancel = useAct(RUNNING_QUERY_ROUTES.cancelQuery, { changes: CHANGES, onDone: () => say("Cancelled.") });
  const cancelAll = useAct(RUNNING_QUERY_ROUTES.cancelQueries, {
    changes: CHANGES,
    onDone: ({ cancelled }) => say(`Cancelled ${plural(cancelled, "query", "queries")}.`),
  });
  const many = [...Map.groupBy(items, ({ actor }) => actor.id)].filter(([, own]) => own.length >= MANY);
  const isBusy = cancel.isPending || cancelAll.isPending;
  const columns = columnsOf(nameOf, (id) => (
    <Button
      look="quiet"
      className="h-6"
      disabled={isBusy}
      aria-label={`Cancel query ${id}`}
      onClick={() => cancel.mutate({ params: { statement_id: id }, purpose: "cancel the query" })}
    >
      Cancel
    </Button>
  ));
  return (
    <>
      <ErrorNote error={cancel.error ?? cancelAll.error} />
      {many.length > 0 && (
        <div className="flex flex-wrap gap-2 p-3.5">
          {many.map(([actor, own]) => (
            <Button
              key={actor}
              disabled={isBusy}
              onClick={() => cancelAll.mutate({ query: { actor }, purpose: "cancel the queries" })}
            >
              Cancel all {own.length} of {visibleText(nameOf(actor) ?? actor)}
            </Button>
          ))}
        </div>
      )}
      <Table label="Running queries" columns={columns} items={items} keyOf={({ id }) => id} />
    </>
  );
}

function columnsOf(
  nameOf: (id: string) => string | undefined,
  button: (id: string) => ReactNode,
): readonly Column<Running>[] {
  return [
    { title: "Statement", grow: true, cell: ({ statement }) => <Statement sql={statement} /> },
    { title: "Who", cell: ({ actor }) => <Who actor={actor} nameOf={nameOf} /> },
    {
      title: "State",
      cell: ({ state }) => <State kind={state === "running" ? "go" : "warn"}>{state}</State>,
    },
    { title: "Waited", number: true, cell: ({ waited_ms: ms }) => durationText(ms) },
    {
      title: "Runs for",
      number: true,
      cell: ({ running_ms: ms, state }) => (state === "running" ? durationText(ms) : ""),
    },
    {
      title: "Opens",
      number: true,
      cell: ({ bytes_planned: bytes }) => (bytes === null ? "" : bytesText(bytes)),
    },
    { title: "Cancel", cell: ({ id }) => button(id) },
  ];
}
