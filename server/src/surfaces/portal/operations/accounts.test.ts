import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { verifyAudit } from "#domain/audit/index.ts";
import { createProject, personPrincipal } from "#domain/organizations/index.ts";
import { deleteAgain, eraseTraces, personById } from "#domain/people/index.ts";
import { useOperator } from "../testing/operator.ts";
import type { Ada } from "../testing/server.ts";

const operated = useOperator();
let grace: Ada;

before(async () => {
  grace = await operated.server.join(operated.ada, "viewer");
});

beforeEach(() => operated.server.forward(60_000));

test("shows which addresses are not verified", async () => {
  const { json } = await operated.browser.call("GET", "/api/instance/accounts");
  const items = json["items"] as { email: string; verified_at: string | null; organizations: string[] }[];
  assert.deepEqual(
    items.map(({ email, verified_at: at, organizations }) => [email, at !== null, organizations]),
    [
      [operated.ada.email, true, [operated.ada.org]],
      [grace.email, false, [operated.ada.org]],
    ].toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
  assert.equal(json["unverified"], 1);
  const { json: some } = await operated.browser.call("GET", "/api/instance/accounts?unverified=true");
  assert.deepEqual(
    (some["items"] as { email: string }[]).map(({ email }) => email),
    [grace.email],
  );
});

test("is searched by part of an address, and read page after page", async () => {
  const found = await operated.browser.call("GET", "/api/instance/accounts?q=VIEWER-");
  assert.equal((found.json["items"] as unknown[]).length, 1);
  assert.equal(
    ((await operated.browser.call("GET", "/api/instance/accounts?q=%25")).json["items"] as unknown[]).length,
    0,
  );
  const seen: string[] = [];
  let cursor: string | null = "";
  do {
    const more: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { json } = await operated.browser.call("GET", `/api/instance/accounts?limit=1${more}`);
    seen.push(...(json["items"] as { email: string }[]).map(({ email }) => email));
    cursor = json["next_cursor"] as string | null;
  } while (cursor !== null);
  assert.deepEqual(seen, [operated.ada.email, grace.email].toSorted());
  assert.equal(
    (await operated.browser.call("GET", "/api/instance/accounts?limit=0")).json["code"],
    "invalid_parameter",
  );
});

test("only operators may read it", async () => {
  const browser = await operated.server.signedIn(await operated.server.join(operated.ada, "admin"));
  assert.equal((await browser.call("GET", "/api/instance/accounts")).json["code"], "forbidden");
  assert.equal((await operated.server.browser().call("GET", "/api/instance/accounts")).status, 401);
});

test("a person is deleted by the operator, with everything but an id", async () => {
  const { server, browser } = operated;
  const victim = await server.join(operated.ada, "developer");
  const theirs = await server.signedIn(victim);
  const { id: userId } = victim;
  const path = `/api/instance/accounts/${userId}`;
  assert.equal((await browser.call("DELETE", path)).status, 204);
  assert.equal((await theirs.call("GET", "/api/session")).status, 401);
  assert.equal((await browser.call("DELETE", path)).json["code"], "not_found");
  const deps = { metadata: server.metadata, clock: server.clock, note: async () => {}, forgetCaches: async () => {} };
  await eraseTraces(deps, [userId]);
  const tables = await server.metadata.read.introspection.getTables();
  for (const { name, columns } of tables) {
    const rows = await server.metadata.read
      .selectFrom(name as "person")
      .selectAll()
      .execute();
    assert.ok(!JSON.stringify(rows).includes(victim.email), `${name} has the address`);
    // A table of people that the deletion does not know fails here.
    if (columns.some((column) => column.name === "user_id"))
      assert.ok(!rows.some((row) => (row as unknown as { user_id: string }).user_id === userId), name);
  }
  const verdict = await verifyAudit(server, operated.ada.orgId);
  assert.ok(verdict.ok && verdict.erased > 0, JSON.stringify(verdict));
});

test("a restore deletes the last owner, and then a person whose private project nobody can take over", async () => {
  const { server } = operated;
  const owner = await server.createOwner();
  const developer = await server.join(owner, "developer");
  const { read } = server.metadata;
  const principal = await personPrincipal(read, owner.orgId, developer.id, server.clock.nowMs());
  assert.ok(principal !== undefined);
  const caller = { principal, ip: null, requestId: null };
  await createProject(server, caller, owner.orgId, { slug: "closed", visibility: "private" });
  const ids = [owner.id, developer.id];
  const listed = ids.map((id) => ({ kind: "person", id, deletedAtMs: server.clock.nowMs() }) as const);
  assert.deepEqual(await deleteAgain(server, listed), ids);
  for (const id of ids) assert.equal(await personById(read, id), undefined);
});

test("a person deletes their own account, unless they are the last owner", async () => {
  const { server } = operated;
  const alone = await server.createOwner();
  const browser = await server.signedIn(alone);
  const refused = await browser.call("DELETE", "/api/account");
  assert.deepEqual([refused.status, refused.json["code"]], [409, "conflict"]);
  assert.match(String(refused.json["detail"]), new RegExp(`last owner of ${alone.org}\\. First make another person`));
  const other = await server.join(alone, "viewer");
  const theirs = await server.signedIn(other);
  assert.equal((await theirs.call("DELETE", "/api/account")).status, 204);
  assert.equal((await theirs.call("GET", "/api/session")).status, 401);
  const last = await operated.browser.call("DELETE", `/api/instance/accounts/${operated.ada.id}`);
  assert.equal(last.json["code"], "conflict");
});
