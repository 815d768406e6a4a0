import { DISCOVERY_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { useSearchState } from "~/app/search.ts";
import { CopyButton } from "~/kit/copy.tsx";
import { Select } from "~/kit/field.tsx";
import { plural } from "~/kit/figures.ts";
import { WithInspector } from "~/kit/inspector.tsx";
import { Loaded, Page as Frame, Section } from "~/kit/page.tsx";
import { SearchField } from "~/kit/search-field.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { matching, operationsOf, permissionOf, type ApiDocument, type Operation } from "./document.ts";
import { OperationInspector } from "./operation-inspector.tsx";

/** The state of the page in its address. */
interface SearchState extends Record<string, string | undefined> {
  tag: string | undefined;
  q: string | undefined;
  /** The open operation. */
  operation: string | undefined;
}

const COLUMNS: readonly Column<Operation>[] = [
  { title: "Operation", cell: ({ summary }) => summary },
  { title: "Method", cell: ({ method }) => <code>{method}</code> },
  { title: "Path", cell: ({ path }) => <code>{path}</code> },
  { title: "Permission", cell: (operation) => <code>{permissionOf(operation)}</code> },
];

/** Lists the operations of the JSON API, from the server's OpenAPI document. */
export function Page(): ReactNode {
  const document = useRead(DISCOVERY_ROUTES.getApiDocument, {});
  return (
    <Frame
      title="API"
      about="Every operation of the JSON API. TOKEN in the commands is an access token. Connect, at the top of the page, has the command that gets one."
      actions={<CopyButton text={`${location.origin}/openapi.json`} label="Copy address of the document" />}
    >
      <Loaded result={document}>{(loaded) => <Operations document={loaded as unknown as ApiDocument} />}</Loaded>
    </Frame>
  );
}

function Operations({ document }: { document: ApiDocument }): ReactNode {
  const [{ tag, q, operation: open }, change] = useSearchState<SearchState>();
  const all = operationsOf(document);
  const chosen = document.tags.find(({ name }) => name === tag) ?? document.tags[0];
  const shown =
    q === undefined ? all.filter(({ tags }) => tags.includes(chosen?.name ?? "")) : matching(all, String(q));
  const opened = all.find(({ operationId }) => operationId === open);
  const close = (): void => change({ operation: undefined });
  return (
    <WithInspector
      inspector={
        opened !== undefined && <OperationInspector key={open} operation={opened} document={document} onClose={close} />
      }
    >
      <Section
        title={q === undefined ? chosen?.name : plural(shown.length, "operation")}
        about={q === undefined ? chosen?.description : "with these words, of all subjects"}
        flush
        actions={
          <>
            <Select
              aria-label="Subject"
              value={chosen?.name}
              onChange={({ target }) => change({ tag: target.value, q: undefined, operation: undefined })}
            >
              {document.tags.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </Select>
            <SearchField label="Search all operations" value={q} onChange={(text) => change({ q: text })} />
          </>
        }
      >
        {shown.length === 0 ? (
          <p className="p-3.5 text-ink-2">No operation has these words in its path, summary or permission.</p>
        ) : (
          <Table
            label="Operations"
            items={shown}
            columns={COLUMNS}
            keyOf={({ operationId }) => operationId}
            openKey={open}
            onOpen={({ operationId }) => change({ operation: operationId }, { push: true })}
          />
        )}
      </Section>
    </WithInspector>
  );
}
