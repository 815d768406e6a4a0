import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { createOperatorLink } from "#domain/accounts/index.ts";
import { newSecret } from "#kernel/secrets.ts";
import { setUpApp } from "../testing/authenticator-app.ts";
import { startMailbox, type Mailbox } from "../testing/mailbox.ts";
import {
  ADDRESSES,
  PASSWORD,
  startPortal,
  type Ada,
  type Answer,
  type Browser,
  type PortalServer,
} from "../testing/server.ts";

const NEXT = "another horse battery";
const NOBODY = { ip: null, requestId: null };
const SYSTEM = { kind: "system", id: null } as const;

let mailbox: Mailbox;
let server: PortalServer;
let ada: Ada;
let grace: Ada;

before(async () => {
  mailbox = await startMailbox();
  server = await startPortal({ mail: mailbox.mail });
  ada = await server.settle();
});

beforeEach(async () => {
  server.forward(60_000);
  grace = await server.join(ada, "developer");
  await server.metadata.write((tx) =>
    tx.updateTable("person").set({ verified_at: 1 }).where("id", "=", grace.id).execute(),
  );
});

after(async () => {
  await server.close();
  await mailbox.close();
});

async function mailedToken(email: string): Promise<string> {
  const asked = await server.browser().call("POST", "/api/reset/request", { email });
  assert.equal(asked.status, 204, asked.text);
  const text = await mailbox.next(email, /\/reset#/);
  return /\/reset#(mrrl_\w+)/.exec(text)?.[1] ?? assert.fail(text);
}

function reset(token: string, browser: Browser = server.browser(), password = NEXT): Promise<Answer> {
  return browser.call("POST", "/api/reset", { token, password });
}

async function operatorLink(clearsSecondFactor: boolean): Promise<string> {
  const options = { clearsSecondFactor, actor: SYSTEM, origin: NOBODY };
  return (await createOperatorLink(server, { userId: grace.id }, options)).token;
}

test("a mailed link sets a new password, ends every session, and tells the person", async () => {
  const before = await server.signedIn(grace);
  const token = await mailedToken(grace.email);
  const opened = await server.browser().call("POST", "/api/reset/open", { token });
  assert.deepEqual(opened.json, { email: grace.email, first_proof: false, second_factor: "none" });
  const browser = server.browser();
  const answer = await reset(token, browser);
  assert.deepEqual([answer.status, answer.json["status"]], [200, "signed_in"], answer.text);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.equal((await before.call("GET", "/api/session")).status, 401);
  const session = (await browser.call("GET", "/api/session")).json["session"] as { method: string };
  assert.equal(session.method, "reset_link");
  await mailbox.next(grace.email, /Your password was changed/);
  const old = await server.browser().call("POST", "/api/sign-in/password", { email: grace.email, password: PASSWORD });
  assert.equal(old.json["code"], "sign_in_failed");
  const rows = await server.metadata.read
    .selectFrom("audit")
    .select("detail")
    .where("action", "=", "password.reset")
    .execute();
  assert.ok(rows.some(({ detail }) => detail?.includes('"sent_by":"mail"')));
});

test("where an authenticator app is set up its code is still asked for", async () => {
  const app = await setUpApp(server, await server.signedIn(grace));
  const browser = server.browser();
  const answer = await reset(await mailedToken(grace.email), browser);
  assert.equal(answer.json["status"], "second_factor", answer.text);
  assert.equal(browser.cookie, undefined);
  const second = await browser.call("POST", "/api/sign-in/totp", { ticket: answer.json["ticket"], code: app.code() });
  assert.equal(second.json["status"], "signed_in", second.text);
});

test("the operator's link ends the app where it says so, and keeps it where it does not", async () => {
  await setUpApp(server, await server.signedIn(grace));
  assert.equal((await reset(await operatorLink(false))).json["status"], "second_factor");
  const token = await operatorLink(true);
  const opened = await server.browser().call("POST", "/api/reset/open", { token });
  assert.equal(opened.json["second_factor"], "ends");
  assert.equal((await reset(token)).json["status"], "signed_in");
});

test("used, older, expired and unknown links are answered alike, byte for byte", async () => {
  const [first, second] = [await operatorLink(false), await operatorLink(false)];
  assert.equal((await reset(second)).status, 200);
  const expired = await operatorLink(false);
  server.forward(60 * 60_000);
  const moved = await operatorLink(false);
  await server.metadata.write((tx) =>
    tx
      .updateTable("person")
      .set({ email: `moved-${grace.email}` })
      .where("id", "=", grace.id)
      .execute(),
  );
  const headers = { "request-id": "request-of-test" };
  for (const path of ["/api/reset", "/api/reset/open"]) {
    const answers = [];
    for (const token of [first, second, expired, moved, newSecret("mrrl"), "x"]) {
      server.forward(60_000);
      const body = path === "/api/reset" ? { token, password: NEXT } : { token };
      answers.push(await server.browser().call("POST", path, body, headers));
    }
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [404]);
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  }
});

test("a link works once when it is used twice at a time", async () => {
  const token = await operatorLink(false);
  const answers = await Promise.all([reset(token), reset(token), reset(token)]);
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 404, 404],
  );
});

test("a short password is refused and the link still works; wrong links have to wait, a right one never does", async () => {
  const token = await operatorLink(false);
  assert.equal((await reset(token, server.browser(), "short")).json["code"], "invalid_body");
  assert.equal((await reset(token)).status, 200);
  server.forward(60_000);
  for (let n = 0; n < 20; n++) await reset("x");
  assert.equal((await reset("x")).json["code"], "rate_limited");
  assert.equal((await reset(await operatorLink(false))).status, 200);
});

test("no token reaches the log or the records", async () => {
  const token = await mailedToken(grace.email);
  await reset(token);
  const audit = JSON.stringify(await server.metadata.read.selectFrom("audit").selectAll().execute());
  const links = JSON.stringify(await server.metadata.read.selectFrom("account_link").selectAll().execute());
  assert.ok(server.log().includes("/api/reset"));
  for (const text of [server.log(), audit, links]) assert.ok(!text.includes(token));
  assert.ok(ADDRESSES.portal_url !== "");
});

test("another site's pages can't ask for any of it", async () => {
  for (const path of ["/api/reset", "/api/reset/open", "/api/reset/request"]) {
    const answer = await server.browser().call("POST", path, {}, { origin: "https://evil.example" });
    assert.equal(answer.json["code"], "cross_site", path);
  }
});
