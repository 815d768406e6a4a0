import { ORGANIZATION_ROUTES, TRASH_KINDS, type TrashKind } from "@mooring/contract";
import type { ReactNode } from "react";
import { useList } from "~/api/queries.ts";
import { ListOutside } from "~/app/outside.tsx";
import { PageLink } from "~/app/page-link.tsx";
import { useMe, useProject } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { SelectField } from "~/kit/field.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { useNames } from "~/kit/names.ts";
import { Empty, Page as Frame, Section } from "~/kit/page.tsx";
import { PROSE_LINK } from "~/kit/prose-link.ts";
import { curlOf } from "~/kit/shell.ts";
import { ListTable, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { Acts } from "./acts.tsx";
import { KIND_WORDS, type TrashItem } from "./items.ts";

type Search = { kind?: TrashKind | undefined };

/** Deleted webhooks, images, repositories, apps and projects. Each can be restored or deleted for good. */
export function Page(): ReactNode {
  const [search, change] = useSearchState<Search>();
  const project = useProject();
  const kind = TRASH_KINDS.find((each) => each === search.kind);
  const query = { kind, ...(project === null ? {} : { project: project.slug }) };
  const list = useList(ORGANIZATION_ROUTES.listTrashItems, { query });
  const nameOf = useNames();
  const me = useMe();
  const slugOf = (id: string): string => me?.projects.find((each) => each.id === id)?.slug ?? id;
  return (
    <Frame
      title="Trash"
      about={
        <>
          Deleted projects, apps, images and webhooks. They count towards the quota, and can be restored until their
          time ends. Deleted files have{" "}
          <PageLink page="files" search={{ view: "trash" }} className={PROSE_LINK}>
            their own list
          </PageLink>
          .
        </>
      }
    >
      <Section
        title="Deleted"
        flush
        actions={<KindFilter kind={kind} onChange={(chosen) => change({ kind: chosen })} />}
      >
        <ListTable
          label="Deleted objects, last deleted first"
          list={list}
          keyOf={({ id }) => id}
          empty={<NothingDeleted kind={kind} onShowAll={() => change({ kind: undefined })} />}
          columns={columnsOf(nameOf, slugOf)}
        />
      </Section>
    </Frame>
  );
}

function columnsOf(nameOf: (id: string) => string | undefined, slugOf: (id: string) => string): Column<TrashItem>[] {
  return [
    { title: "Name", grow: true, cell: ({ name }) => <ForeignText text={name} /> },
    { title: "Kind", cell: ({ kind }) => KIND_WORDS[kind].title },
    { title: "Project", cell: ({ kind, project_id: id }) => (kind === "project" ? "–" : slugOf(id)) },
    { title: "Deleted", cell: ({ deleted_at }) => <Time at={deleted_at} /> },
    { title: "By", cell: ({ deleted_by: id }) => (id === null ? "the server" : visibleText(nameOf(id) ?? id)) },
    { title: "Gone", cell: ({ purge_at }) => <Time at={purge_at} /> },
    { title: "Actions", cell: (item) => <Acts item={item} /> },
  ];
}

function KindFilter({
  kind,
  onChange,
}: {
  kind: TrashKind | undefined;
  onChange: (kind: TrashKind | undefined) => void;
}): ReactNode {
  return (
    <SelectField
      label={<span className="sr-only">Kind</span>}
      value={kind ?? ""}
      onChange={({ target }) => onChange(TRASH_KINDS.find((each) => each === target.value))}
    >
      <option value="">Every kind</option>
      {TRASH_KINDS.map((each) => (
        <option key={each} value={each}>
          {KIND_WORDS[each].title}
        </option>
      ))}
    </SelectField>
  );
}

function NothingDeleted({ kind, onShowAll }: { kind: TrashKind | undefined; onShowAll: () => void }): ReactNode {
  if (kind !== undefined)
    return (
      <Empty
        title={`No ${KIND_WORDS[kind].title.toLowerCase()} is in the trash`}
        action={<Button onClick={onShowAll}>Show all</Button>}
      >
        <p>{KIND_WORDS[kind].back}</p>
      </Empty>
    );
  return (
    <Empty title="The trash is empty">
      <ListOutside row={ORGANIZATION_ROUTES.listTrashItems} page="trash" what="deleted objects" />
      <p>
        Projects, apps with content, images and webhooks are listed here after their deletion, until their time ends.
      </p>
      <CopyBlock text={curlOf(`${location.origin}/v1/trash`)} />
    </Empty>
  );
}
