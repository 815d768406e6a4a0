import { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useList, type ItemList } from "~/api/queries.ts";
import { useWhyNotHere } from "~/app/may.ts";
import { useMe, useProject, type Me } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock, CopyButton } from "~/kit/copy.tsx";
import { Checkbox } from "~/kit/field.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { WithInspector } from "~/kit/inspector.tsx";
import { Empty, Page as Frame, Section } from "~/kit/page.tsx";
import { SearchField } from "~/kit/search-field.tsx";
import { curlOf } from "~/kit/shell.ts";
import { ListTable, More, type Column } from "~/kit/table.tsx";
import { Time, useNow } from "~/kit/time.tsx";
import { useTextSearchState } from "~/kit/text-search-state.ts";
import { CreateKeyDialog } from "./create-dialog.tsx";
import { KeyInspector } from "./inspector.tsx";
import { reachText, scopesText, stateOf, type S3Key } from "~/access/s3-keys.ts";
import { KeyStateText, ProjectName } from "./page-parts.tsx";

interface SearchState extends Record<string, string | boolean | undefined> {
  q: string | undefined;
  revoked: boolean | undefined;
  key: string | undefined;
  create: boolean | undefined;
  /** A bucket that a new key is for. */
  bucket: string | undefined;
}

/** Access keys of the S3 gateway. */
export function Page(): ReactNode {
  const [search, setSearch] = useTextSearchState<SearchState>();
  const project = useProject();
  const me = useMe();
  const why = useWhyNotHere("credentials:write");
  const mayWrite = why === undefined;
  const list = useList(ORGANIZATION_ROUTES.listS3Keys, {
    query: { limit: 50, project: project?.slug, include_revoked: search.revoked },
    purpose: "list the keys",
  });
  const q = (search.q ?? "").toLowerCase();
  const shown = list.items.filter((key) => textOf(key).includes(q));
  const open = (key: S3Key): void => setSearch({ key: search.key === key.id ? undefined : key.id }, { push: true });
  const create = (
    <Button look="main" disabled={!mayWrite} title={why} onClick={() => setSearch({ create: true })}>
      Create key
    </Button>
  );
  return (
    <Frame
      title="S3 keys"
      about="An access key and its secret, as every client of S3 takes them. A key may never do more than the person who made it."
      actions={
        <>
          <CopyButton text={curlOf(`${location.origin}/v1/s3/keys?limit=100`)} label="Copy as curl" />
          {create}
        </>
      }
    >
      <WithInspector
        inspector={
          search.key !== undefined && <KeyInspector id={search.key} onClose={() => setSearch({ key: undefined })} />
        }
      >
        <Section
          title="Keys"
          about={q === "" ? undefined : `${shown.length} of the ${list.items.length} loaded`}
          flush
          actions={<Filters search={search} setSearch={setSearch} />}
        >
          <ListTable
            label="S3 keys"
            list={{ ...list, items: shown }}
            columns={useColumns(me)}
            keyOf={({ id }) => id}
            onOpen={open}
            openKey={search.key}
            empty={<NoKeys isFiltered={q !== ""} list={list} action={create} />}
          />
        </Section>
      </WithInspector>
      {search.create === true && (
        <CreateKeyDialog bucket={search.bucket} onClose={() => setSearch({ create: undefined, bucket: undefined })} />
      )}
    </Frame>
  );
}

function textOf({ name, access_key_id, buckets }: S3Key): string {
  return [name, access_key_id, ...(buckets ?? [])].join(" ").toLowerCase();
}

function Filters({
  search,
  setSearch,
}: {
  search: Partial<SearchState>;
  setSearch: (change: Partial<SearchState>) => void;
}): ReactNode {
  return (
    <>
      <Checkbox
        label="Revoked too"
        checked={search.revoked === true}
        onChange={(event) => setSearch({ revoked: event.target.checked ? true : undefined })}
      />
      <SearchField label="Find by name, id or bucket" value={search.q} onChange={(text) => setSearch({ q: text })} />
    </>
  );
}

function useColumns(me: Me | undefined): Column<S3Key>[] {
  const now = useNow(60_000);
  return [
    { title: "Name", cell: ({ name }) => <ForeignText text={name} /> },
    { title: "Access key", cell: ({ access_key_id }) => <code>{access_key_id}</code> },
    { title: "State", cell: (key) => <KeyStateText state={stateOf(key, now)} /> },
    { title: "May", cell: ({ effective_scopes }) => scopesText(effective_scopes) },
    { title: "Reaches", cell: (key) => <code>{visibleText(reachText(key))}</code>, grow: true },
    { title: "Project", cell: ({ project_id }) => <ProjectName id={project_id} me={me} /> },
    { title: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    { title: "Expires", cell: ({ expires_at }) => <Time at={expires_at} /> },
  ];
}

interface NoKeysProps {
  isFiltered: boolean;
  list: ItemList<S3Key>;
  action: ReactNode;
}

function NoKeys({ isFiltered, list, action }: NoKeysProps): ReactNode {
  if (isFiltered)
    return (
      <>
        <Empty title="No key matches">
          <p>None of the {list.items.length} that are loaded has this in its name, its id or its buckets.</p>
        </Empty>
        {list.hasMore && <More list={list} />}
      </>
    );
  return (
    <Empty title="No keys yet" action={action}>
      <p>With a key, aws, rclone, boto3, DuckDB and whatever else speaks S3 read and write your buckets.</p>
      <CopyBlock text="npx mooring s3 keys create --name reports --read-only" />
    </Empty>
  );
}
