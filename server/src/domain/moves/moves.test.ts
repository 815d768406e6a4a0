/** Exports and imports in both databases: what a hostile export can't do, and what the records have afterwards. */
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { appendAudit, cutAudit, verifyAudit } from "#domain/audit/index.ts";
import { ORG_ID, OTHER_ORG_ID, PROJECT_ID } from "#domain/identity/testing.ts";
import { usageOf } from "#domain/quotas/index.ts";
import { readSuspension, setSuspension } from "#domain/suspension/index.ts";
import type { Cutoff } from "#kernel/deletions.ts";
import { ROWS } from "#stores/metadata/testing.ts";
import { DATABASES, postgresUrl } from "../../../../tests/fixtures/databases.ts";
import type { Row } from "./store.ts";
import { CONTENT, Forgery, openSource, openTarget, type Source, type Target } from "./testing.ts";

interface Attack {
  readonly name: string;
  readonly forge: (forgery: Forgery, at: string, source: Source) => void;
  readonly message: RegExp;
}

/** Changes every row of a table. */
const changed =
  (table: string, change: Row): Attack["forge"] =>
  (forgery) =>
    forgery.replace(
      table,
      forgery.rows(table).map((row) => ({ ...row, ...change })),
    );

const added =
  (table: string, row: (source: Source) => object): Attack["forge"] =>
  (forgery, _at, source) =>
    forgery.replace(table, [...forgery.rows(table), { ...row(source) }]);

const VALUE = /has a value that is not valid/;
const NUMBER = /has a number that is not valid/;
const FOREIGN = "proj_of_another";

const ATTACKS: readonly Attack[] = [
  {
    name: "the id of another organization",
    forge: changed("organization", { id: OTHER_ORG_ID }),
    message: /row of another organization/,
  },
  {
    name: "a row of another organization",
    forge: changed("app", { org_id: OTHER_ORG_ID }),
    message: /belongs to another organization/,
  },
  {
    name: "another organization in the manifest",
    forge: (forgery) =>
      forgery.manifest((all) => ({ ...all, organization: { ...all.organization, id: OTHER_ORG_ID } })),
    message: /another organization/,
  },
  {
    name: "an organization with a path as id",
    forge: (forgery) => forgery.manifest((all) => ({ ...all, organization: { ...all.organization, id: "../x" } })),
    message: /names no organization/,
  },
  {
    name: "a project of another organization",
    forge: changed("app", { project_id: FOREIGN }),
    message: /names a project that the export does not have/,
  },
  {
    name: "a credential in a project of another one",
    forge: changed("credential", { project_id: FOREIGN }),
    message: /names a project/,
  },
  {
    name: "a member who is not in the export",
    forge: changed("member", { user_id: "user_of_another" }),
    message: /names a person/,
  },
  {
    name: "an account without a role",
    forge: added("person", () => ({ ...ROWS.person, id: "user_extra", email: "extra@example.com" })),
    message: /user_extra is not a member/,
  },
  {
    name: "a number of an event beyond exact numbers",
    forge: changed("webhook_event", { seq: 2 ** 60 }),
    message: NUMBER,
  },
  {
    name: "a number of an event that takes all later ones",
    forge: changed("webhook_event", { seq: 2 ** 52 }),
    message: NUMBER,
  },
  { name: "a negative number of an event", forge: changed("webhook_event", { seq: -1 }), message: NUMBER },
  { name: "a number with a fraction", forge: changed("app", { created_at: 1.5 }), message: VALUE },
  {
    name: "a size that hides content from the quota",
    forge: changed("file", { size: 0 }),
    message: /another size than its content/,
  },
  {
    name: "a digest of other content",
    forge: changed("file", { sha256: "0".repeat(64) }),
    message: /another digest than its content/,
  },
  {
    name: "content that the export does not have",
    forge: changed("file", { blob_id: "blob_of_another" }),
    message: /which the export lacks/,
  },
  { name: "a role that does not exist", forge: changed("member", { role: "operator" }), message: VALUE },
  { name: "a permission for the server", forge: changed("credential", { scopes: "instance:write" }), message: VALUE },
  { name: "a state that does not exist", forge: changed("organization", { state: "free" }), message: VALUE },
  {
    name: "an organization that was deleted",
    forge: changed("organization", { state: "deleting", deletes_at: 5 }),
    message: VALUE,
  },
  { name: "a policy that is not JSON", forge: changed("organization", { policy: "{" }), message: VALUE },
  { name: "a policy without an object", forge: changed("organization", { policy: "null" }), message: VALUE },
  { name: "a slug with a path", forge: changed("app", { slug: "../other" }), message: VALUE },
  { name: "an address in capitals", forge: changed("person", { email: "Ada@Example.com" }), message: VALUE },
  { name: "a list in the place of a text", forge: changed("app", { name: ["x"] }), message: VALUE },
  { name: "a column that does not exist", forge: changed("app", { extra: 1 }), message: /extra/ },
  {
    name: "fewer rows than the manifest names",
    forge: (forgery) => forgery.write("records/credential.ndjson", ""),
    message: /the export has 0 rows of credential/,
  },
  {
    name: "an entry of the audit log that was edited",
    forge: changed("audit", { action: "nothing.happened" }),
    message: /audit log of the export is not intact/,
  },
  {
    name: "a key of the audit log under another key's name",
    forge: added("audit_key", () => ({ kid: "other", alg: "ES256", public_jwk: JWK, added_at: 1 })),
    message: /has the name of another key/,
  },
  {
    name: "a path out of the export",
    forge: (forgery) => forgery.list((files) => [...files, { path: "files/../../x", size: 1, sha256: "0".repeat(64) }]),
    message: /which is not a file of an export/,
  },
  {
    name: "an absolute path",
    forge: (forgery) => forgery.list((files) => [...files, { path: "/etc/passwd", size: 1, sha256: "0".repeat(64) }]),
    message: /which is not a file of an export/,
  },
  {
    name: "a telemetry file of another organization",
    forge: (forgery) => forgery.write("records/telemetry_file.ndjson", telemetryRow({ org_id: OTHER_ORG_ID })),
    message: /is not a telemetry file of the organization/,
  },
  {
    name: "a telemetry file outside of its folder",
    forge: (forgery) => forgery.write("records/telemetry_file.ndjson", telemetryRow({ id: "../../x" })),
    message: /path|unsafe|characters|seg/i,
  },
  {
    name: "a telemetry file with a statement as column",
    forge: (forgery) => forgery.write("records/telemetry_file.ndjson", telemetryRow({ promoted: '["$..*"]' })),
    message: /is not a telemetry file of the organization/,
  },
  {
    name: "a link in the place of a file",
    forge: (_forgery, at) => linked(at, "records/app.ndjson"),
    message: /records\/app\.ndjson is missing/,
  },
  {
    name: "a link in the place of a folder",
    forge: (_forgery, at) => linked(at, "records"),
    message: /records\/.* is missing/,
  },
];

