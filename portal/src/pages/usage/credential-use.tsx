import { ORGANIZATION_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useList, useRead } from "~/api/queries.ts";
import { useMayAnywhere } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { Button } from "~/kit/button.tsx";
import { countText } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { ListTable, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";

type Credential = ResultOf<typeof ORGANIZATION_ROUTES.getCredential>;

/** Each row needs a request, so there are few at first. */
const SHOWN = 10;

/** Lists the most recently used credentials with their requests. */
export function CredentialUse(): ReactNode {
  const mayRead = useMayAnywhere("credentials:read");
  const [shown, setShown] = useState(SHOWN);
  const list = useList(ORGANIZATION_ROUTES.listCredentials, { query: { limit: 100 } }, { enabled: mayRead });
  const used = list.items
    .filter(({ last_used_at }) => last_used_at !== null)
    .toSorted((a, b) => (b.last_used_at ?? "").localeCompare(a.last_used_at ?? ""));
  return (
    <Section title="By credential" about="The most recently used, with their requests of the last day." flush>
      {mayRead ? (
        <>
          <ListTable
            label="Use by credential"
            list={{ ...list, items: used.slice(0, shown), hasMore: false }}
            columns={COLUMNS}
            keyOf={({ id }) => id}
            empty={<p className="p-3.5 text-ink-2">None of the newest {list.items.length} credentials was used yet.</p>}
          />
          {used.length > shown && (
            <div className="flex items-center gap-3 border-t border-line p-2.5 text-ink-2">
              {shown} of {used.length} shown
              <Button onClick={() => setShown(shown + SHOWN)}>More</Button>
            </div>
          )}
        </>
      ) : (
        <p className="p-3.5 text-ink-2">
          This takes <code>credentials:read</code>, which your role lacks.
        </p>
      )}
    </Section>
  );
}

const COLUMNS: readonly Column<Credential>[] = [
  {
    title: "Credential",
    cell: ({ name, id }) => (
      <PageLink page="credentials" search={{ credential: id }}>
        {visibleText(name)}
      </PageLink>
    ),
  },
  { title: "Client id", cell: ({ client_id }) => <span className="mono">{client_id}</span> },
  { title: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
  { title: "Last hour", number: true, cell: ({ id }) => <Figure id={id} of="hour" /> },
  { title: "Last day", number: true, cell: ({ id }) => <Figure id={id} of="day" /> },
  { title: "Refused", cell: ({ id }) => <Refused id={id} /> },
  { title: "Services", cell: ({ id }) => <Services id={id} /> },
];

/** The cells of one row share this read. */
function useActivity(id: string) {
  return useRead(ORGANIZATION_ROUTES.getCredentialActivity, { params: { credential_id: id } }).data;
}

function Figure({ id, of }: { id: string; of: "hour" | "day" }): ReactNode {
  const activity = useActivity(id);
  if (activity === undefined) return "…";
  return countText((of === "hour" ? activity.last_hour : activity.last_day).requests);
}

function Refused({ id }: { id: string }): ReactNode {
  const refused = useActivity(id)?.last_day.refused;
  if (refused === undefined) return "…";
  return refused === 0 ? <State kind="go">none</State> : <State kind="warn">{countText(refused)}</State>;
}

function Services({ id }: { id: string }): ReactNode {
  const services = useActivity(id)?.by_service ?? [];
  return services
    .slice(0, 4)
    .map(({ service, requests }) => `${service} ${countText(requests)}`)
    .join(", ");
}
