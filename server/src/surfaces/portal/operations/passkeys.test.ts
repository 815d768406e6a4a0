import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { goPastLimit } from "#domain/limits/testing/edge.ts";
import type { RecordLimits } from "#kernel/record-limits.ts";
import { Authenticator } from "../testing/authenticator.ts";
import { addPasskey, ask, ORIGIN, signInWith } from "../testing/passkeys.ts";
import { startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

describe("listPasskeys", () => {
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;

  before(async () => {
    server = await startPortal();
  });

  beforeEach(async () => {
    server.forward(10 * 60_000); // Old failures and attempts are forgotten.
    ada = await server.createOwner();
    browser = await server.signedIn(ada);
  });

  after(() => server.close());

  test("lists the person's passkeys, newest first, with their last use", async () => {
    const made = new Authenticator();
    const { json: first } = await addPasskey(browser, made);
    const { json: next } = await addPasskey(browser, new Authenticator());
    await addPasskey(await server.signedIn(await server.createOwner()), new Authenticator());
    await signInWith(server, made);
    const { items } = (await browser.call("GET", "/api/account/passkeys")).json as {
      items: { id: unknown; last_used_at: string | null }[];
    };
    assert.deepEqual(
      items.map(({ id, last_used_at }) => [id, last_used_at !== null]),
      [
        [next["id"], false],
        [first["id"], true],
      ],
    );
  });
});

describe("beginPasskey", () => {
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;

  before(async () => {
    server = await startPortal();
  });

  beforeEach(async () => {
    server.forward(10 * 60_000); // Old failures and attempts are forgotten.
    ada = await server.createOwner();
    browser = await server.signedIn(ada);
  });

  after(() => server.close());

  test("asks for a discoverable key with user verification that the account does not have yet", async () => {
    const made = new Authenticator();
    await addPasskey(browser, made);
    const { options } = await ask(browser, "/api/account/passkeys/options");
    assert.deepEqual(options["rp"], { id: "portal.example", name: "Mooring" });
    const selection = options["authenticatorSelection"] as Record<string, unknown>;
    assert.equal(selection["residentKey"], "required");
    assert.equal(selection["userVerification"], "required");
    const known = options["excludeCredentials"] as { id: string }[];
    assert.deepEqual(
      known.map(({ id }) => id),
      [made.credentialId],
    );
  });

  test("a person at the limit is refused before the browser asks for a key", async () => {
    for (let i = 0; i < 20; i++) assert.equal((await addPasskey(browser, new Authenticator())).status, 201);
    assert.equal((await browser.call("POST", "/api/account/passkeys/options", {})).json["code"], "limit_reached");
  });
});

describe("createPasskey", () => {
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;

  before(async () => {
    server = await startPortal();
  });

  beforeEach(async () => {
    server.forward(10 * 60_000); // Old failures and attempts are forgotten.
    ada = await server.createOwner();
    browser = await server.signedIn(ada);
  });

  after(() => server.close());

  test("adds the browser's passkey with a name", async () => {
    const answer = await addPasskey(browser, new Authenticator());
    assert.equal(answer.status, 201, answer.text);
    const { name, last_used_at, synced } = answer.json;
    assert.deepEqual({ name, last_used_at, synced }, { name: "Key", last_used_at: null, synced: false });
  });

  test("a passkey can be added once", async () => {
    const made = new Authenticator();
    assert.equal((await addPasskey(browser, made)).status, 201);
    assert.equal((await addPasskey(browser, made)).json["code"], "conflict");
  });

  test("a passkey of another origin, one without user verification, and invalid input are refused", async () => {
    assert.equal((await addPasskey(browser, new Authenticator(), "https://evil.example")).json["code"], "invalid_body");
    const blind = new Authenticator();
    blind.userVerified = false;
    assert.equal((await addPasskey(browser, blind)).json["code"], "invalid_body");
    const { ticket } = await ask(browser, "/api/account/passkeys/options");
    const rubbish = await browser.call("POST", "/api/account/passkeys", { ticket, name: "Key", response: {} });
    assert.equal(rubbish.json["code"], "invalid_body");
  });

  test("a ticket belongs to one person, for five minutes", async () => {
    const { ticket, options } = await ask(browser, "/api/account/passkeys/options");
    const body = { ticket, name: "Key", response: new Authenticator().create(options, ORIGIN) };
    const stranger = await server.signedIn(await server.createOwner());
    assert.equal((await stranger.call("POST", "/api/account/passkeys", body)).json["code"], "conflict");
    server.forward(5 * 60_000);
    assert.equal((await browser.call("POST", "/api/account/passkeys", body)).json["code"], "conflict");
  });

  test("the setting limits a person's passkeys", async () => {
    const limits = server.metadata.limits as { -readonly [N in keyof RecordLimits]: number };
    // Begun below the limit, which another page has reached meanwhile.
    await goPastLimit(server.metadata, "passkeys_max", async () => {
      const limit = limits.passkeys_max;
      limits.passkeys_max = 1_000;
      const { ticket, options } = await ask(browser, "/api/account/passkeys/options");
      limits.passkeys_max = limit;
      const response = new Authenticator().create(options, ORIGIN);
      return browser.call("POST", "/api/account/passkeys", { ticket, name: "Key", response });
    });
  });
});

describe("updatePasskey", () => {
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;

  before(async () => {
    server = await startPortal();
  });

  beforeEach(async () => {
    server.forward(10 * 60_000); // Old failures and attempts are forgotten.
    ada = await server.createOwner();
    browser = await server.signedIn(ada);
  });

  after(() => server.close());

  test("renames a passkey; other people can't see it", async () => {
    const { json } = await addPasskey(browser, new Authenticator());
    const path = `/api/account/passkeys/${String(json["id"])}`;
    assert.equal((await browser.call("PATCH", path, { name: "Blue" })).json["name"], "Blue");
    const stranger = await server.signedIn(await server.createOwner());
    const headers = { "request-id": "same-request-id" };
    const hidden = await stranger.call("PATCH", path, { name: "Mine" }, headers);
    const absent = await stranger.call("PATCH", path.replace(/.$/, "_"), { name: "Mine" }, headers);
    assert.equal(hidden.status, 404);
    assert.equal(hidden.json["detail"], absent.json["detail"]);
  });
});

describe("deletePasskey", () => {
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;

  before(async () => {
    server = await startPortal();
  });

  beforeEach(async () => {
    server.forward(10 * 60_000); // Old failures and attempts are forgotten.
    ada = await server.createOwner();
    browser = await server.signedIn(ada);
  });

  after(() => server.close());

  async function pathOf(made: Authenticator): Promise<string> {
    const { json } = await addPasskey(browser, made);
    return `/api/account/passkeys/${String(json["id"])}`;
  }

  test("a deleted passkey signs nobody in", async () => {
    const made = new Authenticator();
    const path = await pathOf(made);
    assert.equal((await browser.call("DELETE", path)).status, 204);
    assert.equal((await signInWith(server, made)).answer.json["code"], "sign_in_failed");
    assert.equal((await browser.call("DELETE", path)).json["code"], "not_found");
  });

  test("other people can't see it", async () => {
    const path = await pathOf(new Authenticator());
    const stranger = await server.signedIn(await server.createOwner());
    assert.equal((await stranger.call("DELETE", path)).json["code"], "not_found");
  });

  test("the last way to sign in stays", async () => {
    const path = await pathOf(new Authenticator());
    await server.metadata.write(async (tx) => {
      await tx.updateTable("person").set({ password_hash: null }).where("id", "=", ada.id).execute();
    });
    assert.equal((await browser.call("DELETE", path)).json["code"], "conflict");
    await pathOf(new Authenticator());
    assert.equal((await browser.call("DELETE", path)).status, 204);
  });
});
