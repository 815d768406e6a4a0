import { ORGANIZATION_ROUTES, type ResultOf } from "@mooring/contract";
import type { ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { PageLink } from "~/app/page-link.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { useNames } from "~/kit/names.ts";
import { Loading, Section } from "~/kit/page.tsx";
import { State, type StateKind } from "~/kit/state.tsx";
import { Table } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { auditWords } from "./audit-words.ts";

type Entry = ResultOf<typeof ORGANIZATION_ROUTES.listAudit>["items"][number];

const RESULTS: Readonly<Record<Entry["result"], readonly [StateKind, string]>> = {
  success: ["go", "done"],
  denied: ["stop", "refused"],
  failure: ["warn", "failed"],
};
const SHOWN = 8;

/** Lists recent actions, for people who may read the audit log. */
export function Activity(): ReactNode {
  const { data, error } = useRead(ORGANIZATION_ROUTES.listAudit, { query: { limit: SHOWN } }, { refetchMs: 30_000 });
  const nameOf = useNames();
  return (
    <Section title="Recent activity" flush actions={<PageLink page="audit">Audit log</PageLink>}>
      <ErrorNote error={error} />
      {data === undefined ? (
        error === null && <Loading />
      ) : (
        <Table<Entry>
          label="Recent activity"
          items={data.items}
          keyOf={({ id }) => id}
          columns={[
            { title: "When", cell: ({ at }) => <Time at={at} /> },
            { title: "Who", cell: ({ actor }) => <Who actor={actor} nameOf={nameOf} /> },
            { title: "What", grow: true, cell: (entry) => <What entry={entry} nameOf={nameOf} /> },
            { title: "Result", cell: ({ result }) => <State kind={RESULTS[result][0]}>{RESULTS[result][1]}</State> },
          ]}
        />
      )}
    </Section>
  );
}

type NameOf = (id: string) => string | undefined;

function Who({ actor, nameOf }: { actor: Entry["actor"]; nameOf: NameOf }): ReactNode {
  if (actor.id === null) return actor.kind === "system" ? "the server" : "somebody";
  const name = nameOf(actor.id);
  return name === undefined ? <code>{actor.id}</code> : <ForeignText text={name} />;
}

function What({ entry, nameOf }: { entry: Entry; nameOf: NameOf }): ReactNode {
  const { target, detail, action } = entry;
  const called = detail["name"] ?? detail["slug"];
  const name = typeof called === "string" ? called : target === null ? undefined : nameOf(target.id);
  return (
    <span title={action}>
      {auditWords(action)}{" "}
      {name !== undefined ? (
        <code>
          <ForeignText text={name} />
        </code>
      ) : (
        target !== null && <code>{target.id}</code>
      )}
    </span>
  );
}
