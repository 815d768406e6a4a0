import { ApiError } from "@mooring/client";
import { useEffect, useMemo, type ReactNode } from "react";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { errorPlace } from "~/kit/editor-completion.ts";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Select } from "~/kit/field.tsx";
import { countText } from "~/kit/figures.ts";
import { ResultGrid } from "~/kit/grid.tsx";
import type { GridRow } from "~/kit/grid-table.ts";
import { Empty } from "~/kit/page.tsx";
import { ResultChart } from "./chart.tsx";
import { StatusLine } from "./status-line.tsx";
import { LIMITS, type SqlPage } from "./use-sql.ts";

interface ResultsProps {
  page: SqlPage;
  examples: readonly { readonly title: string; readonly sql: string }[] | undefined;
  open: GridRow | null;
  onOpen: (row: GridRow) => void;
}

/** Shows the result of the run as a grid or as a chart. */
export function Results({ page, examples, open, onOpen }: ResultsProps): ReactNode {
  const { result, search, change, limit } = page;
  const isChart = search.view === "chart";
  if (result.status === "idle") return <Examples page={page} examples={examples} />;
  return (
    <section aria-label="Result" className="flex min-h-72 flex-1 flex-col rounded border border-line bg-sheet">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3.5 py-1">
        <StatusLine result={result} limit={limit} />
        <span className="ml-auto flex items-center gap-2">
          <label className="flex items-center gap-1.5 text-s whitespace-nowrap text-ink-3">
            Rows up to
            <Select className="h-6! w-auto!" value={limit} onChange={(event) => change({ limit: event.target.value })}>
              {LIMITS.map((each) => (
                <option key={each} value={each}>
                  {countText(Number(each))}
                </option>
              ))}
            </Select>
          </label>
          <Button
            className="h-6! px-2!"
            aria-pressed={isChart}
            onClick={() => change({ view: isChart ? undefined : "chart" })}
          >
            {isChart ? "Grid" : "Chart"}
          </Button>
        </span>
      </header>
      {result.error !== null && (
        <div className="p-3.5">
          <ErrorNote error={result.error} />
        </div>
      )}
      {result.columns.length > 0 &&
        (isChart ? (
          <ResultChart result={result} />
        ) : (
          <ResultGrid label="Result" columns={result.columns} rows={result.rows} open={open} onOpen={onOpen} />
        ))}
      {result.status === "done" && result.rows.length === 0 && (
        <p className="p-3.5 text-ink-2">The statement found no rows.</p>
      )}
    </section>
  );
}

/** Returns the place of the last run's error in the editor. */
export function useWrong({ result, text }: SqlPage): ReturnType<typeof errorPlace> {
  const { error, sql } = result;
  return useMemo(() => {
    if (error === null) return null;
    const place = errorPlace(sql, error.message, error instanceof ApiError ? error.position : null);
    // The person may have run only a selected part of the text.
    const start = text.indexOf(sql);
    return place === null || start < 0 ? null : { from: place.from + start, to: place.to + start };
  }, [error, sql, text]);
}

function Examples({ page, examples }: Pick<ResultsProps, "page" | "examples">): ReactNode {
  return (
    <section className="rounded border border-line bg-sheet">
      <h2 className="sr-only">Beginning</h2>
      <Empty title="Query with SQL">
        <p>
          One read-only statement in DuckDB's dialect over logs, metrics, traces and more. It reads all data that was
          acknowledged before it started. From a terminal:
        </p>
        <CopyBlock text={'npx mooring query "SELECT level, count(*) AS entries FROM logs GROUP BY level"'} />
        <p>Or start with one of these:</p>
        <ul className="flex w-full flex-col gap-1">
          {examples?.map(({ title, sql }) => (
            <li key={title}>
              <button
                type="button"
                className="group flex min-h-7 w-full flex-col items-start text-left"
                onClick={() => page.show(sql)}
              >
                <span className="text-sea group-hover:underline">{title}</span>
                <code className="max-w-full truncate text-s text-ink-3">{sql}</code>
              </button>
            </li>
          ))}
        </ul>
      </Empty>
    </section>
  );
}

/** Closes an open row when a new result arrives. */
export function useClosedByNewResult(columns: readonly unknown[], close: () => void): void {
  useEffect(close, [columns, close]);
}
