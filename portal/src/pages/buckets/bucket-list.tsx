import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useList, type ItemList } from "~/api/queries.ts";
import { PageLink } from "~/app/page-link.tsx";
import { useMay, useProject } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { TextInput } from "~/kit/field.tsx";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Empty, Section } from "~/kit/page.tsx";
import { ListTable, More, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import type { App } from "./apps.ts";
import type { SearchState } from "./search.ts";

const COLUMNS: readonly Column<App>[] = [
  { title: "Bucket", cell: ({ bucket }) => <code>{bucket}</code> },
  { title: "Name", cell: ({ name }) => <ForeignText text={name} />, grow: true },
  { title: "Project", cell: ({ project_slug }) => project_slug },
  { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
];

/** The buckets within reach, newest first. */
export function BucketList(): ReactNode {
  const [search, setSearch] = useSearchState<SearchState>();
  const project = useProject();
  const list = useList(ORGANIZATION_ROUTES.listApps, { query: { limit: 100, project: project?.slug } });
  const q = (search.q ?? "").toLowerCase();
  const shown = list.items.filter(({ slug, name }) => `${slug} ${name}`.toLowerCase().includes(q));
  return (
    <Section
      title="Buckets"
      about={q === "" ? undefined : `${shown.length} of the ${list.items.length} loaded`}
      flush
      actions={<Search />}
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

function Search(): ReactNode {
  const [search, setSearch] = useSearchState<SearchState>();
  const [text, setText] = useState(search.q ?? "");
  return (
    <TextInput
      data-search
      type="search"
      aria-label="Find a bucket by name"
      placeholder="Find by name"
      className="w-52"
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        setSearch({ q: event.target.value === "" ? undefined : event.target.value });
      }}
    />
  );
}

function NoBuckets({ isFiltered, list }: { isFiltered: boolean; list: ItemList<App> }): ReactNode {
  const [, setSearch] = useSearchState<SearchState>();
  const mayCreate = useMay("apps:write");
  if (isFiltered)
    return (
      <>
        <Empty title="No bucket matches">
          <p>None of the {list.items.length} that are loaded has this in its name.</p>
        </Empty>
        {list.hasMore && <More list={list} />}
      </>
    );
  return (
    <Empty
      title="No buckets yet"
      action={
        <Button disabled={!mayCreate} onClick={() => setSearch({ create: true })}>
          Create bucket
        </Button>
      }
    >
      <p>
        A bucket keeps objects for whatever speaks S3. An <PageLink page="s3-keys">S3 key</PageLink> opens it, and can
        make buckets too:
      </p>
      <CopyBlock text="aws --profile mooring s3 mb s3://reports" />
    </Empty>
  );
}
