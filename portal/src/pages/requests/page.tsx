import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { ApiError } from "@mooring/client";
import { useEffect, useState, type FormEvent, type ReactNode } from "react";
import { useList, useRead, type ItemList } from "~/api/queries.ts";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { Empty, Loading, Page as Frame, Section } from "~/kit/page.tsx";
import { ListTable, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { Caller, Explanation } from "./explanation.tsx";
import type { RefusedRequest } from "./words.ts";

/** Refused requests: search by id, and the recent ones. */
export function Page(): ReactNode {
  const [search, change] = useSearchState<{ id?: string | undefined }>();
  const { id } = search;
  const list = useList(ORGANIZATION_ROUTES.listRequests, { query: {} }, { refetchMs: undefined });
  return (
    <Frame
      title="Requests"
      about="Refused requests of the last 7 days: who asked, what decided, and what would allow it. Every error names the id of its request."
    >
      <SearchForm key={id ?? ""} id={id ?? ""} onFind={(wanted) => change({ id: wanted })} />
      {id !== undefined && <Found id={id} />}
      <Section title="Recent refusals" flush>
        <Recent
          list={list}
          openId={id}
          onOpen={(request) => change({ id: request.request_id === id ? undefined : request.request_id })}
        />
      </Section>
    </Frame>
  );
}

const ID_PATTERN = "[A-Za-z0-9][A-Za-z0-9._\\-]{7,127}";

function SearchForm({ id, onFind }: { id: string; onFind: (id: string | undefined) => void }): ReactNode {
  const [text, setText] = useState(id);
  useEffect(() => setText(id), [id]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onFind(text.trim() || undefined);
  };
  return (
    <form role="search" onSubmit={submit} className="flex flex-wrap items-end gap-2">
      <span className="w-80 max-w-full">
        <TextField
          label="Request id"
          className="mono"
          data-search
          placeholder="req_…"
          maxLength={128}
          pattern={ID_PATTERN}
          title="8 to 128 letters, digits, dots, hyphens and underscores"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </span>
      <span className="flex gap-2 pb-1">
        <Button type="submit">Explain</Button>
        {id !== "" && <Button onClick={() => onFind(undefined)}>Clear</Button>}
      </span>
    </form>
  );
}

function Found({ id }: { id: string }): ReactNode {
  const { data, error } = useRead(ORGANIZATION_ROUTES.getRequest, { params: { request_id: id } });
  if (error instanceof ApiError && error.status === 404) return <NotFound id={id} />;
  if (error !== null) return <ErrorNote error={error} />;
  if (data === undefined) return <Loading />;
  return (
    <div className="flex flex-col gap-3" role="region" aria-label="Explanation">
      {data.items.map((request) => (
        <Explanation key={request.request_id} request={request} />
      ))}
    </div>
  );
}

function NotFound({ id }: { id: string }): ReactNode {
  return (
    <Section>
      <p role="status">
        No refused request that you can see has the id <code>{visibleText(id)}</code>. Only refused requests are kept,
        for 7 days at most, and an organization sees only requests by its people, credentials and keys.
      </p>
    </Section>
  );
}

const COLUMNS: readonly Column<RefusedRequest>[] = [
  { title: "When", cell: ({ at }) => <Time at={at} /> },
  { title: "Who", cell: ({ actor }) => <Caller actor={actor} /> },
  {
    title: "Operation",
    cell: ({ method, operation }) => <span className="mono">{`${method} ${visibleText(operation)}`}</span>,
  },
  { title: "Answer", cell: ({ status, code }) => <span className="mono">{`${status} ${code}`}</span> },
  { title: "Why", grow: true, cell: ({ decided_by: { meaning } }) => <span className="text-ink-2">{meaning}</span> },
  { title: "Request", cell: ({ request_id: id }) => <span className="mono text-ink-2">{id.slice(-8)}</span> },
];

function Recent({
  list,
  openId,
  onOpen,
}: {
  list: ItemList<RefusedRequest>;
  openId: string | undefined;
  onOpen: (request: RefusedRequest) => void;
}): ReactNode {
  return (
    <ListTable
      label="Recent refusals"
      list={list}
      columns={COLUMNS}
      keyOf={({ request_id: id }) => id}
      openKey={openId}
      onOpen={onOpen}
      empty={
        <Empty title="No request was refused">
          <p>A refused request appears here within a second. Its answer has the id. To explain one from a terminal:</p>
          <CopyBlock label="Command that explains a refused request" text="mooring request show REQUEST_ID" />
        </Empty>
      }
    />
  );
}
