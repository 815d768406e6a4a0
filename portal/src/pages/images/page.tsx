import { REGISTRY_API_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useList } from "~/api/queries.ts";
import { ListOutside } from "~/app/outside.tsx";
import { PageLink } from "~/app/page-link.tsx";
import { useConnect } from "~/app/connect/connect.tsx";
import { useOrganization, useProject } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock, CopyButton } from "~/kit/copy.tsx";
import { bytesText, countText } from "~/kit/figures.ts";
import { Empty, Page as Frame, Section } from "~/kit/page.tsx";
import { PROSE_LINK } from "~/kit/prose-link.ts";
import { SearchField } from "~/kit/search-field.tsx";
import { curlOf } from "~/kit/shell.ts";
import { Badge } from "~/kit/state.tsx";
import { ListTable, More, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { useTextSearchState } from "~/kit/text-search-state.ts";
import { firstPushCommands, type Repository } from "./images.ts";
import type { SearchState } from "./search.ts";

const COLUMNS: readonly Column<Repository>[] = [
  {
    title: "Repository",
    cell: ({ slug, name }) => (
      <PageLink page={`images/${slug}`} className="mono text-sea hover:underline">
        <span title={name}>{slug}</span>
      </PageLink>
    ),
    grow: true,
  },
  {
    title: "Pull",
    cell: (repository) => (repository.public ? <Badge>public</Badge> : <Badge>with credentials</Badge>),
  },
  { title: "Tags", cell: ({ tags }) => countText(tags), number: true },
  { title: "Manifests", cell: ({ manifests }) => countText(manifests), number: true },
  { title: "Size", cell: ({ size_bytes }) => bytesText(size_bytes), number: true },
  { title: "Pulls", cell: ({ pulls }) => countText(pulls), number: true },
  { title: "Last push", cell: ({ last_push_at }) => <Time at={last_push_at} /> },
  { title: "Last pull", cell: ({ last_pull_at }) => <Time at={last_pull_at} /> },
];

/** Repositories of container images; every app has one. */
export function Page(): ReactNode {
  const [search, setSearch] = useTextSearchState<SearchState>();
  const project = useProject();
  const list = useList(
    REGISTRY_API_ROUTES.listImageRepositories,
    { query: { limit: 100, project: project?.slug }, purpose: "list the repositories" },
    { refetchMs: 30_000 },
  );
  const q = (search.q ?? "").toLowerCase();
  const shown = list.items.filter(({ slug }) => slug.includes(q));
  const isPushed = shown.some(({ manifests }) => manifests > 0);
  const isCut = shown.length < list.items.length;
  return (
    <Frame
      title="Images"
      about="Container images and other OCI artifacts. Every app has a repository of the same name."
      actions={
        <CopyButton
          text={curlOf(
            `${location.origin}/v1/registry/repositories?limit=100${project === null ? "" : `&project=${project.slug}`}`,
          )}
          label="Copy as curl"
        />
      }
    >
      {!list.isPending && shown.length > 0 && !isPushed && q === "" && <FirstPush app={shown[0]?.slug ?? "APP"} />}
      <Section
        title="Repositories"
        about={isCut ? `${shown.length} of the ${list.items.length} loaded` : undefined}
        flush
        actions={<SearchField label="Find by name" value={search.q} onChange={(text) => setSearch({ q: text })} />}
      >
        <ListTable
          label="repositories"
          list={{ ...list, items: shown }}
          columns={COLUMNS}
          keyOf={({ app_id }) => app_id}
          empty={list.items.length > 0 || q !== "" ? <NoMatch list={list} /> : <NoRepositories />}
        />
      </Section>
    </Frame>
  );
}

function NoMatch({ list }: { list: Parameters<typeof More>[0]["list"] }): ReactNode {
  return (
    <>
      <Empty title="No repository matches">
        <p>None of the {list.items.length} loaded repositories has this in its name.</p>
      </Empty>
      {list.hasMore && <More list={list} />}
    </>
  );
}

function FirstPush({ app }: { app: string }): ReactNode {
  const domain = useAddresses()?.registry_domain;
  const { slug } = useOrganization();
  const connect = useConnect();
  if (domain === undefined) return null;
  return (
    <Section title="Push the first image">
      <p className="text-ink-2">
        The user name is a credential's client id, and the password is its secret. The credential needs{" "}
        <code>registry:push</code>. The image then appears on this page.
      </p>
      <CopyBlock text={firstPushCommands(domain, slug, app)} label="push an image" />
      <div>
        <Button onClick={() => connect({ topic: "registry" })}>Other tools</Button>
      </div>
    </Section>
  );
}

function NoRepositories(): ReactNode {
  const domain = useAddresses()?.registry_domain ?? "REGISTRY";
  const { slug } = useOrganization();
  return (
    <Empty title="No repositories yet">
      <ListOutside row={REGISTRY_API_ROUTES.listImageRepositories} page="images" what="repositories" />
      <p>
        A registry for docker, podman, buildah, helm and other OCI clients. Every app has a repository:{" "}
        <PageLink page="buckets" search={{ create: true }} className={PROSE_LINK}>
          create an app
        </PageLink>
        , then push.
      </p>
      <CopyBlock text={firstPushCommands(domain, slug, "shop")} label="push an image" />
    </Empty>
  );
}