const JWK = JSON.stringify({
  kty: "EC",
  crv: "P-256",
  x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
  y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
});

/** A line of the list of telemetry files. Its Parquet file is any file of the export. */
function telemetryRow(change: object): string {
  const { store_id: _store, dropped_at: _dropped, path: _path, ...row } = ROWS.telemetry_file;
  const file = { path: "export.json", sha256: EXPORT_SHA256.value };
  return `${JSON.stringify({ ...row, id: "seg_1", org_id: ORG_ID, ...file, ...change })}\n`;
}

const EXPORT_SHA256 = { value: "" };

function linked(at: string, path: string): void {
  const elsewhere = join(at, "..", `${at.split("/").at(-1)}-elsewhere`);
  renameSync(join(at, path), elsewhere);
  symlinkSync(elsewhere, join(at, path));
}

for (const { kind, skip } of DATABASES) {
  describe(`moves of organizations on ${kind}`, { skip }, () => {
    const copies: string[] = [];
    let source: Source;
    let original: string;
    let target: Target;
    const urlOf = async (name: string): Promise<string | undefined> =>
      kind === "sqlite" ? undefined : postgresUrl(`moves-${name}`);

    before(async () => {
      source = await openSource(await urlOf("source"));
      await cutLog(source);
      original = await source.exported();
      target = await openTarget(await urlOf("target"), source);
    });

    afterEach(() => {
      for (const path of copies.splice(0)) {
        rmSync(path, { recursive: true, force: true });
        rmSync(`${path}-elsewhere`, { recursive: true, force: true });
      }
    });

    after(async () => {
      await target.close();
      await source.close();
    });

    const copied = (): string => {
      const at = mkdtempSync(join(tmpdir(), "mooring-forged-"));
      copies.push(at);
      cpSync(original, at, { recursive: true });
      new Forgery(at).list((files) => {
        EXPORT_SHA256.value = files.find(({ path }) => path === "export.json")?.sha256 ?? "";
        return files;
      });
      return at;
    };

    for (const { name, forge, message } of ATTACKS)
      test(`refuses ${name}, and leaves nothing`, async () => {
        const at = copied();
        forge(new Forgery(at), at, source);
        await assert.rejects(target.imported(at), message);
        assert.equal(await target.rows(), 1);
      });

    test("an altered file is refused, and leaves nothing", async () => {
      const at = copied();
      writeFileSync(join(at, "records/member.ndjson"), "{}\n");
      await assert.rejects(target.imported(at), /was altered/);
      assert.equal(await target.rows(), 1);
    });

    test("nobody arrives as an operator, with quotas or with a verified address", async () => {
      const at = copied();
      changed("person", { instance_admin: 1, verified_at: 5 })(new Forgery(at), at, source);
      added("telemetry_policy", () => ({ ...ROWS.telemetry_policy, org_id: ORG_ID, stored_bytes_max: 2 ** 53 - 1 }))(
        new Forgery(at),
        at,
        source,
      );
      const { slug, state } = await target.imported(at, "moved");
      assert.deepEqual([slug, state], ["moved", "read_only"]);
      const { read } = target.metadata;
      const people = await read
        .selectFrom("person")
        .select(["instance_admin", "verified_at"])
        .where("id", "=", source.owner.id)
        .execute();
      assert.deepEqual(people, [{ instance_admin: 0, verified_at: null }]);
      const policy = await read.selectFrom("telemetry_policy").select("stored_bytes_max").executeTakeFirst();
      assert.equal(policy?.stored_bytes_max, null);
    });

    test("an account with the same id stays as it is, and becomes the member", async () => {
      const { read } = target.metadata;
      const { id } = source.known;
      const account = await read.selectFrom("person").selectAll().where("id", "=", id).executeTakeFirst();
      assert.deepEqual(account, { ...ROWS.person, id, email: "kept@example.com" });
      const tokens = read.selectFrom("credential").select("revoked_at").where("id", "=", "cred_token");
      assert.notEqual(
        (await tokens.executeTakeFirst())?.revoked_at,
        null,
        "a token of an export must not act for the account",
      );
      const member = await read.selectFrom("member").select("role").where("user_id", "=", id).executeTakeFirst();
      assert.equal(member?.role, "developer");
    });

    test("the log with a cut verifies, behind the entries of the old server", async () => {
      const { read } = target.metadata;
      const there = await verifyAudit({ metadata: source.ground.metadata }, ORG_ID);
      const here = await verifyAudit({ metadata: target.metadata }, ORG_ID);
      assert.ok(there.ok && here.ok && here.cut !== null, JSON.stringify(here));
      assert.deepEqual(here.cut, there.cut);
      const last = await read.selectFrom("audit").selectAll().orderBy("seq", "desc").executeTakeFirstOrThrow();
      assert.equal(last.action, "organization.import");
      const detail = JSON.parse(last.detail) as { seq: number; hash: string };
      assert.deepEqual([last.seq, last.prev_hash], [detail.seq + 1, detail.hash]);
    });

    test("the suspension, groups, resources and usage arrive", async () => {
      const { read } = target.metadata;
      assert.deepEqual(await readSuspension(read, ORG_ID), { state: "read_only", reason: "it moves" });
      const groups = await read.selectFrom("group_member").select(["group_id", "user_id"]).execute();
      assert.deepEqual(groups, [{ group_id: ROWS.person_group.id, user_id: source.owner.id }]);
      const credential = await read
        .selectFrom("credential")
        .select("resources")
        .where("id", "=", ROWS.credential.id)
        .executeTakeFirst();
      assert.equal(credential?.resources, ROWS.credential.resources);
      const usage = await usageOf(read, "files", { org_id: ORG_ID });
      assert.deepEqual(usage, {
        files: 1,
        bytes: CONTENT.length,
        grants: 0,
        reserved: 0,
        trashed_files: 0,
        trashed_bytes: 0,
      });
      const place = await read.selectFrom("file_usage").select("place").executeTakeFirst();
      assert.equal(place?.place, PROJECT_ID);
    });

    test("the former slug of another organization is refused, also after its deletion", async () => {
      const { metadata } = target;
      const deleted = { slug: "former", id: "org_another", deleted_at: Date.now() };
      await metadata.write((tx) => tx.insertInto("deleted_organization").values(deleted).execute());
      await assert.rejects(target.imported(original, "former"), /former is the former slug of another organization/);
    });

    test("a deleted organization is not exported until somebody keeps it", async () => {
      const { metadata } = source.ground;
      const set = (deletes_at: number | null): Promise<unknown> =>
        metadata.write((tx) => tx.updateTable("organization").set({ deletes_at }).where("id", "=", ORG_ID).execute());
      await set(5);
      await assert.rejects(source.exported(), /was deleted, and its data may be incomplete/);
      await set(null);
    });

    test("a second import is refused", async () => {
      await assert.rejects(target.imported(original), /on this server already, as moved/);
    });
  });
}

/** Suspends the organization, and deletes the oldest entries of its audit log. */
async function cutLog({ ground, owner }: Source): Promise<void> {
  const { metadata, clock } = ground;
  const event = {
    orgId: ORG_ID,
    actor: { kind: "person", id: owner.id },
    action: "project.create",
    result: "success",
  } as const;
  for (let i = 0; i < 5; i++)
    await metadata.write((tx) => appendAudit({ metadata, clock }, tx, { ...event, ip: "192.0.2.1" }));
  clock.advance(1000);
  const cutMs = clock.nowMs();
  await metadata.write((tx) => appendAudit({ metadata, clock }, tx, event));
  const identity = await ground.node();
  const outcome = await cutAudit({ metadata, clock, signer: identity.keys }, ORG_ID, cutMs as Cutoff);
  assert.deepEqual(outcome, { deleted: 5 });
  await metadata.write((tx) =>
    setSuspension(tx, ORG_ID, { state: "read_only", reason: "it moves", atMs: clock.nowMs() }),
  );
}
