import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { setUpApp } from "../testing/authenticator-app.ts";
import { PASSWORD, startPortal, type Ada, type Answer, type Browser, type PortalServer } from "../testing/server.ts";

let server: PortalServer;
let ada: Ada;
let browser: Browser;

before(async () => {
  server = await startPortal();
});

beforeEach(async () => {
  server.forward(10 * 60_000); // failures and tries of the test before are forgotten
  ada = await server.settle();
  browser = await server.signedIn(ada);
});

after(() => server.close());

async function firstStep(from: Browser): Promise<string> {
  const answer = await from.call("POST", "/api/sign-in/password", { email: ada.email, password: PASSWORD });
  assert.equal(answer.json["status"], "second_factor", answer.text);
  return String(answer.json["ticket"]);
}

const signIn = async (code: string): Promise<Answer> => {
  const from = server.browser();
  return from.call("POST", "/api/sign-in/recovery-code", { ticket: await firstStep(from), code });
};

test("each of ten codes stands in for the app once, however it is typed", async () => {
  const { recoveryCodes } = await setUpApp(server, browser);
  assert.equal(new Set(recoveryCodes).size, 10);
  const [first = "", next = ""] = recoveryCodes;
  assert.equal((await signIn("0000-0000-0000-0000")).json["code"], "sign_in_failed");
  assert.equal((await signIn(first)).json["status"], "signed_in");
  assert.equal((await signIn(first)).json["code"], "sign_in_failed");
  assert.equal((await signIn(next.replaceAll("-", " ").toUpperCase())).json["status"], "signed_in");
  const session = await browser.call("GET", "/api/session");
  assert.equal((session.json["security"] as { recovery_codes_left: number }).recovery_codes_left, 8);
});

test("another person's code is no code", async () => {
  const stranger = await server.settle();
  const theirs = await setUpApp(server, await server.signedIn(stranger));
  await setUpApp(server, browser);
  assert.equal((await signIn(theirs.recoveryCodes[0] ?? "")).json["code"], "sign_in_failed");
});

test("ten wrong codes are enough: then the next has to wait", async () => {
  const { recoveryCodes } = await setUpApp(server, browser);
  for (let i = 0; i < 10; i++) assert.equal((await signIn("0000-0000-0000-0000")).status, 401);
  assert.equal((await signIn(recoveryCodes[0] ?? "")).status, 429);
});
