import { useState, type ReactNode } from "react";
import { PageLink } from "~/app/page-link.tsx";
import { Button } from "~/kit/button.tsx";
import { Copyable, CopyButton } from "~/kit/copy.tsx";
import type { GridColumn, GridRow } from "~/kit/grid-table.ts";
import { cellText, kindOf, rowText, wholeText } from "~/kit/grid-values.ts";
import { Inspector } from "~/kit/inspector.tsx";
import { isMoment, ownZoneText } from "~/kit/time-range.ts";

const SHOWN_MAX = 4000;

/** Shows one row with its full values. Objects and lists can be expanded level by level. */
export function RowInspector({
  row,
  columns,
  onClose,
}: {
  row: GridRow;
  columns: readonly GridColumn[];
  onClose: () => void;
}): ReactNode {
  return (
    <Inspector
      title="Row"
      onClose={onClose}
      actions={<CopyButton text={JSON.stringify(row, null, 2)} label="Copy JSON" />}
    >
      <dl className="flex flex-col gap-2">
        {columns.map(({ name, type }) => (
          <div key={name} className="border-b border-line pb-2 last:border-0">
            <dt className="flex items-baseline gap-2">
              <span className="mono font-medium">{name}</span>
              <span className="mono min-w-0 flex-1 truncate text-xs text-ink-3">{type.toLowerCase()}</span>
              {row[name] !== null && (
                <CopyButton text={wholeText(row[name])} className="h-6! border-transparent px-1.5! text-s" />
              )}
            </dt>
            <dd className="mono min-w-0 [overflow-wrap:anywhere]">
              <Value name={name} type={type} value={row[name] ?? null} />
            </dd>
          </div>
        ))}
      </dl>
      <CopyButton text={rowText(columns.map(({ name }) => row[name]))} label="Copy for a spreadsheet" />
    </Inspector>
  );
}

function Value({ name, type, value }: { name: string; type: string; value: unknown }): ReactNode {
  const [whole, setWhole] = useState(false);
  if (value === null) return <span className="text-ink-3 italic">NULL</span>;
  if (name === "trace_id" && typeof value === "string")
    return (
      <span className="flex items-center gap-2">
        <Copyable text={value} />
        <PageLink page="traces" search={{ trace: value }}>
          Show trace
        </PageLink>
      </span>
    );
  const parts = partsOf(value);
  if (parts !== null) return <Tree value={parts} />;
  const text = wholeText(value);
  return (
    <>
      <span className="whitespace-pre-wrap">{whole ? text : text.slice(0, SHOWN_MAX)}</span>
      {text.length > SHOWN_MAX && !whole && (
        <Button look="quiet" className="h-6!" onClick={() => setWhole(true)}>
          Show all
        </Button>
      )}
      {kindOf(type) === "time" && isMoment(text) && (
        <span className="block text-s text-ink-3">{ownZoneText(text)}, your time</span>
      )}
    </>
  );
}

/** Returns an object or list, also from a text with JSON, or null. */
function partsOf(value: unknown): object | null {
  if (typeof value === "object") return value;
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return null;
  try {
    return JSON.parse(value) as object;
  } catch {
    return null;
  }
}

const ENTRIES_MAX = 200;

function Tree({ value }: { value: object }): ReactNode {
  const entries = Object.entries(value);
  return (
    <ul className="border-l border-line pl-2">
      {entries.slice(0, ENTRIES_MAX).map(([name, part]) => (
        <li key={name}>
          {typeof part === "object" && part !== null ? (
            <details open={Object.keys(part as object).length <= 8}>
              <summary className="min-h-6 text-ink-3">
                {name}{" "}
                <span className="text-xs">
                  {Array.isArray(part) ? `[${part.length}]` : `{${Object.keys(part as object).length}}`}
                </span>
              </summary>
              <Tree value={part as object} />
            </details>
          ) : (
            <span className="flex min-h-6 items-start gap-2">
              <span className="text-ink-3">{name}</span>
              <Copyable text={cellText(part)} />
            </span>
          )}
        </li>
      ))}
      {entries.length > ENTRIES_MAX && (
        <li className="text-ink-3">and {entries.length - ENTRIES_MAX} more; copy the row to see all</li>
      )}
    </ul>
  );
}
