import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { PASSWORD, startPortal, type PortalServer } from "../testing/server.ts";

let server: PortalServer;

before(async () => {
  server = await startPortal();
});

beforeEach(() => server.forward(60_000));

after(() => server.close());

test("says with which address the owner will sign in, until the link is used", async () => {
  const { organization, owner, setupToken: token } = await server.found();
  const browser = server.browser();
  const opened = await browser.call("POST", "/api/setup/open", { token });
  const { slug, name } = organization;
  assert.deepEqual(opened.json, { email: owner.email, organization: { slug, name } });
  assert.equal((await browser.call("POST", "/api/setup", { token, name: "Ada", password: PASSWORD })).status, 201);
  assert.equal((await browser.call("POST", "/api/setup/open", { token })).json["code"], "not_found");
  assert.equal((await browser.call("POST", "/api/setup/open", {})).json["code"], "invalid_body");
});

test("the owner can give another address, which nobody has proved; one that is somebody's is refused", async () => {
  const { setupToken: token } = await server.found();
  const settled = await server.settle();
  const browser = server.browser();
  const body = { token, name: "Ada", password: PASSWORD };
  const refused = await browser.call("POST", "/api/setup", { ...body, email: settled.email });
  assert.equal(refused.json["code"], "conflict", refused.text);
  const answer = await browser.call("POST", "/api/setup", { ...body, email: "Ada@Example.com" });
  assert.equal((answer.json["user"] as { email: string }).email, "ada@example.com", answer.text);
  const user = (await browser.call("GET", "/api/session")).json["user"] as { email: string; email_verified: boolean };
  assert.deepEqual([user.email, user.email_verified], ["ada@example.com", false]);
  const signIn = { email: "ada@example.com", password: PASSWORD };
  assert.equal((await server.browser().call("POST", "/api/sign-in/password", signIn)).json["status"], "signed_in");
});

test("wrong links have to wait, by address; a right one never does", async () => {
  const { owner, setupToken: token } = await server.found();
  const open = (link: string) => server.browser().call("POST", "/api/setup/open", { token: link });
  for (let n = 0; n < 40; n++) await open("x");
  assert.equal((await open("x")).json["code"], "rate_limited");
  for (let n = 0; n < 40; n++) assert.equal((await open(String(token))).json["email"], owner.email);
});
