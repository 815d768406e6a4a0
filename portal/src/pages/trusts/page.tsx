import { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useList, type ItemList } from "~/api/queries.ts";
import { useMayAnywhere } from "~/app/may.ts";
import { useProject } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock, CopyButton } from "~/kit/copy.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { WithInspector } from "~/kit/inspector.tsx";
import { Empty, Page as Frame, Section } from "~/kit/page.tsx";
import { SearchField } from "~/kit/search-field.tsx";
import { curlOf } from "~/kit/shell.ts";
import { ListTable, More, type Column } from "~/kit/table.tsx";
import { useTextSearchState } from "~/kit/text-search-state.ts";
import { Time } from "~/kit/time.tsx";
import { CreateDialog } from "./create-dialog.tsx";
import { TrustInspector } from "./inspector.tsx";
import type { Trust, TrustSearch } from "./types.ts";

/** Trusted issuers, whose tokens replace a credential's secret, for example in CI jobs. */
export function Page(): ReactNode {
  const [search, change] = useTextSearchState<TrustSearch>();
  const mayWrite = useMayAnywhere("credentials:write");
  const create = (
    <Button
      look="main"
      disabled={!mayWrite}
      title={mayWrite ? undefined : "Your role lacks credentials:write"}
      onClick={() => change({ new: true }, { push: true })}
    >
      Create trust
    </Button>
  );
  return (
    <Frame
      title="Trusted issuers"
      about="CI jobs, pods and other programs that sign in with a token of their platform. They need no secret that could leak."
      actions={
        <>
          <CopyButton text={curlOf(`${location.origin}/v1/trusts?limit=100`)} label="Copy as curl" />
          {create}
        </>
      }
    >
      <Trusts search={search} change={change} create={create} />
      {search.new === true && (
        <CreateDialog
          credential={search.credential}
          onCreated={({ id }) => change({ new: undefined, trust: id })}
          onClose={() => change({ new: undefined })}
        />
      )}
    </Frame>
  );
}

interface TrustsProps {
  search: Partial<TrustSearch>;
  change: (part: Partial<TrustSearch>, options?: { push?: boolean }) => void;
  create: ReactNode;
}

function Trusts({ search, change, create }: TrustsProps): ReactNode {
  const project = useProject();
  const list = useList(ORGANIZATION_ROUTES.listTrusts, {
    query: { limit: 50, project: project?.slug, credential: search.credential },
    purpose: "list the trusted issuers",
  });
  const q = (search.q ?? "").toLowerCase();
  const shown = list.items.filter((trust) => textOf(trust).includes(q));
  return (
    <WithInspector
      inspector={
        search.trust !== undefined && (
          <TrustInspector key={search.trust} id={search.trust} onClose={() => change({ trust: undefined })} />
        )
      }
    >
      <Section
        title="Trusts"
        about={q === "" ? undefined : `${shown.length} of the ${list.items.length} loaded`}
        flush
        actions={
          <>
            {search.credential !== undefined && (
              <Button onClick={() => change({ credential: undefined })}>Show all credentials</Button>
            )}
            <SearchField
              label="Find by name, subject or credential"
              value={search.q}
              onChange={(text) => change({ q: text })}
            />
          </>
        }
      >
        <ListTable
          label="Trusted issuers, newest first"
          list={{ ...list, items: shown }}
          columns={search.trust === undefined ? COLUMNS : COLUMNS.filter(({ title }) => COMPACT.has(title))}
          keyOf={({ id }) => id}
          onOpen={({ id }) => change({ trust: id === search.trust ? undefined : id }, { push: true })}
          openKey={search.trust}
          empty={<NoTrusts isFiltered={q !== ""} list={list} action={create} />}
        />
      </Section>
    </WithInspector>
  );
}

function textOf({ name, issuer, subject, credential }: Trust): string {
  return [name, issuer, subject, credential.name, credential.client_id].join(" ").toLowerCase();
}

const COMPACT: ReadonlySet<string> = new Set(["Name", "Subject", "Last used"]);
const COLUMNS: readonly Column<Trust>[] = [
  { title: "Name", cell: ({ name }) => <ForeignText text={name} /> },
  { title: "Issuer", cell: ({ issuer }) => <code>{visibleText(issuer.replace("https://", ""))}</code> },
  { title: "Subject", cell: ({ subject }) => <code>{visibleText(subject)}</code>, grow: true },
  { title: "Signs in as", cell: ({ credential }) => <ForeignText text={credential.name} /> },
  { title: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
];

interface NoTrustsProps {
  isFiltered: boolean;
  list: ItemList<Trust>;
  action: ReactNode;
}

function NoTrusts({ isFiltered, list, action }: NoTrustsProps): ReactNode {
  if (isFiltered)
    return (
      <>
        <p className="p-3.5 text-ink-2">None of the {list.items.length} loaded ones matches.</p>
        {list.hasMore && <More list={list} />}
      </>
    );
  return (
    <Empty title="No issuer is trusted yet" action={action}>
      <p>
        A job sends a token that its CI system has signed, and gets the permissions of a credential. It needs no secret.
      </p>
      <CopyBlock
        text={[
          `curl ${location.origin}/v1/credentials/$CREDENTIAL_ID/trusts -H "Authorization: Bearer $TOKEN" \\`,
          `  --json '{"name": "deploys", "issuer": "https://token.actions.githubusercontent.com", "subject": "repo:acme/shop:ref:refs/heads/main"}'`,
        ].join("\n")}
      />
    </Empty>
  );
}
