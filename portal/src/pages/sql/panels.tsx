import { useState, type ReactNode } from "react";
import { IconButton } from "~/kit/button.tsx";
import { TextInput } from "~/kit/field.tsx";
import { bytesText, countText, durationText, plural } from "~/kit/figures.ts";
import { Copyable } from "~/kit/copy.tsx";
import { Inspector } from "~/kit/inspector.tsx";
import { Loading } from "~/kit/page.tsx";
import { Time } from "~/kit/time.tsx";
import { useSchema } from "~/kit/sql-schema.ts";
import type { SqlPage } from "./use-sql.ts";

/** Lists the statements that ran in this browser. Statements with a star are first, and are never removed. */
export function HistoryPanel({ page, onClose }: { page: SqlPage; onClose: () => void }): ReactNode {
  const [wanted, setWanted] = useState("");
  const fitting = page.history.filter(({ sql }) => sql.toLowerCase().includes(wanted.toLowerCase()));
  const sorted = [...fitting.filter(({ starred }) => starred), ...fitting.filter(({ starred }) => !starred)];
  return (
    <Inspector title="History" onClose={onClose}>
      <p className="text-ink-2">Stored in this browser. Statements with a star are never removed.</p>
      <TextInput
        aria-label="Find in the history"
        placeholder="Find"
        value={wanted}
        onChange={(event) => setWanted(event.target.value)}
      />
      {sorted.length === 0 && (
        <p className="text-ink-3">{page.history.length === 0 ? "There are no statements yet." : "None fits."}</p>
      )}
      <ul className="flex flex-col">
        {sorted.map(({ sql, at, rows, elapsedMs, starred }) => (
          <li key={sql} className="flex items-start gap-1 border-b border-line py-1.5 last:border-0">
            <div className="min-w-0 flex-1">
              <button
                type="button"
                className="mono line-clamp-3 w-full text-left [overflow-wrap:anywhere] hover:text-sea"
                onClick={() => page.show(sql)}
              >
                {sql}
              </button>
              <p className="text-s text-ink-3">
                <Time at={at} />
                {rows === null ? ", failed" : `, ${plural(rows, "row")}`}
                {elapsedMs !== null && `, ${durationText(elapsedMs)}`}
              </p>
            </div>
            <IconButton
              label={starred ? "Remove the star" : "Add a star"}
              aria-pressed={starred}
              onClick={() => page.star(sql)}
            >
              {starred ? "★" : "☆"}
            </IconButton>
          </li>
        ))}
      </ul>
    </Inspector>
  );
}

/** Lists the tables and columns that the person may read, and the attributes with separate columns. */
export function SchemaPanel({ onClose }: { onClose: () => void }): ReactNode {
  const schema = useSchema();
  return (
    <Inspector title="Tables" onClose={onClose}>
      {schema === undefined && <Loading />}
      {schema?.tables.map((table) => (
        <details key={table.name} open={table.name === "logs"}>
          <summary className="min-h-6">
            <code className="font-medium">{table.name}</code> <span className="text-ink-3">{figuresText(table)}</span>
          </summary>
          <p className="text-s text-ink-2">{table.description}</p>
          <table className="mt-1 w-full border-collapse">
            <caption className="sr-only">Columns of {table.name}</caption>
            <tbody>
              {table.columns.map(({ name, type, description }) => (
                <tr key={name} className="border-t border-line align-top" title={description}>
                  <th scope="row" className="pr-2 text-left font-normal">
                    <Copyable text={name} />
                  </th>
                  <td className="mono py-1 text-s text-ink-3">{type.toLowerCase()}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {table.promoted_attributes.length > 0 && (
            <>
              <p className="mt-2 text-s text-ink-3">Attributes with separate columns</p>
              <ul className="flex flex-wrap gap-x-3">
                {table.promoted_attributes.map((name) => (
                  <li key={name}>
                    <Copyable text={`(attributes->>'${name.replaceAll("'", "''")}')`} shown={name} />
                  </li>
                ))}
              </ul>
            </>
          )}
        </details>
      ))}
      {schema !== undefined && (
        <p className="text-s text-ink-3">{countText(schema.functions.length)} functions. The editor completes them.</p>
      )}
    </Inspector>
  );
}

function figuresText(table: object): string {
  if (!("figures" in table) || table.figures === null || table.figures === undefined) return "";
  const { rows, bytes } = table.figures as { rows: number; bytes: number };
  return `${plural(rows, "row")}, ${bytesText(bytes)}`;
}
