import { appendAudit } from "#domain/audit/index.ts";
import { absent } from "#domain/identity/access/index.ts";
import { appendAuthChange, type ChangeFeed } from "#domain/identity/changes/index.ts";
import type { Envelope } from "#domain/identity/keys/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Reader, Writer } from "#stores/metadata/index.ts";
import { auditActorOf, type ActorContext } from "./actor.ts";
import { formerByAccessKey } from "./former/store.ts";
import { TABLES, type AnyRow, type Rows, type Table } from "./kinds.ts";
import { findContext, type Context } from "./store.ts";

/** The dependencies of every operation on a credential. */

export interface CredentialsDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly envelope: Envelope;
  readonly feed: Pick<ChangeFeed, "propagate" | "sync">;
}

/**
 * Finds a credential by its id. If the table allows it, also by the public identifier, or by a former one.
 * @throws Problem `not_found`
 */
export async function found<T extends Table>(db: Reader, table: T, orgId: string, name: string): Promise<Context<T>> {
  const { idPrefix, isNamedByPublicId } = TABLES[table];
  const isPublic = isNamedByPublicId && !name.startsWith(`${idPrefix}_`);
  const context = isPublic ? await namedBy(db, table, name) : await findContext(db, table, { id: name });
  if (context === undefined || context.org_id !== orgId) throw absent();
  return context;
}

/** A leaked identifier may be the former one. */
async function namedBy<T extends Table>(db: Reader, table: T, publicId: string): Promise<Context<T> | undefined> {
  const present = await findContext(db, table, { publicId });
  if (present !== undefined) return present;
  const former = await formerByAccessKey(db, publicId);
  return former === undefined ? undefined : findContext(db, table, { id: former.key_id });
}

export type Act = "adopt" | "approve" | "create" | "reduced" | "revoke" | "update";

export function actionOf(table: Table, act: Act): string {
  return `${TABLES[table].auditName}.${act}`;
}

export function detailOf<T extends Table>(
  table: T,
  act: Exclude<Act, "adopt" | "reduced" | "update">,
  row: Rows[T],
): Record<string, unknown> {
  const columns: readonly string[] = TABLES[table].audited[act];
  const entries = columns.map((column) => [column, row[column as keyof Rows[T]]] as const);
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (name === "resources" ? resourcesOf(value) : [[name, value]])),
  );
}

/** The ids of the resources, as an object. Absent from the details if there is no limit. */
function resourcesOf(column: unknown): [string, unknown][] {
  return typeof column === "string" ? [["resources", JSON.parse(column)]] : [];
}

/** Appends an entry about the credential to the audit log. */
export async function audit(
  deps: CredentialsDeps,
  tx: Writer,
  { actor, ip = null, requestId = null }: ActorContext,
  entry: { table: Table; id: string; action: string; detail: Record<string, unknown> },
): Promise<void> {
  const { table, id, action, detail } = entry;
  const target = { kind: TABLES[table].auditName, id };
  const origin = { orgId: actor.orgId, actor: auditActorOf(actor), ip, requestId };
  await appendAudit(deps, tx, { ...origin, action, target, result: "success", detail });
}

/** Makes every node read the credential again. `epoch`: its epoch after the change, if it has one. */
export async function announce(
  deps: Pick<CredentialsDeps, "clock"> & { readonly metadata: Pick<MetadataStore, "lock" | "notify"> },
  tx: Writer,
  id: string,
  epoch: number | undefined,
): Promise<number> {
  return appendAuthChange(deps, tx, { kind: "credential", subject: id, ...(epoch === undefined ? {} : { epoch }) });
}

/** Returns the epoch after a change that ends the issued tokens. */
export function nextEpoch({ epoch }: AnyRow): number | undefined {
  return epoch === undefined ? undefined : epoch + 1;
}
