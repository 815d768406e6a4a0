import { RUNNING_QUERY_ROUTES, SLOW_REASONS, type ResultOf } from "@mooring/contract";
import type { ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { useSearchState } from "~/app/search.ts";
import { CopyBlock } from "~/kit/copy.tsx";
import { SelectField } from "~/kit/field.tsx";
import { bytesText, durationText, plural } from "~/kit/figures.ts";
import { useNames } from "~/kit/names.ts";
import { Empty, Loaded, Section } from "~/kit/page.tsx";
import { State, type StateKind } from "~/kit/state.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { Statement, Who } from "./parts.tsx";

type Ended = ResultOf<typeof RUNNING_QUERY_ROUTES.listEndedQueries>["items"][number];
type Search = { show?: string | undefined };

const REFRESH_MS = 5000;

/** Lists the last queries that ended: the slow ones with their reasons, or all. */
export function EndedQueries(): ReactNode {
  const [{ show = "slow" }, change] = useSearchState<Search>();
  const nameOf = useNames();
  const isSlow = show !== "all";
  const ended = useRead(
    RUNNING_QUERY_ROUTES.listEndedQueries,
    { query: { limit: 100, ...(isSlow ? { slow: true } : {}) } },
    { refetchMs: REFRESH_MS },
  );
  return (
    <Section title="Ended" about="of the last day, on the server that answers" flush>
      <div className="max-w-xs p-3.5">
        <SelectField
          label="Show"
          value={isSlow ? "slow" : "all"}
          onChange={(event) => change({ show: event.target.value === "all" ? "all" : undefined })}
        >
          <option value="slow">slow ones (a second or more)</option>
          <option value="all">all</option>
        </SelectField>
      </div>
      <Loaded result={ended}>
        {({ items }) =>
          items.length === 0 ? (
            <NothingEnded isSlow={isSlow} />
          ) : (
            <Table label="Ended queries" columns={columnsOf(nameOf)} items={items} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </Section>
  );
}

function NothingEnded({ isSlow }: { isSlow: boolean }): ReactNode {
  return (
    <Empty title={isSlow ? "No slow queries" : "No queries yet"}>
      <p>
        {isSlow
          ? "A query of a second or more appears here with the reasons: for example that it waited for others, or read all files of a table."
          : "Each query appears here when it has ended, with what it read."}
      </p>
      <CopyBlock text={`mooring query ended${isSlow ? " --slow" : ""}`} />
    </Empty>
  );
}

function columnsOf(nameOf: (id: string) => string | undefined): readonly Column<Ended>[] {
  return [
    { title: "Asked", cell: ({ asked_at: at }) => <Time at={at} /> },
    { title: "Statement", grow: true, cell: ({ statement }) => <Statement sql={statement} /> },
    { title: "Who", cell: ({ actor }) => <Who actor={actor} nameOf={nameOf} /> },
    { title: "Outcome", cell: (query) => <Outcome query={query} /> },
    { title: "Took", number: true, cell: (query) => <Took query={query} /> },
    { title: "Why", cell: ({ slow }) => <Why reasons={slow} /> },
    {
      title: "Read",
      number: true,
      cell: ({ bytes_read: bytes, files_read: files, blocks_skipped: skipped }) => (
        <span title={`${plural(files, "file")}; ${plural(skipped, "file")} left out because of their times`}>
          {bytesText(bytes)}
        </span>
      ),
    },
  ];
}

const KINDS: Readonly<Record<Ended["state"], StateKind>> = {
  done: "go",
  failed: "stop",
  cancelled: "none",
  refused: "warn",
};

function Outcome({ query: { state, code, detail } }: { query: Ended }): ReactNode {
  return (
    <span title={detail ?? code ?? undefined}>
      <State kind={KINDS[state]}>{state}</State>
      {detail !== null && <span className="sr-only">: {detail}</span>}
    </span>
  );
}

function Took({ query }: { query: Ended }): ReactNode {
  const { elapsed_ms: ms, wait_ms: wait, plan_ms: plan, run_ms: run, send_ms: send } = query;
  const parts = [
    ["waited", wait],
    ["planned", plan],
    ["ran", run],
    ["sent", send],
  ] as const;
  return (
    <span title={parts.map(([name, part]) => `${name} ${durationText(part)}`).join(", ")}>{durationText(ms)}</span>
  );
}

function Why({ reasons }: { reasons: Ended["slow"] }): ReactNode {
  return reasons.map((reason) => (
    <span key={reason} className="block">
      {SLOW_REASONS[reason]}
    </span>
  ));
}
