/**
 * A person who creates an account with somebody else's address loses it when that person comes, by a provider, by a
 * mail, or by the operator.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import {
  acceptInvitation,
  createMailedToken,
  createOrganizationFor,
  invite,
  SYSTEM,
} from "#domain/organizations/index.ts";
import { createOperatorLink } from "#domain/accounts/index.ts";
import { Problem } from "#kernel/problem.ts";
import { startProvider, type TestProvider } from "./testing/provider.ts";
import { signInAtProvider, throughProvider } from "./testing/through-provider.ts";
import { setUpApp } from "./testing/authenticator-app.ts";
import { PASSWORD, startPortal, type Ada, type Browser, type PortalServer } from "./testing/server.ts";

const NOBODY = { ip: null, requestId: null };
const EVES = "the password of the attacker";

let provider: TestProvider;
let server: PortalServer;
let ada: Ada;
let taken = 0;

before(async () => {
  provider = await startProvider();
  server = await startPortal({ oidc: provider.settings });
});

beforeEach(async () => {
  server.forward(60_000);
  ada = await server.createOwner();
});

after(async () => {
  await server.close();
  provider.close();
});

/**
 * The attack: an inviter uses the link of the answer, and sets the account up with their own password, token and app.
 */
async function takenAccount(): Promise<{ email: string; eve: Browser; token: string; id: string }> {
  const email = `ceo-${++taken}@victim.test`;
  const { token: link } = await invite(server, SYSTEM, ada.orgId, { email, role: "developer" });
  const { person } = await acceptInvitation(server, { token: link, name: "Eve", password: EVES }, NOBODY);
  const eve = server.browser();
  assert.equal((await eve.call("POST", "/api/sign-in/password", { email, password: EVES })).status, 200);
  await setUpApp(server, eve);
  const body = { organization: ada.org, name: "laptop", scopes: ["registry:pull"] };
  const made = await eve.call("POST", "/api/account/tokens", body);
  assert.equal(made.status, 201, made.text);
  return { email, eve, token: String(made.json["token"]), id: person.id };
}

async function worksNoMore({ email, eve, token }: Awaited<ReturnType<typeof takenAccount>>): Promise<void> {
  assert.equal((await eve.call("GET", "/api/session")).status, 401, "the session from before");
  const again = await server.browser().call("POST", "/api/sign-in/password", { email, password: EVES });
  assert.equal(again.json["code"], "sign_in_failed", "the password from before");
  const login = { clientId: email, clientSecret: token, takesPeople: true, ip: "192.0.2.1", requestId: "r" };
  await assert.rejects(server.identity.signIn.authenticate(login), (error) => error instanceof Problem);
}

async function verifications(userId: string): Promise<{ detail: string }[]> {
  return server.metadata.read
    .selectFrom("audit")
    .select("detail")
    .where("action", "=", "person.verify")
    .where("target_id", "=", userId)
    .execute();
}

test("the person comes by the provider: everything from before ends, and the person sees what ended", async () => {
  const before = await takenAccount();
  provider.who = { sub: `ceo ${taken}`, email: before.email, email_verified: true };
  const browser = server.browser();
  assert.equal(await signInAtProvider(provider, browser), "/");
  await worksNoMore(before);
  const { json } = await browser.call("GET", "/api/session");
  assert.deepEqual(json["notice"], {
    password: true,
    second_factor: true,
    sessions: 1,
    passkeys: 0,
    tokens: 1,
    identities: 0,
  });
  assert.equal((json["user"] as { email_verified: boolean }).email_verified, true);
  assert.equal((json["security"] as { has_password: boolean }).has_password, false);
  assert.equal((await verifications(before.id)).length, 1, "the revocation is in the audit log");
  assert.equal((await browser.call("DELETE", "/api/session/notice")).status, 204);
  assert.equal((await browser.call("GET", "/api/session")).json["notice"], null);
});

test("an account that was taken over and linked before is cleaned at the next sign-in by the provider", async () => {
  const before = await takenAccount();
  const at = server.clock.nowMs();
  const { issuer } = provider.settings;
  const row = { issuer, subject: `linked ${taken}`, user_id: before.id, created_at: at, last_used_at: at };
  await server.metadata.write((tx) => tx.insertInto("external_identity").values(row).execute());
  provider.who = { sub: row.subject, email: before.email, email_verified: true };
  assert.equal(await signInAtProvider(provider, server.browser()), "/");
  await worksNoMore(before);
});

test("the person is invited elsewhere, and the mail verifies the address", async () => {
  const before = await takenAccount();
  const other = await server.createOwner();
  const { invitation, token: shown } = await invite(server, SYSTEM, other.orgId, {
    email: before.email,
    role: "viewer",
  });
  // The inviter's link opens nothing without the account's password, and names the remedy.
  const refused = acceptInvitation(server, { token: shown, name: "Grace", password: PASSWORD }, NOBODY);
  await assert.rejects(
    refused,
    (error) => error instanceof Problem && error.code === "forbidden" && /reset/.test(error.message),
  );
  const mailed = await createMailedToken(server, invitation);
  const accepted = await acceptInvitation(server, { token: mailed, name: "Grace", password: PASSWORD }, NOBODY);
  assert.deepEqual([accepted.isFirstProof, accepted.ended?.password], [true, true]);
  await worksNoMore(before);
  const browser = server.browser();
  const signedIn = await browser.call("POST", "/api/sign-in/password", { email: before.email, password: PASSWORD });
  assert.equal(signedIn.json["status"], "signed_in", "the attacker's app is not asked for");
});

test("the operator's link gives the account to the person, without the attacker's sessions and factors", async () => {
  const before = await takenAccount();
  const options = { clearsSecondFactor: false, actor: { kind: "system", id: null }, origin: NOBODY } as const;
  const { token } = await createOperatorLink(server, { email: before.email.toUpperCase() }, options);
  const browser = server.browser();
  const opened = await browser.call("POST", "/api/reset/open", { token });
  assert.deepEqual(opened.json, { email: before.email, first_proof: true, second_factor: "ends" });
  const answer = await browser.call("POST", "/api/reset", { token, password: PASSWORD });
  assert.equal(answer.json["status"], "signed_in", answer.text);
  await worksNoMore(before);
});

test("a second identity with the same verified address is refused, and the page shows the remedy", async () => {
  const { email } = await server.join(ada, "viewer");
  provider.who = { sub: `first of ${email}`, email, email_verified: true };
  assert.equal(await signInAtProvider(provider, server.browser()), "/");
  provider.who = { sub: `recycled ${email}`, email, email_verified: true };
  const browser = server.browser();
  assert.equal(await signInAtProvider(provider, browser), "/sign-in?error=oidc_other");
  assert.equal(browser.cookie, undefined);
  // An invitation for that address does not help either.
  const other = await server.createOwner();
  const { token } = await invite(server, SYSTEM, other.orgId, { email, role: "admin" });
  const begun = await browser.call("POST", "/api/invitation/oidc", { token, name: "Mallory" });
  assert.equal(await throughProvider(provider, browser, begun), "/sign-in?error=oidc_other");
  const members = await server.metadata.read
    .selectFrom("member")
    .selectAll()
    .where("org_id", "=", other.orgId)
    .execute();
  assert.equal(members.length, 1);
});

test("the operator makes no person with an unverified address the owner of a new organization", async () => {
  const { email } = await takenAccount();
  const founded = createOrganizationFor(server, { slug: `bank-${taken}`, name: "Bank", ownerEmail: email });
  await assert.rejects(
    founded,
    (error) => error instanceof Problem && error.code === "conflict" && /reset/.test(error.message),
  );
});
