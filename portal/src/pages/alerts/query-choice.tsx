import { QUERY_ROUTES, SAVED_QUERY_ROUTES, type ResultOf } from "@mooring/contract";
import type { ReactNode } from "react";
import { useAct, useList } from "~/api/queries.ts";
import { useWhyNotIn } from "~/app/may.ts";
import { useProject } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { SelectField } from "~/kit/field.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { SqlField } from "~/kit/sql-field.tsx";
import { State } from "~/kit/state.tsx";
import { holds, secondsOf, type Draft } from "./alert-draft.ts";

export type SavedQuery = ResultOf<typeof SAVED_QUERY_ROUTES.getSavedQuery>;

export const NEW_QUERY = "";
export const FIRST_SQL = `SELECT message FROM logs
WHERE level = 'error'
  AND timestamp >= $from::TIMESTAMPTZ AND timestamp < $to::TIMESTAMPTZ`;

/** Chooses the statement that an alert runs: a saved query, or a new one, which is saved with the alert. */
export function QueryChoice({
  queryId,
  sql,
  draft,
  onQuery,
  onSql,
}: {
  queryId: string;
  sql: string;
  draft: Draft;
  onQuery: (id: string) => void;
  onSql: (sql: string) => void;
}): ReactNode {
  const project = useProject();
  const whyNotSave = useWhyNotIn(project?.id ?? null, "telemetry:write");
  const maySave = whyNotSave === undefined;
  const saved = useList(SAVED_QUERY_ROUTES.listSavedQueries, {
    query: { limit: 100, ...(project === null ? {} : { project: project.slug }) },
  });
  const chosen = saved.items.find(({ id }) => id === queryId);
  return (
    <>
      <SelectField
        label="Query"
        hint={maySave ? undefined : `You can't write a new statement: ${whyNotSave}.`}
        value={queryId}
        onChange={(event) => onQuery(event.target.value)}
      >
        <option value={NEW_QUERY} disabled={!maySave}>
          A new statement, saved under the alert's name
        </option>
        {saved.items.map(({ id, name }) => (
          <option key={id} value={id}>
            {visibleText(name)}
          </option>
        ))}
      </SelectField>
      {saved.hasMore && (
        <Button className="self-start" onClick={saved.loadMore} busy={saved.isLoadingMore}>
          More saved queries
        </Button>
      )}
      {queryId === NEW_QUERY ? (
        <SqlField
          label="Statement"
          hint="$from and $to are the bounds of the time range. Tab goes to the next field."
          value={sql}
          onChange={onSql}
        />
      ) : (
        chosen !== undefined && (
          <pre className="overflow-auto rounded border border-line bg-well p-2 text-s whitespace-pre-wrap">
            {visibleText(chosen.sql, { lines: true })}
          </pre>
        )
      )}
      <TryNow sql={queryId === NEW_QUERY ? sql : (chosen?.sql ?? "")} parameters={chosen?.parameters} draft={draft} />
    </>
  );
}

const ROWS_MAX = 10_000;

/** Runs the statement over a window that ends now, and shows the result of the condition. */
function TryNow({
  sql,
  parameters,
  draft,
}: {
  sql: string;
  parameters: SavedQuery["parameters"] | undefined;
  draft: Draft;
}): ReactNode {
  const run = useAct(QUERY_ROUTES.query);
  const windowS = secondsOf(draft.window === "" ? draft.every : draft.window);
  const tryIt = (): void => {
    const to = new Date();
    const from = new Date(to.getTime() - windowS * 1000);
    const bounds = { from: from.toISOString(), to: to.toISOString() };
    const given = Array.isArray(parameters) || parameters === undefined ? {} : parameters;
    const named = Object.fromEntries(Object.entries(bounds).filter(([name]) => sql.includes(`$${name}`)));
    run.mutate({ body: { sql, parameters: { ...given, ...named }, limit: ROWS_MAX } });
  };
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button onClick={tryIt} busy={run.isPending} disabled={sql.trim() === "" || !(windowS > 0)}>
        Try it now
      </Button>
      <span role="status" className="min-w-0">
        {run.data !== undefined && <Outcome answer={run.data} draft={draft} />}
      </span>
      <ErrorNote error={run.error} />
    </div>
  );
}

function Outcome({ answer, draft }: { answer: ResultOf<typeof QUERY_ROUTES.query>; draft: Draft }): ReactNode {
  const column = draft.column.trim();
  const first = answer.rows[0];
  if (column !== "" && first !== undefined && !(column in first))
    return <State kind="warn">there is no column of this name</State>;
  const value = column === "" ? answer.row_count : first?.[column];
  if (value === undefined || value === null)
    return <State kind="none">no row, or NULL: counts as {draft.noData}</State>;
  const number = Number(value);
  if (!Number.isFinite(number)) return <State kind="warn">the column contains a value that is not a number</State>;
  const isFiring = holds(number, { operator: draft.operator, threshold: Number(draft.threshold) });
  return (
    <State kind={isFiring ? "stop" : "go"}>
      {column === "" ? "number of rows" : column} is {number}: {isFiring ? "it would fire" : "it would not fire"}
    </State>
  );
}
