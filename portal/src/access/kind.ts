import type { ORGANIZATION_ROUTES, ResourceKind, ResultOf, Route, Scope } from "@mooring/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useAct, useList, useRead, type ItemList } from "~/api/queries.ts";
import { useVersioned, useVersionedChange, type Versioned } from "~/kit/versioned.tsx";
import type { Column } from "~/kit/table.tsx";
import type { Resources } from "./resources.ts";

/** The fields that credentials and keys of every kind share. */
export interface AccessItem {
  readonly id: string;
  readonly name: string;
  readonly project_id: string | null;
  readonly scopes: readonly Scope[];
  readonly effective_scopes: readonly Scope[];
  readonly allowed_addresses: readonly string[] | null;
  readonly resources: Resources | null;
  readonly pending: boolean;
  readonly created_by: string;
  readonly created_at: string;
  readonly responsible: Credential["responsible"];
  readonly state: Credential["state"];
  readonly state_reason: string | null;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
  readonly last_used_ip?: string | null;
  readonly revoked_with?: string | null;
  readonly secrets?: readonly { readonly created_at: string; readonly expires_at: string | null }[];
}

type Credential = ResultOf<typeof ORGANIZATION_ROUTES.getCredential>;

/** A fact of the inspector: its name and its value. */
export type Fact = readonly [name: string, value: ReactNode];

/** Additional limits in the form that changes an item: their texts in the fields, and the members that changed. */
interface EditedLimits<T extends AccessItem> {
  textsOf(this: void, item: T): LimitTexts;
  fields(this: void, texts: LimitTexts, change: (part: LimitTexts) => void): ReactNode;
  changeOf(this: void, item: T, texts: LimitTexts): object;
}

export type LimitTexts = Readonly<Record<string, string>>;

/** A kind of credential or key: its operations, its words, and the parts of its pages that differ. */
export interface AccessKind<T extends AccessItem> {
  /** `credential`, `S3 key`. */
  readonly noun: string;
  readonly path: string;
  /** The name of the path parameter with the id. */
  readonly idParam: string;
  /** The name of that parameter for approving, adopting and the activity; default: the same. */
  readonly actParam?: string;
  readonly rows: {
    readonly list: Route;
    readonly get: Route;
    readonly update: Route & { readonly headers: readonly ["If-Match"] };
    readonly approve: Route;
    readonly adopt: Route;
    readonly revoke: Route & { readonly headers: readonly ["If-Match"] };
    readonly activity: Route;
  };
  /** The page's search parameters for the open item and for the create form. */
  readonly address: { readonly open: string; readonly create: string };
  /** The public identifier: a client id, an access key id. */
  readonly identifierName: string;
  identifierOf(this: void, item: T): string;
  /** Returns the text in which the list searches. */
  searchTextOf(this: void, item: T): string;
  /** Additional columns and facts of this kind. */
  readonly columns: readonly Column<T>[];
  facts(this: void, item: T): readonly Fact[];
  readonly hasMutableScopes: boolean;
  readonly limits?: EditedLimits<T>;
  /** The kinds of resources to which one can be limited. */
  readonly resourceKinds: readonly ResourceKind[];
  /** Whether one can be responsible for others. */
  readonly hasChildren: boolean;
  /** The consequence of a revocation for the clients that use the item. */
  revokeConsequence(this: void, item: T): ReactNode;
  /** The state after a revocation. */
  revokedNote(this: void, revocation: Revocation): ReactNode;
}

export interface Revocation {
  /** The operation's answer. */
  readonly result: { readonly propagated?: boolean };
  readonly tookMs: number;
}

/** The operations to read again after a change. */
export function changedRows<T extends AccessItem>({ rows }: AccessKind<T>): readonly Route[] {
  return [rows.list, rows.get];
}

// The type of a contract row does not say that its answer has items of type T.

export function useAccessList<T extends AccessItem>(kind: AccessKind<T>, query: object): ItemList<T> {
  return useList(kind.rows.list, { query, purpose: `list the ${kind.noun}s` } as never);
}

export function useAccessItem<T extends AccessItem>(kind: AccessKind<T>, id: string): UseQueryResult<T> {
  const input = { params: { [kind.idParam]: id }, purpose: `read the ${kind.noun}` };
  return useRead(kind.rows.get, input as never, { refetchMs: ITEM_REFETCH_MS }) as unknown as UseQueryResult<T>;
}

const ITEM_REFETCH_MS = 15_000;
const ACTIVITY_REFETCH_MS = 30_000;

export type Activity = ResultOf<typeof ORGANIZATION_ROUTES.getCredentialActivity>;

export function useActivity<T extends AccessItem>(kind: AccessKind<T>, id: string): UseQueryResult<Activity> {
  const input = { params: { [kind.actParam ?? kind.idParam]: id } };
  const result = useRead(kind.rows.activity, input as never, { refetchMs: ACTIVITY_REFETCH_MS });
  return result as unknown as UseQueryResult<Activity>;
}

export function useVersionedItem<T extends AccessItem>(kind: AccessKind<T>, id: string): UseQueryResult<Versioned<T>> {
  return useVersioned(kind.rows.get, { [kind.idParam]: id }) as unknown as UseQueryResult<Versioned<T>>;
}

export interface AccessChange {
  readonly name?: string;
  readonly scopes?: readonly Scope[];
  readonly allowed_addresses?: readonly string[] | null;
  readonly resources?: Resources | null;
}

export function useChangeItem<T extends AccessItem>(
  kind: AccessKind<T>,
  onDone: () => void,
): {
  readonly error: Error | null;
  readonly isPending: boolean;
  change(this: void, item: Versioned<T>, body: AccessChange): void;
} {
  const { mutate, error, isPending } = useVersionedChange(kind.rows.update, { changes: changedRows(kind), onDone });
  const change = ({ value, etag }: Versioned<T>, body: AccessChange): void =>
    mutate({ params: { [kind.idParam]: value.id }, body: body as never, etag });
  return { error, isPending, change };
}

/** Makes the person responsible for an item. */
export function useAdoption<T extends AccessItem>(
  kind: AccessKind<T>,
  id: string,
  onDone: () => void,
): { readonly error: Error | null; readonly isPending: boolean; adopt(this: void): void } {
  const { mutate, error, isPending } = useAct(kind.rows.adopt, { changes: changedRows(kind), onDone });
  return { error, isPending, adopt: () => mutate({ params: { [kind.actParam ?? kind.idParam]: id } } as never) };
}

export function useApproval<T extends AccessItem>(
  kind: AccessKind<T>,
  id: string,
): { readonly error: Error | null; readonly isPending: boolean; approve(this: void): void } {
  const { mutate, error, isPending } = useAct(kind.rows.approve, { changes: changedRows(kind) });
  return { error, isPending, approve: () => mutate({ params: { [kind.actParam ?? kind.idParam]: id } } as never) };
}
