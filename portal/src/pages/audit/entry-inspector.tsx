import type { ReactNode } from "react";
import { Button } from "~/kit/button.tsx";
import { Copyable, CopyButton } from "~/kit/copy.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { Inspector } from "~/kit/inspector.tsx";
import { useNames } from "~/kit/names.ts";
import { Facts } from "~/kit/page.tsx";
import { Time } from "~/kit/time.tsx";
import { changesAndFacts, type AuditEntry, type Change } from "./entry.ts";
import type { Filters } from "./filters.ts";
import { Action, Result, Who } from "./parts.tsx";

/** Shows one entry: actor, action, target, address, the values before and after, and its place in the chain. */
export function EntryInspector({
  entry,
  onFilter,
  onClose,
}: {
  entry: AuditEntry;
  onFilter: (change: Filters) => void;
  onClose: () => void;
}): ReactNode {
  const nameOf = useNames();
  const { changes, facts } = changesAndFacts(entry.detail);
  const { actor, target, request_id: request } = entry;
  return (
    <Inspector title={entry.action} onClose={onClose}>
      <Facts
        items={[
          ["When", <Time key="at" at={entry.at} />],
          ["Exactly", <code key="exact">{entry.at}</code>],
          ["Who", <Who key="who" entry={entry} nameOf={nameOf} />],
          ["Their id", actor.id === null ? "none" : <Copyable key="actor" text={actor.id} />],
          ["What", <Action key="what" entry={entry} />],
          [
            "On what",
            target === null ? "nothing" : `${target.kind.replaceAll("_", " ")} ${visibleText(nameOf(target.id) ?? "")}`,
          ],
          ["Its id", target === null ? "none" : <Copyable key="target" text={target.id} />],
          ["Result", <Result key="result" result={entry.result} />],
          ["Address", entry.ip === null ? "none" : <Copyable key="ip" text={entry.ip} />],
          ["Request", request === null ? "none" : <Copyable key="request" text={request} />],
        ]}
      />
      <MoreLikeThis entry={entry} onFilter={onFilter} />
      {changes.length > 0 && <Diff changes={changes} />}
      {facts.length > 0 && (
        <section className="flex flex-col gap-1.5">
          <h3>Details</h3>
          <Facts
            items={facts.map(([name, value]) => [name, <code key={name}>{visibleText(nameOf(value) ?? value)}</code>])}
          />
        </section>
      )}
      <section className="flex flex-col gap-1.5">
        <h3>In the chain</h3>
        <Facts
          items={[
            ["Entry", String(entry.seq)],
            ["Id", <Copyable key="id" text={entry.id} />],
            ["Hash", <Copyable key="hash" text={entry.hash} />],
            ["Previous hash", <Copyable key="before" text={entry.prev_hash} />],
          ]}
        />
      </section>
      <div>
        <CopyButton label="Copy as JSON" text={JSON.stringify(entry, null, 2)} />
      </div>
    </Inspector>
  );
}

function MoreLikeThis({
  entry: { actor, action, target, request_id: request },
  onFilter,
}: {
  entry: AuditEntry;
  onFilter: (change: Filters) => void;
}): ReactNode {
  return (
    <div className="flex flex-wrap gap-2" role="group" aria-label="Find similar entries">
      {actor.id !== null && (
        <Button onClick={() => onFilter({ actor: actor.id ?? undefined })}>Same person or credential</Button>
      )}
      <Button onClick={() => onFilter({ action })}>Same action</Button>
      {target !== null && <Button onClick={() => onFilter({ target: target.id })}>Same target</Button>}
      {request !== null && <Button onClick={() => onFilter({ request_id: request })}>Same request</Button>}
    </div>
  );
}

/** Shows the old value with a minus and the new one with a plus, because colour alone is not enough. */
function Diff({ changes }: { changes: readonly Change[] }): ReactNode {
  return (
    <section className="flex min-w-0 flex-col gap-1.5">
      <h3>What changed</h3>
      <dl className="flex flex-col gap-2">
        {changes.map(({ path, before, after }) => (
          <div key={path}>
            <dt className="text-ink-2">{path.replaceAll("_", " ")}</dt>
            <dd className="mono rounded bg-stop-2 px-2 [overflow-wrap:anywhere]">
              <span aria-hidden="true">− </span>
              <span className="sr-only">before: </span>
              {visibleText(before ?? "not set")}
            </dd>
            <dd className="mono mt-0.5 rounded bg-go-2 px-2 [overflow-wrap:anywhere]">
              <span aria-hidden="true">+ </span>
              <span className="sr-only">after: </span>
              {visibleText(after ?? "not set")}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
