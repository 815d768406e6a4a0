import type { ReactNode } from "react";
import { PageLink } from "~/app/page-link.tsx";
import { useSearchState } from "~/app/search.ts";
import { useSql } from "~/kit/chart-query.ts";
import { numberOf, textOf, type SqlRow } from "~/kit/chart-rows.ts";
import { CopyBlock } from "~/kit/copy.tsx";
import { SelectField } from "~/kit/field.tsx";
import { bytesText, durationText, plural } from "~/kit/figures.ts";
import { useNames } from "~/kit/names.ts";
import { Empty, Loaded, Section } from "~/kit/page.tsx";
import { State, type StateKind } from "~/kit/state.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { actorOf, logStatement, PERIODS, reasonsOf, ROWS_MAX, type Period } from "./log.ts";
import { Statement, Who } from "./parts.tsx";

type Search = { show?: string | undefined; days?: string | number | undefined };

const REFRESH_MS = 10_000;

/** Lists the statements that ended, from the query log: the slow ones with their reasons, or all. */
export function EndedQueries(): ReactNode {
  const [search, change] = useSearchState<Search>();
  const isSlow = search.show !== "all";
  const period = periodOf(search.days);
  const sql = logStatement({ isSlow, period });
  const result = useSql({ sql }, { refetchMs: REFRESH_MS });
  return (
    <Section title="Ended" about="from the query log" flush>
      <div className="flex flex-wrap items-end gap-4 p-3.5">
        <SelectField
          label="Show"
          value={isSlow ? "slow" : "all"}
          onChange={({ target }) => change({ show: target.value === "all" ? "all" : undefined })}
        >
          <option value="slow">slow ones (a second or more)</option>
          <option value="all">all</option>
        </SelectField>
        <SelectField
          label="Of"
          value={period}
          onChange={({ target }) => change({ days: target.value === "1" ? undefined : target.value })}
        >
          {Object.entries(PERIODS).map(([days, text]) => (
            <option key={days} value={days}>
              {text}
            </option>
          ))}
        </SelectField>
        <PageLink page="sql" search={{ sql }} className="pb-2 text-sea hover:underline">
          The same as SQL
        </PageLink>
      </div>
      <Loaded result={result}>{() => <Rows rows={result.rows} isSlow={isSlow} />}</Loaded>
    </Section>
  );
}

function periodOf(days: string | number | undefined): Period {
  return (Object.keys(PERIODS) as Period[]).find((each) => each === String(days)) ?? "1";
}

function Rows({ rows, isSlow }: { rows: readonly SqlRow[]; isSlow: boolean }): ReactNode {
  const nameOf = useNames();
  if (rows.length === 0) return <NothingEnded isSlow={isSlow} />;
  return (
    <>
      <Table label="Ended queries" columns={columnsOf(nameOf)} items={rows} keyOf={(row) => textOf(row, "id")} />
      {rows.length >= ROWS_MAX && (
        <p className="p-3.5 text-ink-2">
          Only the {isSlow ? "slowest" : "newest"} {ROWS_MAX} are shown.
        </p>
      )}
    </>
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
      <CopyBlock text={`mooring query "SELECT * FROM query_log ORDER BY timestamp DESC LIMIT 20"`} />
    </Empty>
  );
}

function columnsOf(nameOf: (id: string) => string | undefined): readonly Column<SqlRow>[] {
  return [
    { title: "Asked", cell: (row) => <Time at={textOf(row, "timestamp")} /> },
    { title: "Statement", grow: true, cell: (row) => <Statement sql={textOf(row, "statement")} /> },
    { title: "Who", cell: (row) => <Who actor={actorOf(row)} nameOf={nameOf} /> },
    { title: "Outcome", cell: (row) => <Outcome row={row} /> },
    { title: "Took", number: true, cell: (row) => <Took row={row} /> },
    { title: "Why", cell: (row) => reasonsOf(row).map((reason) => <Reason key={reason} text={reason} />) },
    { title: "Read", number: true, cell: (row) => <Read row={row} /> },
  ];
}

const KINDS: Readonly<Record<string, StateKind>> = { done: "go", failed: "stop", cancelled: "none", refused: "warn" };

function Outcome({ row }: { row: SqlRow }): ReactNode {
  const state = textOf(row, "state");
  const detail = textOf(row, "detail") || textOf(row, "code");
  return (
    <span title={detail || undefined}>
      <State kind={KINDS[state] ?? "none"}>{state}</State>
      {detail !== "" && <span className="sr-only">: {detail}</span>}
    </span>
  );
}

const PARTS = { waited: "wait_ms", planned: "plan_ms", ran: "run_ms", sent: "send_ms" } as const;

function Took({ row }: { row: SqlRow }): ReactNode {
  const parts = Object.entries(PARTS).map(([name, column]) => `${name} ${durationText(numberOf(row, column))}`);
  return <span title={parts.join(", ")}>{durationText(numberOf(row, "elapsed_ms"))}</span>;
}

function Read({ row }: { row: SqlRow }): ReactNode {
  const [files, skipped] = [numberOf(row, "files_read"), numberOf(row, "blocks_skipped")];
  return (
    <span title={`${plural(files, "file")}; ${plural(skipped, "file")} left out because of their times`}>
      {bytesText(numberOf(row, "bytes_read"))}
    </span>
  );
}

function Reason({ text }: { text: string }): ReactNode {
  return <span className="block">{text}</span>;
}
