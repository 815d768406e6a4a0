import { organizationAllows, SUSPENDED_STATES, type OrganizationAction } from "@mooring/contract";
import { isoFromMs } from "#kernel/time.ts";
import { sql, type RawBuilder, type SqlBool } from "kysely";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";
import { ACTIVE, type OrganizationState, type SuspendedState, type Suspension } from "./state.ts";

/** The one place that reads and writes the state of organizations. */

type Row = Pick<Tables["organization"], "state" | "state_reason">;
type DeletionRow = Pick<Tables["organization"], "suspended_at" | "deletes_at">;

/** The columns are text, because the records do not know the contract. Only states of the contract are written. */
export function suspensionOf({ state, state_reason: reason }: Row): Suspension {
  return { state: state as OrganizationState, reason };
}

/** Returns the state of an organization as the API shows it. */
export function suspensionFields(row: Row & DeletionRow): {
  readonly state: OrganizationState;
  readonly state_reason: string | null;
  readonly suspended_at: string | null;
  readonly deletes_at: string | null;
} {
  const { state, reason } = suspensionOf(row);
  const [suspended_at, deletes_at] = [isoOrNull(row.suspended_at), isoOrNull(row.deletes_at)];
  return { state, state_reason: reason, suspended_at, deletes_at };
}

function isoOrNull(atMs: number | null): string | null {
  return atMs === null ? null : isoFromMs(atMs);
}

/** The columns of an organization that is not suspended and not deleted. */
export const NOT_SUSPENDED = {
  state: "active",
  state_reason: null,
  suspended_at: null,
  deletes_at: null,
  before_deletion: null,
} as const;

/** Returns the state of an organization. One that does not exist counts as active. */
export async function readSuspension(db: Reader, orgId: string): Promise<Suspension> {
  const row = await db
    .selectFrom("organization")
    .select(["state", "state_reason"])
    .where("id", "=", orgId)
    .executeTakeFirst();
  return row === undefined ? ACTIVE : suspensionOf(row);
}

/** Whether the state of the organization forbids an action now. */
export async function organizationForbids(db: Reader, orgId: string, action: OrganizationAction): Promise<boolean> {
  return !organizationAllows((await readSuspension(db, orgId)).state, action);
}

export async function setSuspension(
  tx: Writer,
  orgId: string,
  { state, reason, atMs }: Suspension & { readonly atMs: number },
): Promise<void> {
  const isActive = state === "active";
  await tx
    .updateTable("organization")
    .set({ state, state_reason: isActive ? null : reason, suspended_at: isActive ? null : atMs })
    .where("id", "=", orgId)
    .execute();
}

/** Blocks an organization until its data is deleted, and keeps its state from before. */
export async function beginDeletion(
  tx: Writer,
  { id, state, state_reason, suspended_at }: Deletable,
  { atMs, deletesAtMs }: { readonly atMs: number; readonly deletesAtMs: number },
): Promise<void> {
  const before_deletion = JSON.stringify({ state, state_reason, suspended_at });
  const deleted = { state: DELETING, state_reason: null, suspended_at: atMs, deletes_at: deletesAtMs, before_deletion };
  await tx.updateTable("organization").set(deleted).where("id", "=", id).execute();
}

/** Gives an organization its state from before the deletion. */
export async function endDeletion(
  tx: Writer,
  { id, before_deletion: before }: Pick<Tables["organization"], "id" | "before_deletion">,
): Promise<void> {
  const state = JSON.parse(before ?? "{}") as Partial<Pick<Deletable, "state" | "state_reason" | "suspended_at">>;
  await tx
    .updateTable("organization")
    .set({ ...NOT_SUSPENDED, ...state })
    .where("id", "=", id)
    .execute();
}

/** Whether the data of a deleted organization is already being deleted. Then nobody can keep it. */
export function isBeingErased({
  deletes_at: at,
  before_deletion: before,
}: Pick<Tables["organization"], "deletes_at" | "before_deletion">): boolean {
  return at !== null && before === null;
}

/** Makes a deletion final. */
export async function markErasing(tx: Writer, orgId: string): Promise<void> {
  await tx.updateTable("organization").set({ before_deletion: null }).where("id", "=", orgId).execute();
}

const DELETING: OrganizationState = "deleting";

type Deletable = Pick<Tables["organization"], "id" | "state" | "state_reason" | "suspended_at">;

/** Returns the ids of the organizations that forbid an action. Usually there are none. */
export async function organizationsWithout(db: Reader, action: OrganizationAction): Promise<ReadonlySet<string>> {
  const states = statesWithoutOrganizations(action);
  if (states.length === 0) return new Set();
  const rows = await db.selectFrom("organization").select("id").where(isIn(states)).execute();
  return new Set(rows.map(({ id }) => id));
}

/** The condition for rows of organizations that allow an action. @param column with the organization's id */
export function ofAllowing(action: OrganizationAction, column: string): RawBuilder<SqlBool> {
  const states = statesWithoutOrganizations(action);
  if (states.length === 0) return sql<SqlBool>`true`;
  return sql<SqlBool>`${sql.ref(column)} not in (select id from organization where ${isIn(states)})`;
}

function statesWithoutOrganizations(action: OrganizationAction): readonly SuspendedState[] {
  return SUSPENDED_STATES.filter((state) => !organizationAllows(state, action));
}

/** Literals and `<>`, so that the databases use the index of suspended organizations. */
function isIn(states: readonly SuspendedState[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`organization.state <> 'active' and organization.state in (${sql.join(states.map((state) => sql.lit(state)))})`;
}
