import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

interface Key {
  readonly kid: string;
  readonly alg: string;
  readonly state: string;
}

describe("rotateSigningKey", () => {
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;

  before(async () => {
    server = await startPortal();
    ada = await server.createOwner(); // The first person is the operator.
  });

  beforeEach(async () => {
    server.forward(10 * 60_000); // Old attempts are forgotten.
    browser = await server.signedIn(ada);
  });

  after(() => server.close());

  const keysOf = async () => (await browser.call("GET", "/api/instance")).json["signing_keys"] as Key[];

  test("creates the next key; a second request returns the same key", async () => {
    const rotated = await browser.call("POST", "/api/instance/signing-keys/rotate", {});
    assert.equal(rotated.status, 200, rotated.text);
    const next = (await keysOf()).find((key) => key.kid === rotated.json["kid"]);
    assert.deepEqual([next?.alg, next?.state], ["ES256", "next"]);
    const again = await browser.call("POST", "/api/instance/signing-keys/rotate", {});
    assert.deepEqual(again.json, rotated.json);
  });

  test("the server's log names the operator", async () => {
    const rows = await server.metadata.read.selectFrom("audit").selectAll().where("org_id", "=", "").execute();
    assert.ok(rows.some((row) => row.actor_id === ada.id && row.action === "key.rotate"));
  });
});

describe("retireSigningKey", () => {
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;

  before(async () => {
    server = await startPortal();
    ada = await server.createOwner(); // The first person is the operator.
  });

  beforeEach(async () => {
    server.forward(10 * 60_000); // Old attempts are forgotten.
    browser = await server.signedIn(ada);
  });

  after(() => server.close());

  const keysOf = async () => (await browser.call("GET", "/api/instance")).json["signing_keys"] as Key[];

  test("a leaked key is retired at once, by its ID", async () => {
    const [key] = await keysOf();
    const retired = await browser.call("POST", `/api/instance/signing-keys/${key?.kid}/retire`, {});
    assert.equal(retired.status, 200, retired.text);
    assert.deepEqual(retired.json, { propagated: true });
    assert.ok(!(await keysOf()).some(({ kid }) => kid === key?.kid));
  });

  test("an unknown key is not found", async () => {
    const unknown = await browser.call("POST", "/api/instance/signing-keys/none/retire", {});
    assert.equal(unknown.json["code"], "not_found");
  });

  test("the server's log names the operator", async () => {
    const rows = await server.metadata.read.selectFrom("audit").selectAll().where("org_id", "=", "").execute();
    assert.ok(rows.some((row) => row.actor_id === ada.id && row.action === "key.retire"));
  });
});
