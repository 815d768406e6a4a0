import { useState, type ReactNode } from "react";
import { PageLink } from "~/app/page-link.tsx";
import { useAddresses } from "~/api/addresses.ts";
import { Button, buttonClass, IconButton } from "~/kit/button.tsx";
import { Copyable } from "~/kit/copy.tsx";
import { Inspector } from "~/kit/inspector.tsx";
import { Menu, MenuItem } from "~/kit/menu.tsx";
import { Facts } from "~/kit/page.tsx";
import { queryCurl } from "~/kit/query-snippets.ts";
import { ownZoneText } from "~/kit/time-range.ts";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import { attributePairs, justAfter, type LogEntry } from "./entry.ts";
import { Level } from "./level.tsx";
import { ENTRY_COLUMNS } from "./log-query.ts";
import { fieldTerm } from "./search-language.ts";

interface EntryInspectorProps {
  entry: LogEntry;
  onClose: () => void;
  /** Adds a term to the search. */
  onTerm: (term: string) => void;
  /** The address of this entry. */
  permalink: string;
}

/** Shows one entry, with links to related entries and traces. */
export function EntryInspector({ entry, onClose, onTerm, permalink }: EntryInspectorProps): ReactNode {
  return (
    <Inspector title="Entry" onClose={onClose} actions={<CopyMenu entry={entry} permalink={permalink} />}>
      <p className="mono max-h-72 overflow-auto [overflow-wrap:anywhere] whitespace-pre-wrap">{entry.message}</p>
      <Facts items={factsOf(entry, onTerm)} />
      <h3>Attributes</h3>
      <Attributes entry={entry} onTerm={onTerm} />
      {entry.trace_id !== null && entry.trace_id !== "" && (
        <PageLink page="traces" search={{ trace: entry.trace_id }} className={buttonClass()}>
          Show trace
        </PageLink>
      )}
    </Inspector>
  );
}

function factsOf(entry: LogEntry, onTerm: (term: string) => void): (readonly [string, ReactNode])[] {
  const field = (name: string, value: string, shown: ReactNode): ReactNode => (
    <span className="flex items-center gap-1">
      <span className="min-w-0 flex-1">{shown}</span>
      <TermButtons name={name} value={value} onTerm={onTerm} />
    </span>
  );
  const texts = (["service", "trace_id", "span_id"] as const).flatMap((name) => {
    const value = entry[name];
    return value === null || value === "" ? [] : [[name, field(name, value, <Copyable text={value} />)] as const];
  });
  return [
    ["time", <Copyable key="t" text={entry.timestamp} />],
    ["your time", ownZoneText(entry.timestamp)],
    ["", <Time key="r" at={entry.timestamp} />],
    ["level", field("level", entry.level, <Level level={entry.level} severity={entry.severity} />)],
    ...texts,
    ...(entry.project_id === null ? [] : [["project", <Copyable key="p" text={entry.project_id} />] as const]),
  ];
}

function Attributes({ entry, onTerm }: { entry: LogEntry; onTerm: (term: string) => void }): ReactNode {
  const pairs = attributePairs(entry);
  if (pairs.length === 0) return <p className="text-ink-3">None.</p>;
  return (
    <table className="w-full table-fixed border-collapse">
      <caption className="sr-only">Attributes</caption>
      <colgroup>
        <col className="w-[112px]" />
        <col />
        <col className="w-[52px]" />
      </colgroup>
      <tbody>
        {pairs.map(([name, value, isScalar]) => (
          <tr key={name} className="border-t border-line align-top">
            <th
              scope="row"
              className="mono w-[112px] py-1 pr-2 text-left font-normal [overflow-wrap:anywhere] text-ink-3"
            >
              {name}
            </th>
            <td colSpan={isScalar ? 1 : 2} className="mono py-1 [overflow-wrap:anywhere] whitespace-pre-wrap">
              <Value text={value} isScalar={isScalar} />
            </td>
            {isScalar && (
              <td className="w-[52px] text-right">
                <TermButtons name={name} value={value} onTerm={onTerm} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const SHOWN_MAX = 600;

/** Shows a value. Long values are truncated, with a button to expand them. Web addresses are links. */
function Value({ text, isScalar }: { text: string; isScalar: boolean }): ReactNode {
  const [whole, setWhole] = useState(false);
  if (isScalar && /^https?:\/\/\S+$/.test(text))
    return (
      <a href={text} rel="noreferrer" target="_blank" className="text-sea hover:underline">
        {text}
      </a>
    );
  if (whole || text.length <= SHOWN_MAX) return text;
  return (
    <>
      {text.slice(0, SHOWN_MAX)}…{" "}
      <Button look="quiet" className="h-6! px-1!" onClick={() => setWhole(true)}>
        Show all
      </Button>
    </>
  );
}

function TermButtons({
  name,
  value,
  onTerm,
}: {
  name: string;
  value: string;
  onTerm: (term: string) => void;
}): ReactNode {
  return (
    <span className="inline-flex shrink-0">
      <IconButton
        className="h-6! w-6!"
        label={`Filter by this: ${name} ${value}`}
        onClick={() => onTerm(fieldTerm(name, value))}
      >
        +
      </IconButton>
      <IconButton
        className="h-6! w-6!"
        label={`Exclude this: ${name} ${value}`}
        onClick={() => onTerm(fieldTerm(name, value, { not: true }))}
      >
        −
      </IconButton>
    </span>
  );
}

function CopyMenu({ entry, permalink }: { entry: LogEntry; permalink: string }): ReactNode {
  const say = useSay();
  const addresses = useAddresses();
  const copy = (text: string, what: string): void => {
    void navigator.clipboard.writeText(text).then(() => say(`Copied ${what}`));
  };
  const curl = queryCurl(addresses?.query_url ?? location.origin, {
    sql: `SELECT ${ENTRY_COLUMNS} FROM logs WHERE message = $message`,
    parameters: { message: entry.message },
    from: entry.timestamp,
    to: justAfter(entry.timestamp),
  });
  return (
    <>
      <Menu trigger={<Button>Copy ▾</Button>}>
        <MenuItem onSelect={() => copy(permalink, "the link")}>Copy link to this entry</MenuItem>
        <MenuItem onSelect={() => copy(JSON.stringify(entry, null, 2), "as JSON")}>Copy as JSON</MenuItem>
        <MenuItem onSelect={() => copy(entry.message, "the message")}>Copy the message</MenuItem>
        <MenuItem onSelect={() => copy(curl, "as curl")}>Copy as curl</MenuItem>
      </Menu>
    </>
  );
}
