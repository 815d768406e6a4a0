import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { invite, SYSTEM } from "#domain/organizations/index.ts";
import { startPortal, type Ada, type PortalServer } from "../testing/server.ts";

const PATH = "/api/invitation/accept";

let server: PortalServer;
let ada: Ada;

before(async () => {
  server = await startPortal();
  ada = await server.settle();
});

after(() => server.close());

async function invitation(email: string, org: Ada): Promise<string> {
  return (await invite(server, SYSTEM, org.orgId, { email, role: "developer" })).token;
}

test("the session says who accepts; the audit log says so, too", async () => {
  const other = await server.settle();
  const browser = await server.signedIn(ada);
  const answer = await browser.call("POST", PATH, { token: await invitation(ada.email, other) });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.json, {
    organization: { ...(answer.json["organization"] as object), slug: other.org },
    role: "developer",
  });
  const row = await server.metadata.read
    .selectFrom("audit")
    .select(["actor_id", "result"])
    .where("org_id", "=", other.orgId)
    .where("action", "=", "invitation.accept")
    .executeTakeFirstOrThrow();
  assert.deepEqual(row, { actor_id: ada.id, result: "success" });
});

test("forbidden when it is for another address, and that is recorded", async () => {
  const other = await server.settle();
  const browser = await server.signedIn(ada);
  const token = await invitation("grace@example.com", other);
  const answer = await browser.call("POST", PATH, { token });
  assert.equal(answer.json["code"], "forbidden", answer.text);
  assert.ok(!answer.text.includes("grace@"));
  const row = await server.metadata.read
    .selectFrom("audit")
    .select("result")
    .where("org_id", "=", other.orgId)
    .where("action", "=", "invitation.accept")
    .executeTakeFirstOrThrow();
  assert.equal(row.result, "denied");
});

test("not_found for a link that was used or never was, invalid_body", async () => {
  const other = await server.settle();
  const browser = await server.signedIn(ada);
  const token = await invitation(ada.email, other);
  assert.equal((await browser.call("POST", PATH, { token })).status, 200);
  for (const bad of [token, "mriv_none"])
    assert.equal((await browser.call("POST", PATH, { token: bad })).json["code"], "not_found");
  assert.equal((await browser.call("POST", PATH, {})).json["code"], "invalid_body");
});

test("conflict for who became a member since they were invited", async () => {
  const other = await server.settle();
  const token = await invitation(ada.email, other);
  const member = { org_id: other.orgId, user_id: ada.id, role: "viewer", created_at: 1 } as const;
  await server.metadata.write((tx) => tx.insertInto("member").values(member).execute());
  const answer = await (await server.signedIn(ada)).call("POST", PATH, { token });
  assert.equal(answer.json["code"], "conflict", answer.text);
});
