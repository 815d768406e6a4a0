import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startMailbox, type Mailbox } from "../testing/mailbox.ts";
import { startPortal, type Ada, type PortalServer } from "../testing/server.ts";

let mailbox: Mailbox;
let server: PortalServer;
let ada: Ada;
let grace: Ada;

before(async () => {
  mailbox = await startMailbox();
  server = await startPortal({ mail: mailbox.mail });
});

beforeEach(async () => {
  server.forward(60_000);
  ada = await server.settle();
  grace = await server.join(ada, "developer");
});

after(async () => {
  await server.close();
  await mailbox.close();
});

test("a link to prove one's address: mailed to whoever needs it, refused to who has proved it", async () => {
  const browser = await server.signedIn(grace);
  assert.equal((await browser.call("POST", "/api/account/email/verify", {})).status, 204);
  await mailbox.next(grace.email, /\/reset#/);
  const owner = await server.signedIn(ada);
  assert.equal((await owner.call("POST", "/api/account/email/verify", {})).json["code"], "conflict");
  assert.equal((await server.browser().call("POST", "/api/account/email/verify", {})).status, 401);
  for (let n = 0; n < 4; n++) await browser.call("POST", "/api/account/email/verify", {});
  assert.equal((await browser.call("POST", "/api/account/email/verify", {})).json["code"], "rate_limited");
});

test("without a mail server it is a conflict that says whom to ask", async () => {
  const other = await startPortal();
  try {
    const browser = await other.signedIn(await other.join(await other.settle(), "viewer"));
    const answer = await browser.call("POST", "/api/account/email/verify", {});
    assert.equal(answer.json["code"], "conflict", answer.text);
  } finally {
    await other.close();
  }
});
