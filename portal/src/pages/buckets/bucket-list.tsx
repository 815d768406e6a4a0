import { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useList, type ItemList } from "~/api/queries.ts";
import { useWhyNotHere } from "~/app/may.ts";
import { ListOutside } from "~/app/outside.tsx";
import { PageLink } from "~/app/page-link.tsx";
import { useProject } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Empty, Section } from "~/kit/page.tsx";
import { PROSE_LINK } from "~/kit/prose-link.ts";
import { SearchField } from "~/kit/search-field.tsx";
import { ListTable, More, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { useTextSearchState } from "~/kit/text-search-state.ts";
import type { App } from "./apps.ts";
import type { SearchState } from "./search.ts";

const COLUMNS: readonly Column<App>[] = [
  { title: "Bucket", cell: ({ bucket }) => <code>{bucket}</code> },
  { title: "Name", cell: ({ name }) => <ForeignText text={name} />, grow: true },
  { title: "Project", cell: ({ project_slug }) => project_slug },
  {
    title: "Objects",
    cell: ({ slug }) => (
      <PageLink page={`buckets/${slug}`} className="text-sea hover:underline">
        Browse <span className="sr-only">{slug}</span>
      </PageLink>
    ),
  },
  { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
];

/** The list of buckets, newest first. */
export function BucketList(): ReactNode {
  const [search, setSearch] = useTextSearchState<SearchState>();
  const project = useProject();
  const list = useList(ORGANIZATION_ROUTES.listApps, {
    query: { limit: 100, project: project?.slug },
    purpose: "list the buckets",
  });
  const q = (search.q ?? "").toLowerCase();
  const shown = list.items.filter(({ slug, name }) => `${slug} ${name}`.toLowerCase().includes(q));
  return (
    <Section
      title="Buckets"
      about={q === "" ? undefined : `${shown.length} of the ${list.items.length} loaded`}
      flush
      actions={<SearchField label="Find by name" value={search.q} onChange={(text) => setSearch({ q: text })} />}
    >
      <ListTable
        label="buckets"
        list={{ ...list, items: shown }}
        columns={COLUMNS}
        keyOf={({ slug }) => slug}
        openKey={search.bucket}
        onOpen={({ slug }) => setSearch({ bucket: search.bucket === slug ? undefined : slug }, { push: true })}
        empty={<NoBuckets isFiltered={q !== ""} list={list} />}
      />
    </Section>
  );
}

function NoBuckets({ isFiltered, list }: { isFiltered: boolean; list: ItemList<App> }): ReactNode {
  const [, setSearch] = useTextSearchState<SearchState>();
  const why = useWhyNotHere("apps:write");
  if (isFiltered)
    return (
      <>
        <Empty title="No bucket matches">
          <p>None of the {list.items.length} loaded buckets has this in its name.</p>
        </Empty>
        {list.hasMore && <More list={list} />}
      </>
    );
  return (
    <Empty
      title="No buckets yet"
      action={
        <Button disabled={why !== undefined} title={why} onClick={() => setSearch({ create: true })}>
          Create bucket
        </Button>
      }
    >
      <ListOutside row={ORGANIZATION_ROUTES.listApps} page="buckets" what="buckets" />
      <p>
        A bucket stores objects for S3 clients. An{" "}
        <PageLink page="s3-keys" className={PROSE_LINK}>
          S3 key
        </PageLink>{" "}
        gives access. S3 clients can also create buckets:
      </p>
      <CopyBlock text="aws --profile mooring s3 mb s3://reports" />
    </Empty>
  );
}
