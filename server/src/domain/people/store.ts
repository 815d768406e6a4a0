import type { MemberRole } from "@mooring/contract";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type Person = Tables["person"];

export { organizationIdsOf, personByEmail, personById } from "#domain/accounts/index.ts";

export interface Membership {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly role: MemberRole;
  /** The organization's policy, as JSON. */
  readonly policy: string;
  /** Earlier sign-ins are not valid in the organization. */
  readonly valid_after: number | null;
  /** The state of the organization. */
  readonly state: string;
  readonly state_reason: string | null;
  readonly suspended_at: number | null;
  readonly deletes_at: number | null;
}

/** Returns the memberships that have not ended. */
export async function membershipsOf(db: Reader, userId: string, nowMs: number): Promise<Membership[]> {
  return db
    .selectFrom("member as m")
    .innerJoin("organization as o", "o.id", "m.org_id")
    .select(["o.id", "o.slug", "o.name", "o.policy", "m.role", "m.valid_after"])
    .select(["o.state", "o.state_reason", "o.suspended_at", "o.deletes_at"])
    .where("m.user_id", "=", userId)
    .where((row) => row.or([row("m.expires_at", "is", null), row("m.expires_at", ">", nowMs)]))
    .orderBy("o.slug")
    .execute();
}

/** Returns the person's membership by the organization's slug. */
export async function membershipBySlug(db: Reader, userId: string, slug: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("member as m")
    .innerJoin("organization as o", "o.id", "m.org_id")
    .select("o.id")
    .where("m.user_id", "=", userId)
    .where("o.slug", "=", slug)
    .executeTakeFirst();
  return row?.id;
}

export async function updatePerson(
  tx: Writer,
  userId: string,
  change: Partial<Pick<Person, "name" | "password_hash">>,
): Promise<void> {
  await tx.updateTable("person").set(change).where("id", "=", userId).execute();
}
