import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

let server: PortalServer;
let ada: Ada;
let browser: Browser;

before(async () => {
  server = await startPortal();
  ada = await server.settle();
});

beforeEach(async () => {
  server.forward(60_000);
  browser = await server.signedIn(ada);
});

after(() => server.close());

interface Key {
  readonly kid: string;
  readonly alg: string;
  readonly state: string;
}

const keysOf = async () => (await browser.call("GET", "/api/instance")).json["signing_keys"] as Key[];

test("shows the server, its nodes, keys and checks, and no secret of them", async () => {
  await server.identity.start();
  const { status, json, text } = await browser.call("GET", "/api/instance");
  assert.equal(status, 200, text);
  assert.equal(json["version"], "1.2.3");
  assert.equal(json["metadata"], server.metadata.dialect);
  assert.deepEqual(
    (json["nodes"] as { current: boolean }[]).map(({ current }) => current),
    [true],
  );
  assert.deepEqual((json["signing_keys"] as Key[]).map(({ alg, state }) => `${alg} ${state}`).toSorted(), [
    "ES256 active",
    "RS256 active",
  ]);
  assert.deepEqual(json["checks"], [{ name: "disk", state: "warning", detail: "900 MiB free" }]);
});

test("a rotation makes the next key; asked again, it is that one", async () => {
  const rotated = await browser.call("POST", "/api/instance/signing-keys/rotate", {});
  assert.equal(rotated.status, 200, rotated.text);
  const next = (await keysOf()).find((key) => key.kid === rotated.json["kid"]);
  assert.deepEqual([next?.alg, next?.state], ["ES256", "next"]);
  const again = await browser.call("POST", "/api/instance/signing-keys/rotate", {});
  assert.deepEqual(again.json, rotated.json);
});

test("a key that leaked is retired at once, by its name", async () => {
  const [key] = await keysOf();
  const retired = await browser.call("POST", `/api/instance/signing-keys/${key?.kid}/retire`, {});
  assert.equal(retired.status, 200, retired.text);
  assert.deepEqual(retired.json, { propagated: true });
  assert.ok(!(await keysOf()).some(({ kid }) => kid === key?.kid));
  const unknown = await browser.call("POST", "/api/instance/signing-keys/none/retire", {});
  assert.equal(unknown.json["code"], "not_found");
});

test("an organization is founded, and its owner gets a link unless they have an account", async () => {
  const body = { slug: "fresh", name: "Fresh Ltd", owner_email: "New@Fresh.example" };
  const made = await browser.call("POST", "/api/instance/organizations", body);
  assert.equal(made.status, 201, made.text);
  assert.equal(made.json["name"], "Fresh Ltd");
  assert.match(String(made.json["setup_url"]), /^https:\/\/portal\.example\/setup#mrst_/);
  const known = await browser.call("POST", "/api/instance/organizations", {
    slug: "second",
    name: "Second",
    owner_email: ada.email,
  });
  assert.equal(known.json["setup_url"], null);
  const taken = await browser.call("POST", "/api/instance/organizations", body);
  assert.equal(taken.json["code"], "conflict");
  const { items } = (await browser.call("GET", "/api/instance/organizations")).json as {
    items: { slug: string; members: number }[];
  };
  assert.deepEqual(
    items.map(({ slug, members }) => [slug, members]),
    [
      ["fresh", 1],
      [ada.org, 1],
      ["second", 1],
    ],
  );
});

test("what was done with the server is in its own log, by whom", async () => {
  const rows = await server.metadata.read.selectFrom("audit").selectAll().where("org_id", "=", "").execute();
  const mine = rows.filter((row) => row.actor_id === ada.id).map((row) => row.action);
  assert.deepEqual([...new Set(mine)].toSorted(), ["key.retire", "key.rotate", "organization.create"]);
});
