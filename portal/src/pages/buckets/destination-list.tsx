import { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useList } from "~/api/queries.ts";
import { useMayIn, useWhyNotIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { Empty, Section } from "~/kit/page.tsx";
import { ListTable, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { useTextSearchState } from "~/kit/text-search-state.ts";
import type { S3Destination } from "./apps.ts";
import type { SearchState } from "./search.ts";

const COLUMNS: readonly Column<S3Destination>[] = [
  { title: "Name", cell: ({ name }) => name },
  { title: "Address", cell: ({ url }) => <code title={visibleText(url)}>{visibleText(url)}</code>, grow: true },
  { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
];

/** The list of destinations for events of buckets. */
export function DestinationList(): ReactNode {
  const [search, setSearch] = useTextSearchState<SearchState>();
  const mayRead = useMayIn(null, "webhooks:read");
  const list = useList(
    ORGANIZATION_ROUTES.listS3Destinations,
    { query: { limit: 50 }, purpose: "list the destinations" },
    { enabled: mayRead },
  );
  if (!mayRead) return <p className="text-ink-2">You need webhooks:read to see destinations.</p>;
  return (
    <Section title="Event destinations" about="of the whole organization" flush>
      <ListTable
        label="event destinations"
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        openKey={search.destination}
        onOpen={({ id }) => setSearch({ destination: search.destination === id ? undefined : id }, { push: true })}
        empty={<NoDestinations />}
      />
    </Section>
  );
}

function NoDestinations(): ReactNode {
  const [, setSearch] = useTextSearchState<SearchState>();
  const why = useWhyNotIn(null, "webhooks:write");
  const mayWrite = why === undefined;
  return (
    <Empty
      title="No destinations yet"
      action={
        <Button disabled={!mayWrite} onClick={() => setSearch({ create: true })}>
          Create destination
        </Button>
      }
    >
      <p>
        A destination is an https address that gets messages about created and deleted objects. Messages are signed and
        retried for about a day.
      </p>
      <CopyBlock
        text={`curl -sS -X POST ${location.origin}/v1/s3/destinations -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"name":"thumbnails","url":"https://example.com/hooks/s3"}'`}
      />
    </Empty>
  );
}
