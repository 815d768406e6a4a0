import type { OrgRole } from "@mooring/contract";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type Person = Tables["person"];

export { organizationIdsOf, personByEmail, personById } from "#domain/accounts/index.ts";

export interface Membership {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly role: OrgRole;
  /** JSON, as the organization has it. */
  readonly policy: string;
}

export async function membershipsOf(db: Reader, userId: string): Promise<Membership[]> {
  return db
    .selectFrom("member as m")
    .innerJoin("organization as o", "o.id", "m.org_id")
    .select(["o.id", "o.slug", "o.name", "o.policy", "m.role"])
    .where("m.user_id", "=", userId)
    .orderBy("o.slug")
    .execute();
}

/** Where the person is a member, by the organization's slug. */
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

export type PersonalToken = Pick<
  Tables["credential"],
  "id" | "name" | "org_id" | "scopes" | "created_at" | "expires_at" | "last_used_at" | "pending"
> & { readonly organization: string };

/** A person's own tokens that were not ended, newest first. */
export async function personalTokensOf(db: Reader, userId: string): Promise<PersonalToken[]> {
  return db
    .selectFrom("credential as c")
    .innerJoin("organization as o", "o.id", "c.org_id")
    .select(["c.id", "c.name", "c.org_id", "c.scopes", "c.created_at", "c.expires_at", "c.last_used_at", "c.pending"])
    .select("o.slug as organization")
    .where("c.created_by", "=", userId)
    .where("c.kind", "=", "personal")
    .where("c.revoked_at", "is", null)
    .orderBy("c.id", "desc")
    .execute();
}
