import { REGISTRY_API_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useList } from "~/api/queries.ts";
import { useOrganization } from "~/app/scope.ts";
import { CopyBlock } from "~/kit/copy.tsx";
import { bytesText, countText } from "~/kit/figures.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Empty, Section } from "~/kit/page.tsx";
import { SearchField } from "~/kit/search-field.tsx";
import { Badge } from "~/kit/state.tsx";
import { ListTable, More, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { useTextSearchState } from "~/kit/text-search-state.ts";
import { firstPushCommands, platformNames, shortDigest, type ImageTag, type Repository } from "./images.ts";
import { referenceOf, refOfTag, type SearchState } from "./search.ts";

const PLATFORMS_SHOWN = 4;

/** Lists the tags of a repository by name, with their manifests. */
export function TagList({ repository }: { repository: Repository }): ReactNode {
  const [search, setSearch] = useTextSearchState<SearchState>();
  const list = useList(
    REGISTRY_API_ROUTES.listImageTags,
    { params: { app_id: repository.slug }, query: { limit: 100 }, purpose: "list the tags" },
    { refetchMs: 30_000 },
  );
  const q = (search.q ?? "").toLowerCase();
  const shown = list.items.filter(({ name, digest }) => name.toLowerCase().includes(q) || digest.includes(q));
  return (
    <Section
      title="Tags"
      about={q === "" ? undefined : `${shown.length} of the ${list.items.length} loaded`}
      flush
      actions={
        <SearchField label="Find by name or digest" value={search.q} onChange={(text) => setSearch({ q: text })} />
      }
    >
      <ListTable
        label="tags"
        list={{ ...list, items: shown }}
        columns={COLUMNS}
        keyOf={({ name }) => name}
        openKey={search.ref === undefined ? undefined : referenceOf(search.ref)}
        onOpen={({ name }) =>
          setSearch({ ref: search.ref === refOfTag(name) ? undefined : refOfTag(name) }, { push: true })
        }
        empty={q === "" ? <NoTags repository={repository} /> : <NoMatch list={list} />}
      />
    </Section>
  );
}

const COLUMNS: readonly Column<ImageTag>[] = [
  {
    title: "Tag",
    cell: ({ name, immutable }) => (
      <span className="flex items-center gap-2">
        <code>{name}</code>
        {immutable && <Badge>immutable</Badge>}
      </span>
    ),
  },
  { title: "Platforms", cell: (tag) => <Platforms tag={tag} />, grow: true },
  { title: "Size", cell: ({ size_bytes }) => (size_bytes === null ? "—" : bytesText(size_bytes)), number: true },
  { title: "Digest", cell: ({ digest }) => <code title={digest}>{shortDigest(digest)}</code> },
  { title: "Pulls", cell: ({ pulls }) => countText(pulls), number: true },
  { title: "Last pull", cell: ({ last_pull_at }) => <Time at={last_pull_at} /> },
  { title: "Pushed", cell: ({ updated_at }) => <Time at={updated_at} /> },
];

function Platforms({ tag }: { tag: ImageTag }): ReactNode {
  const names = platformNames(tag);
  return (
    <span className="inline-flex gap-1" title={names.join(", ")}>
      {names.slice(0, PLATFORMS_SHOWN).map((name) => (
        <Badge key={name}>
          <ForeignText text={name} />
        </Badge>
      ))}
      {names.length > PLATFORMS_SHOWN && <Badge>{names.length - PLATFORMS_SHOWN} more</Badge>}
    </span>
  );
}

function NoMatch({ list }: { list: Parameters<typeof More>[0]["list"] }): ReactNode {
  return (
    <>
      <Empty title="No tag matches">
        <p>None of the {list.items.length} loaded tags has this in its name or digest.</p>
      </Empty>
      {list.hasMore && <More list={list} />}
    </>
  );
}

function NoTags({ repository }: { repository: Repository }): ReactNode {
  const domain = useAddresses()?.registry_domain ?? "REGISTRY";
  const { slug } = useOrganization();
  return (
    <Empty title="There are no tags here">
      <p>
        {repository.manifests === 0
          ? "Push an image, and it appears here. The user name is a credential's client id, and the password is its secret."
          : "Manifests without a tag can be pulled by their digest."}
      </p>
      <CopyBlock text={firstPushCommands(domain, slug, repository.slug)} label="push an image" />
    </Empty>
  );
}
