import { useState, type ReactNode } from "react";
import { useMayAnywhere, useWhyNotHere } from "~/app/may.ts";
import { useMe, useProject } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock, CopyButton } from "~/kit/copy.tsx";
import { WithInspector } from "~/kit/inspector.tsx";
import { Empty, Loading, Page as Frame } from "~/kit/page.tsx";
import { curlOf } from "~/kit/shell.ts";
import { useTextSearchState } from "~/kit/text-search-state.ts";
import { EditDialog } from "./edit-dialog.tsx";
import { AccessInspector } from "./inspector.tsx";
import { useAccessList, type AccessItem, type AccessKind } from "./kind.ts";
import { AccessList } from "./list.tsx";
import { RevokeDialog } from "./revoke-dialog.tsx";

export type AccessSearch = Record<string, string | boolean | undefined>;
type ChangeSearch = (part: AccessSearch, options?: { push?: boolean }) => void;

interface PageProps<T extends AccessItem, N> {
  kind: AccessKind<T>;
  title: string;
  about: ReactNode;
  /** The purpose of such an item, and the command that creates one. */
  emptyAbout: string;
  emptyCommand: string;
  /** The search parameters that fill in the form. They are cleared when it closes. */
  formParams: readonly string[];
  form: (props: { search: AccessSearch; onCreated: (created: N) => void; onClose: () => void }) => ReactNode;
  /** Whether there is a secret to show; default: always. */
  hasSecret?: (created: N) => boolean;
  secret: (created: N, onClose: () => void) => ReactNode;
  idOf: (created: N) => string;
  buttons?: (item: T, onSecret: (created: N) => void) => ReactNode;
  /** Further buttons of the page, for people who may read the list. */
  actions?: ReactNode;
  parts?: (item: T) => ReactNode;
}

/** The page of one kind: list, inspector, and the dialogs to create, change and revoke. */
export function AccessPage<T extends AccessItem, N>(props: PageProps<T, N>): ReactNode {
  const { kind, title, about } = props;
  const [search, setSearch] = useTextSearchState<AccessSearch>();
  const me = useMe();
  const mayRead = useMayAnywhere("credentials:read");
  const why = useWhyNotHere("credentials:write");
  const create = (
    <Button
      look="main"
      disabled={why !== undefined}
      title={why}
      onClick={() => setSearch({ [kind.address.create]: true }, { push: true })}
    >
      Create {kind.noun}
    </Button>
  );
  return (
    <Frame
      title={title}
      about={about}
      actions={
        <>
          <CopyButton text={curlOf(`${location.origin}${kind.path}?limit=100`)} label="Copy as curl" />
          {mayRead && props.actions}
          {create}
        </>
      }
    >
      {me === undefined && <Loading />}
      {me !== undefined && !mayRead && (
        <p>
          Your role {me.role} lacks <code>credentials:read</code>, so you cannot see {kind.noun}s. An owner or an admin
          can give you another role.
        </p>
      )}
      {me !== undefined && mayRead && <Items {...props} search={search} setSearch={setSearch} create={create} />}
    </Frame>
  );
}

interface ItemsProps<T extends AccessItem, N> extends PageProps<T, N> {
  search: Partial<AccessSearch>;
  setSearch: ChangeSearch;
  create: ReactNode;
}

function Items<T extends AccessItem, N>({ search, setSearch, create, ...props }: ItemsProps<T, N>): ReactNode {
  const { kind, formParams, form, secret, idOf } = props;
  const { open: openParam, create: createParam } = kind.address;
  const [created, setCreated] = useState<N | null>(null);
  const project = useProject();
  const list = useAccessList(kind, {
    ...(project === null ? {} : { project: project.slug }),
    ...(search["revoked"] === true ? { include_revoked: true } : {}),
  });
  const openId = typeof search[openParam] === "string" ? search[openParam] : undefined;
  const noForm = Object.fromEntries([createParam, ...formParams].map((name) => [name, undefined]));
  return (
    <>
      <WithInspector
        inspector={
          openId !== undefined && (
            <Opened
              key={openId}
              {...props}
              id={openId}
              onSecret={setCreated}
              onClose={() => setSearch({ [openParam]: undefined })}
            />
          )
        }
      >
        <AccessList
          kind={kind}
          list={list}
          search={{ q: String(search["q"] ?? ""), revoked: search["revoked"] === true }}
          onSearch={(part) => setSearch({ ...part })}
          openId={openId}
          onOpen={({ id }) => setSearch({ [openParam]: id === openId ? undefined : id }, { push: true })}
          empty={
            <Empty title={`No ${kind.noun}s yet`} action={create} heading="h2">
              <p>{props.emptyAbout}</p>
              <CopyBlock text={props.emptyCommand} />
            </Empty>
          }
        />
      </WithInspector>
      {search[createParam] !== undefined &&
        created === null &&
        form({
          search,
          onCreated: (item) => {
            if (props.hasSecret?.(item) !== false) setCreated(item);
            setSearch({ ...noForm, [openParam]: idOf(item) });
          },
          onClose: () => setSearch(noForm),
        })}
      {created !== null && secret(created, () => setCreated(null))}
    </>
  );
}

interface OpenedProps<T extends AccessItem, N> extends PageProps<T, N> {
  id: string;
  onSecret: (created: N) => void;
  onClose: () => void;
}

/** The open item and the dialogs on it. */
function Opened<T extends AccessItem, N>({ id, onSecret, onClose, ...props }: OpenedProps<T, N>): ReactNode {
  const { kind, buttons, parts } = props;
  const [action, setAction] = useState<{ name: "edit" | "revoke"; item: T } | null>(null);
  const stop = (): void => setAction(null);
  return (
    <>
      <AccessInspector
        kind={kind}
        id={id}
        onClose={onClose}
        onAct={(name, item) => setAction({ name, item })}
        buttons={buttons === undefined ? undefined : (item) => buttons(item, onSecret)}
        parts={parts}
      />
      {action?.name === "edit" && <EditDialog kind={kind} item={action.item} onClose={stop} />}
      {action?.name === "revoke" && <RevokeDialog kind={kind} item={action.item} onClose={stop} />}
    </>
  );
}
