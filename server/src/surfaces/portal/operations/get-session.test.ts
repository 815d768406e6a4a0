import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { PASSWORD, startPortal, type Ada, type PortalServer } from "../testing/server.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

let server: PortalServer;
let ada: Ada;

before(async () => {
  server = await startPortal();
  ada = await server.settle();
});

beforeEach(() => server.forward(60_000));

after(() => server.close());

test("tells who is signed in, where they are a member, and how their account is kept", async () => {
  const browser = await server.signedIn(ada);
  const { json } = await browser.call("GET", "/api/session");
  assert.deepEqual(json["user"], {
    id: ada.id,
    email: ada.email,
    name: "Ada",
    instance_admin: true,
    email_verified: true,
  });
  assert.deepEqual(json["organizations"], [
    { id: ada.orgId, slug: ada.org, name: ada.org, role: "owner", refused: null },
  ]);
  assert.deepEqual(json["security"], {
    has_password: true,
    has_totp: false,
    passkeys: 0,
    recovery_codes_left: 0,
    has_identity: false,
  });
});

test("the first owner of all runs the server; the next one does not", async () => {
  const other = await server.settle();
  const { json } = await (await server.signedIn(other)).call("GET", "/api/session");
  assert.equal((json["user"] as { instance_admin: boolean }).instance_admin, false);
});

test("without a cookie, with another's and with a bad one it is unauthorized", async () => {
  for (const cookie of [undefined, "x", "A".repeat(43)]) {
    const answer = await server.browser(cookie).call("GET", "/api/session");
    assert.equal(answer.status, 401);
    assert.equal(answer.json["code"], "unauthorized");
  }
});

test("two cookies of the name are none: one of them is not ours", async () => {
  const { cookie } = await server.signedIn(ada);
  for (const field of [`__Host-mooring=x; __Host-mooring=${cookie}`, `__Host-mooring=${cookie}; __Host-mooring=x`]) {
    const answer = await server.browser().call("GET", "/api/session", undefined, { cookie: field });
    assert.equal(answer.status, 401);
  }
  const among = { cookie: `a=b; __Host-mooring=${cookie}; c=d` };
  assert.equal((await server.browser().call("GET", "/api/session", undefined, among)).status, 200);
});

test("a session ends after seven days without use, not while it is used, and after thirty days however much", async () => {
  const idle = await server.signedIn(ada);
  const used = await server.signedIn(ada);
  server.forward(6.9 * DAY_MS);
  assert.equal((await used.call("GET", "/api/session")).status, 200);
  server.forward(0.2 * DAY_MS);
  assert.equal((await idle.call("GET", "/api/session")).status, 401);
  for (let day = 7; day < 29; day += 5) {
    assert.equal((await used.call("GET", "/api/session")).status, 200, `day ${day}`);
    server.forward(5 * DAY_MS);
  }
  assert.equal((await used.call("GET", "/api/session")).status, 401);
});

test("being seen is written once a minute at most", async () => {
  const browser = await server.signedIn(ada);
  const seen = async () =>
    (await server.metadata.read.selectFrom("person").select("last_seen_at").where("id", "=", ada.id).executeTakeFirst())
      ?.last_seen_at;
  const first = await seen();
  server.forward(59_000);
  await browser.call("GET", "/api/session");
  assert.equal(await seen(), first);
  server.forward(2_000);
  await browser.call("GET", "/api/session");
  assert.ok(Number(await seen()) > Number(first));
});

test("sign-in, sign-out and everything between are in the audit log of the organization, without a secret", async () => {
  const browser = await server.signedIn(ada);
  const { cookie = "" } = browser;
  await browser.call("POST", "/api/sign-out");
  const rows = await server.metadata.read.selectFrom("audit").selectAll().where("org_id", "=", ada.orgId).execute();
  const actions = rows.filter((row) => row.actor_kind === "person" && row.actor_id === ada.id).map((row) => row.action);
  assert.ok(actions.includes("session.create") && actions.includes("session.sign_out"), actions.join());
  const everything = JSON.stringify(rows) + server.log();
  assert.ok(!everything.includes(cookie) && !everything.includes(PASSWORD));
});
