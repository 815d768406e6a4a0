/**
 * The requirements of an organization for its people: for sessions, issued tokens and personal tokens, and for the
 * person who sets them.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { parsePolicy, type PersonPrincipal } from "#domain/identity/index.ts";
import { SYSTEM, updateOrganization, type OrganizationPolicy } from "#domain/organizations/index.ts";
import { Problem } from "#kernel/problem.ts";
import { setUpApp } from "./testing/authenticator-app.ts";
import { startProvider, type TestProvider } from "./testing/provider.ts";
import { signInAtProvider } from "./testing/through-provider.ts";
import { startPortal, type Ada, type Answer, type Browser, type PortalServer } from "./testing/server.ts";

let provider: TestProvider;
let server: PortalServer;
let ada: Ada;
let grace: Ada;

before(async () => {
  provider = await startProvider();
  server = await startPortal({ oidc: provider.settings });
});

beforeEach(async () => {
  server.forward(60_000);
  ada = await server.createOwner();
  grace = await server.join(ada, "developer");
});

after(async () => {
  await server.close();
  provider.close();
});

async function demand(policy: Partial<OrganizationPolicy>): Promise<void> {
  await updateOrganization(server, SYSTEM, ada.orgId, { change: { policy }, ifMatch: undefined });
  await server.identity.feed.sync();
}

function tokenFor(browser: Browser): Promise<Answer> {
  return browser.call("POST", "/api/session/token", { organization: ada.org });
}

async function refusedAs(browser: Browser): Promise<string | null> {
  const { json } = await browser.call("GET", "/api/session");
  return (
    (json["organizations"] as { slug: string; refused: string | null }[]).find(({ slug }) => slug === ada.org)
      ?.refused ?? null
  );
}

async function personalToken(browser: Browser): Promise<() => Promise<string>> {
  const body = { organization: ada.org, name: "laptop", scopes: ["registry:pull"] };
  const { json } = await browser.call("POST", "/api/account/tokens", body);
  const shown = {
    clientId: grace.email,
    clientSecret: String(json["token"]),
    takesPeople: true,
    ip: "::1",
    requestId: "r",
  };
  return async () => {
    await server.identity.feed.sync();
    return codeOf(server.identity.signIn.authenticate(shown));
  };
}

async function codeOf(asked: Promise<unknown>): Promise<string> {
  try {
    await asked;
    return "ok";
  } catch (error) {
    return error instanceof Problem ? error.code : assert.fail(String(error));
  }
}

test("if a second factor is required, sessions, their tokens and personal tokens without one are refused at once", async () => {
  const browser = await server.signedIn(grace);
  const { access_token: out } = (await tokenFor(browser)).json as { access_token: string };
  const login = await personalToken(browser);
  assert.equal(await login(), "ok");
  await demand({ second_factor_required: true });
  assert.equal(await codeOf(server.authenticator.authenticate(out)), "second_factor_required");
  const refused = await tokenFor(browser);
  assert.deepEqual([refused.status, refused.json["code"]], [403, "second_factor_required"]);
  assert.match(refused.text, /Account, Signing in/);
  assert.equal(await login(), "second_factor_required");
  const body = { organization: ada.org, name: "another", scopes: ["registry:pull"] };
  assert.equal((await browser.call("POST", "/api/account/tokens", body)).json["code"], "second_factor_required");
  assert.equal(await refusedAs(browser), "second_factor_required");
  // The account itself stays open: the factor is set up there, and counts at once in this session.
  const app = await setUpApp(server, browser);
  assert.equal((await tokenFor(browser)).status, 200);
  assert.equal(await login(), "ok");
  assert.equal(await refusedAs(browser), null);
  // An older session has not used the factor. After its deletion, the factor counts nowhere.
  assert.equal((await browser.call("DELETE", "/api/account/totp")).status, 204);
  assert.equal((await tokenFor(browser)).json["code"], "second_factor_required");
  assert.equal(await login(), "second_factor_required");
  assert.ok(app.recoveryCodes.length > 0);
});

test("a session with the password only does not count though the person has a factor", async () => {
  const early = await server.signedIn(grace);
  await setUpApp(server, await server.signedIn(grace));
  await demand({ second_factor_required: true });
  assert.equal((await tokenFor(early)).json["code"], "second_factor_required");
});

test("if single sign-on is required, a password opens the account but not the organization", async () => {
  const byPassword = await server.signedIn(grace);
  const login = await personalToken(byPassword);
  await demand({ sign_in: "provider", second_factor_required: true });
  assert.equal((await tokenFor(byPassword)).json["code"], "provider_sign_in_required");
  assert.equal(await login(), "provider_sign_in_required");
  provider.who = { sub: `sub of ${grace.email}`, email: grace.email, email_verified: true };
  await server.metadata.write((tx) =>
    tx.updateTable("person").set({ verified_at: 1 }).where("id", "=", grace.id).execute(),
  );
  const browser = server.browser();
  assert.equal(await signInAtProvider(provider, browser), "/");
  assert.equal((await tokenFor(browser)).status, 200);
  assert.equal(await login(), "ok", "the provider knows the person now");
  assert.equal(await refusedAs(browser), null);
  assert.equal(await refusedAs(await server.signedIn(grace)), "provider_sign_in_required");
});

test("a person who sets a requirement must meet it; a program can only remove it", async () => {
  const ask = (principal: PersonPrincipal, policy: Partial<OrganizationPolicy>) =>
    codeOf(
      updateOrganization(server, { principal, ip: null, requestId: null }, ada.orgId, {
        change: { policy },
        ifMatch: undefined,
      }),
    );
  const browser = await server.signedIn(ada);
  const who = async (by: Browser): Promise<PersonPrincipal> => {
    const principal = await server.authenticator.authenticate(String((await tokenFor(by)).json["access_token"]));
    return principal.kind === "person" ? principal : assert.fail("a credential");
  };
  assert.equal(await ask(await who(browser), { second_factor_required: true }), "second_factor_required");
  assert.equal(await ask(await who(browser), { sign_in: "provider" }), "provider_sign_in_required");
  await setUpApp(server, browser);
  const strong = await who(browser);
  const { scopes } = strong;
  const program = {
    kind: "credential",
    id: "cred_1",
    clientId: "",
    orgId: ada.orgId,
    orgSlug: ada.org,
    organization: { state: "active", reason: null },
    projectId: null,
    scopes,
  } as const;
  const byProgram = (policy: Partial<OrganizationPolicy>) =>
    codeOf(
      updateOrganization(server, { principal: program, ip: null, requestId: null }, ada.orgId, {
        change: { policy },
        ifMatch: undefined,
      }),
    );
  assert.equal(await byProgram({ second_factor_required: true }), "forbidden");
  assert.equal(await ask(strong, { second_factor_required: true }), "ok");
  assert.equal(
    await byProgram({ second_factor_required: true, require_expiry: true }),
    "ok",
    "the existing requirement",
  );
  assert.equal(await ask(strong, { sign_in: "provider" }), "provider_sign_in_required");
  assert.equal(await ask(strong, { second_factor_required: false }), "ok");
});

test("an unreadable policy requires more, not less", () => {
  const { people } = parsePolicy('{"second_factor_required":"no","sign_in":"anyhow"}');
  assert.deepEqual(people, { secondFactorRequired: true, providerRequired: true });
  assert.deepEqual(parsePolicy("{}").people, { secondFactorRequired: false, providerRequired: false });
});
