import assert from "node:assert/strict";
import { sql } from "kysely";
import type { Writer } from "../../index.ts";
import type { DatabaseCases } from "./harness.ts";
import { migrated } from "./migrated.ts";

const ISSUER = "https://id.example.com";

interface OldPerson {
  readonly password?: boolean;
  readonly isOperator?: boolean;
  readonly seen?: boolean;
  /** When each linked identity was last used; null for never. */
  readonly links?: readonly (number | null)[];
  readonly identities?: readonly (readonly [issuer: string, subject: string, createdAt: number])[];
  readonly sessions?: readonly string[];
}

async function addPeople(tx: Writer, people: Readonly<Record<string, OldPerson>>): Promise<void> {
  await sql`insert into organization (id, slug, name, token_lifetime_s, policy, created_at)
    values (${"org_1"}, ${"acme"}, ${"Acme"}, ${900}, ${"{}"}, ${1})`.execute(tx);
  for (const [id, person] of Object.entries(people)) {
    const hash = person.password === true ? "hash" : null;
    const seenAt = person.seen === true ? 5 : null;
    await sql`insert into person (id, email, name, password_hash, created_at, instance_admin, last_seen_at)
      values (${id}, ${`${id}@example.com`}, ${id}, ${hash}, ${1}, ${person.isOperator === true ? 1 : 0}, ${seenAt})`.execute(
      tx,
    );
    for (const [n, usedAt] of (person.links ?? []).entries())
      await sql`insert into setup_link (id, org_id, user_id, token_hash, created_at, expires_at, used_at)
        values (${`${id}_${n}`}, ${"org_1"}, ${id}, ${`${id}_${n}`}, ${1}, ${9}, ${usedAt})`.execute(tx);
    for (const [issuer, subject, at] of person.identities ?? [])
      await sql`insert into external_identity (issuer, subject, user_id, created_at, last_used_at)
        values (${issuer}, ${subject}, ${id}, ${at}, ${at})`.execute(tx);
    for (const method of person.sessions ?? [])
      await sql`insert into browser_session (id, user_id, secret_hash, method, created_at, confirmed_at, last_seen_at, expires_at)
        values (${`${id}_${method}`}, ${id}, ${`${id}_${method}`}, ${method}, ${1}, ${1}, ${1}, ${9})`.execute(tx);
  }
}

const METHODS = ["password", "password_totp", "recovery_code", "passkey", "oidc", "set_up"];

/** Tests how 0030 migrates older accounts. */
export const ACCOUNTS_MIGRATION: DatabaseCases = {
  "migrated accounts: whose address is verified, which identity stays, and how a session signed in": async (
    database,
  ) => {
    const store = await migrated(database, "0030-accounts", (tx) =>
      addPeople(tx, {
        by_link: { password: true, links: [2000, 1000, null], isOperator: true, sessions: METHODS },
        link_not_used: { password: true, links: [null] },
        by_invitation: { password: true },
        by_provider: { identities: [[ISSUER, "s1", 500]] },
        by_both: { password: true, identities: [[ISSUER, "s2", 500]] },
        link_and_provider: { password: true, links: [300], identities: [[ISSUER, "s3", 500]] },
        second_subject: {
          identities: [
            [ISSUER, "late", 700],
            [ISSUER, "early", 600],
            ["https://other.example", "o", 800],
          ],
          sessions: ["oidc", "passkey"],
        },
        same_time: {
          identities: [
            [ISSUER, "b", 600],
            [ISSUER, "a", 600],
          ],
        },
        waiting: { isOperator: true, links: [null] },
        waiting_but_seen: { isOperator: true, seen: true },
      }),
    );
    try {
      const people = await store.read.selectFrom("person").selectAll().execute();
      assert.deepEqual(Object.fromEntries(people.map(({ id, verified_at }) => [id, verified_at])), {
        by_link: 1000,
        link_not_used: null,
        by_invitation: null,
        by_provider: 500,
        by_both: null,
        link_and_provider: 300,
        second_subject: 600,
        same_time: 600,
        waiting: null,
        waiting_but_seen: null,
      });
      const operators = people.filter(({ instance_admin }) => instance_admin === 1).map(({ id }) => id);
      assert.deepEqual(operators.toSorted(), ["by_link", "waiting_but_seen"]);
      const identities = await store.read.selectFrom("external_identity").select(["subject"]).execute();
      assert.deepEqual(identities.map(({ subject }) => subject).toSorted(), ["a", "early", "o", "s1", "s2", "s3"]);
      const sessions = await store.read.selectFrom("browser_session").selectAll().execute();
      const shown = sessions.map(({ id, second_factor }) => [id, second_factor]);
      assert.deepEqual(Object.fromEntries(shown), {
        by_link_password: 0,
        by_link_password_totp: 1,
        by_link_recovery_code: 1,
        by_link_passkey: 1,
        by_link_oidc: 1,
        by_link_set_up: 0,
        second_subject_passkey: 1,
      });
      const links = await store.read.selectFrom("setup_link").select("by_start").execute();
      assert.ok(links.length > 0 && links.every(({ by_start }) => by_start === 0));
      const another = { issuer: ISSUER, subject: "new", user_id: "by_provider", created_at: 1, last_used_at: 1 };
      await assert.rejects(store.write((tx) => tx.insertInto("external_identity").values(another).execute()));
    } finally {
      await store.close();
    }
  },

  "a person who waits to become the operator keeps waiting if there is none": async (database) => {
    const store = await migrated(database, "0030-accounts", (tx) =>
      addPeople(tx, { waiting: { isOperator: true, links: [null] }, other: { password: true, links: [7] } }),
    );
    try {
      const people = await store.read.selectFrom("person").select(["id", "instance_admin"]).execute();
      assert.deepEqual(Object.fromEntries(people.map(({ id, instance_admin }) => [id, instance_admin])), {
        waiting: 1,
        other: 0,
      });
    } finally {
      await store.close();
    }
  },
};
