import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { after, before, beforeEach, describe, test } from "node:test";
import {
  approveDeviceLogin,
  approveLogin,
  beginSession,
  denyDeviceLogin,
  endLogin,
  findDeviceLogin,
  listLogins,
  sessionOfSecret,
  withPeople,
  type Session,
} from "#domain/people/index.ts";
import { openOauthServer, type OauthAnswer, type OauthServer } from "../testing.ts";

const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";
const REDIRECT = "http://127.0.0.1:4711/callback";
const ORIGIN = { ip: "192.0.2.1", requestId: "req_1", userAgent: null };
const CLIENT = { client_id: "mooring-cli" };

let server: OauthServer;
let session: Session;

before(async () => {
  server = await openOauthServer();
});

beforeEach(async () => {
  session = await signedIn();
});

after(() => server.close());

async function signedIn(): Promise<Session> {
  const { id } = await server.ground.person("owner");
  const { people } = server;
  const options = { method: "password", origin: ORIGIN } as const;
  const secret = await people.metadata.write((tx) => beginSession(people, tx, id, options));
  return (await sessionOfSecret(people, secret)) ?? assert.fail("no session");
}

/** Approves a login in the browser, and returns the form that the command then sends. */
async function approved(): Promise<Record<string, string>> {
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const input = { organization: "acme", name: "laptop", redirectUri: REDIRECT, challenge };
  const code = await approveLogin(server.people, session, input);
  return { grant_type: "authorization_code", code, redirect_uri: REDIRECT, code_verifier: verifier };
}

const post = (form: Record<string, string>): Promise<OauthAnswer> =>
  server.post("/oauth/token", { ...CLIENT, ...form });

async function made(): Promise<{ access: string; refresh: string }> {
  const answer = await post(await approved());
  assert.equal(answer.status, 200, answer.text);
  return { access: String(answer.body["access_token"]), refresh: String(answer.body["refresh_token"]) };
}

const refresh = (token: string) => post({ grant_type: "refresh_token", refresh_token: token });

const authenticate = (token: string) =>
  withPeople(server.people, server.identity.authenticator).authenticate(token, { ip: null, requestId: null });

async function entries(action: string): Promise<{ actor_id: string | null; target_id: string | null }[]> {
  const rows = await server.ground.metadata.read.selectFrom("audit").selectAll().where("action", "=", action).execute();
  return rows.filter(({ actor_id }) => actor_id === session.userId);
}

describe("a login by browser", () => {
  test("gives a token of the person, with the time of their proof", async () => {
    const { access } = await made();
    assert.match(access, /^mrlt_/);
    const principal = await authenticate(access);
    assert.ok(principal.kind === "person");
    const [login] = await listLogins(server.people, session.userId);
    assert.deepEqual(
      [principal.id, principal.role, principal.confirmedAtMs, principal.via],
      [session.userId, "owner", session.confirmedAtMs, { kind: "login", id: login?.id }],
    );
    assert.deepEqual([login?.name, login?.flow, login?.organization], ["laptop", "browser", "acme"]);
    assert.equal((await entries("login.create"))[0]?.target_id, login?.id);
  });

  test("needs the verifier and the redirect of its request, and expires after a minute", async () => {
    const form = await approved();
    for (const change of [
      { code_verifier: "a".repeat(43) },
      { redirect_uri: "http://127.0.0.1:1/callback" },
      { code: "x" },
    ])
      assert.deepEqual((await post({ ...form, ...change })).body["error"], "invalid_grant", JSON.stringify(change));
    server.ground.clock.advance(60_000);
    assert.equal((await post(form)).body["error"], "invalid_grant");
  });

  test("is refused outside the organization's list for people, and works again inside", async () => {
    const { access, refresh: token } = await made();
    await server.ground.organization({
      policy: { allowed_addresses: ["192.0.2.0/24"], allowed_addresses_for: "people" },
    });
    await assert.rejects(authenticate(access), { code: "address_not_allowed" });
    const input = { organization: "acme", name: "x", redirectUri: REDIRECT, challenge: "c".repeat(43) };
    await assert.rejects(approveLogin(server.people, session, input, "127.0.0.1"), { code: "address_not_allowed" });
    await approveLogin(server.people, session, input, "192.0.2.7");
    assert.equal((await refresh(token)).body["error"], "unauthorized_client");
    await server.ground.organization({ policy: {} });
    assert.equal((await refresh(token)).status, 200);
  });

  test("ends if its code is used twice, because it was stolen", async () => {
    const form = await approved();
    const first = await post(form);
    assert.equal(first.status, 200);
    assert.equal((await post(form)).body["error"], "invalid_grant");
    await assert.rejects(authenticate(String(first.body["access_token"])), { code: "invalid_token" });
    assert.equal((await entries("login.reuse")).length, 1);
  });

  test("is approved only for a loopback address, in an organization of the person", async () => {
    const input = { organization: "acme", name: "x", redirectUri: REDIRECT, challenge: "c".repeat(43) };
    for (const redirectUri of [
      "https://evil.example/",
      "http://localhost:1/callback",
      "http://127.0.0.1:1@evil.example/",
    ])
      await assert.rejects(approveLogin(server.people, session, { ...input, redirectUri }), { code: "invalid_body" });
    await assert.rejects(approveLogin(server.people, session, { ...input, organization: "other" }), {
      code: "not_found",
    });
  });
});

describe("the tokens of a login", () => {
  test("are renewed, and the access token before stays valid until its end", async () => {
    const first = await made();
    const next = await refresh(first.refresh);
    assert.equal(next.status, 200, next.text);
    assert.deepEqual([next.body["token_type"], next.body["expires_in"]], ["Bearer", 900]);
    for (const token of [first.access, String(next.body["access_token"])]) await authenticate(token);
    server.ground.clock.advance(15 * 60_000);
    await assert.rejects(authenticate(first.access), /expired/);
  });

  test("end together if an old refresh token is used", async () => {
    const first = await made();
    const next = await refresh(first.refresh);
    assert.equal((await refresh(first.refresh)).body["error"], "invalid_grant");
    await assert.rejects(authenticate(String(next.body["access_token"])), { code: "invalid_token" });
    assert.equal((await refresh(String(next.body["refresh_token"]))).body["error"], "invalid_grant");
    assert.equal((await entries("login.reuse")).length, 1);
  });

  test("survive two renewals at the same time only once", async () => {
    const { refresh: token } = await made();
    const answers = await Promise.all([refresh(token), refresh(token)]);
    assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ["200", "400"]);
    assert.deepEqual(await listLogins(server.people, session.userId), []);
  });

  test("end after 30 days without use, and at a sign-out, by the person or by the command", async () => {
    const idle = await made();
    server.ground.clock.advance(30 * 24 * 3_600_000);
    assert.equal((await refresh(idle.refresh)).body["error"], "invalid_grant");
    assert.deepEqual(await listLogins(server.people, session.userId), []);
    const ended = await made();
    server.ground.clock.advance(1); // Lists are ordered by time.
    const revoked = await made();
    const [, login] = await listLogins(server.people, session.userId);
    assert.equal(await endLogin(server.people, { id: login?.id ?? "", userId: "user_other" }, ORIGIN), false);
    assert.equal(await endLogin(server.people, { id: login?.id ?? "", userId: session.userId }, ORIGIN), true);
    await assert.rejects(authenticate(ended.access), { code: "invalid_token" });
    assert.equal((await server.post("/oauth/revoke", { ...CLIENT, token: revoked.refresh })).status, 200);
    await assert.rejects(authenticate(revoked.access), { code: "invalid_token" });
    assert.equal((await server.post("/oauth/revoke", { ...CLIENT, token: revoked.refresh })).status, 200);
  });

  test("end when the person leaves the organization, and work for nobody else", async () => {
    const { access, refresh: token } = await made();
    for (const wrong of [access.slice(0, -1) + (access.endsWith("A") ? "B" : "A"), "mrlt_x", token])
      await assert.rejects(authenticate(wrong), { code: "invalid_token" });
    await server.ground.setRole(session.userId, null);
    await assert.rejects(authenticate(access), { code: "invalid_token" });
    assert.equal((await refresh(token)).body["error"], "invalid_grant");
  });

  test("need the organization's second factor", async () => {
    const { access, refresh: token } = await made();
    await server.ground.organization({ policy: { second_factor_required: true } });
    await assert.rejects(authenticate(access), { code: "second_factor_required" });
    assert.equal((await refresh(token)).body["error"], "unauthorized_client");
    await server.ground.organization({ policy: {} });
    await authenticate(access);
  });

  test("are only the newest 50 of a person", async () => {
    const first = await made();
    for (let i = 0; i < 50; i++) {
      server.ground.clock.advance(1);
      await made();
    }
    assert.equal((await listLogins(server.people, session.userId)).length, 50);
    await assert.rejects(authenticate(first.access), { code: "invalid_token" });
  });
});

describe("a login by device code (RFC 8628)", () => {
  interface Begun {
    readonly device_code: string;
    readonly user_code: string;
  }

  async function begin(form: Record<string, string> = {}): Promise<Begun & Record<string, unknown>> {
    const answer = await server.post("/oauth/device_authorization", { ...CLIENT, name: "ci-box", ...form });
    assert.equal(answer.status, 200, answer.text);
    return answer.body as unknown as Begun & Record<string, unknown>;
  }

  const poll = (begun: Begun) => post({ grant_type: DEVICE_CODE, device_code: begun.device_code });

  test("prints a code of eight letters without vowels, and no address that contains it", async () => {
    const begun = await begin();
    assert.match(begun.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    assert.deepEqual([begun["expires_in"], begun["interval"]], [600, 5]);
    assert.equal(begun["verification_uri"], `${server.url}/device`);
    assert.equal(begun["verification_uri_complete"], undefined);
  });

  test("waits for the person, who sees the machine and the address, and then gives tokens once", async () => {
    const begun = await begin({ organization: "acme" });
    assert.equal((await poll(begun)).body["error"], "authorization_pending");
    const typed = begun.user_code.toLowerCase().replace("-", " ");
    const waiting = await findDeviceLogin(server.people, session, typed);
    assert.deepEqual([waiting.name, waiting.ip, waiting.organization], ["ci-box", "127.0.0.1", "acme"]);
    await approveDeviceLogin(server.people, session, { userCode: typed, organization: "acme" });
    server.ground.clock.advance(5_000);
    const answer = await poll(begun);
    assert.equal(answer.status, 200, answer.text);
    const principal = await authenticate(String(answer.body["access_token"]));
    assert.equal(principal.id, session.userId);
    assert.equal((await poll(begun)).body["error"], "invalid_grant");
    await assert.rejects(findDeviceLogin(server.people, session, typed), { code: "not_found" });
  });

  test("slows down a poll that comes too early, by five seconds each", async () => {
    const begun = await begin();
    assert.equal((await poll(begun)).body["error"], "authorization_pending");
    assert.equal((await poll(begun)).body["error"], "slow_down");
    server.ground.clock.advance(5_000);
    assert.equal((await poll(begun)).body["error"], "slow_down", "the interval is ten seconds now");
    server.ground.clock.advance(15_000);
    assert.equal((await poll(begun)).body["error"], "authorization_pending");
  });

  test("ends when the person denies it, and after ten minutes", async () => {
    const [denied, late] = [await begin(), await begin()];
    await denyDeviceLogin(server.people, session, denied.user_code, ORIGIN);
    assert.equal((await poll(denied)).body["error"], "access_denied");
    server.ground.clock.advance(10 * 60_000);
    assert.equal((await poll(late)).body["error"], "expired_token");
    await assert.rejects(findDeviceLogin(server.people, session, late.user_code), { code: "not_found" });
  });

  test("slows down a person after five wrong codes, also for the right one", async () => {
    const begun = await begin();
    const guess = (code: string) => findDeviceLogin(server.people, session, code);
    for (let i = 0; i < 5; i++) await assert.rejects(guess("BBBBBBBB"), { code: "not_found" });
    await assert.rejects(guess(begun.user_code), { code: "rate_limited" });
    const other = await signedIn();
    assert.equal((await findDeviceLogin(server.people, other, begun.user_code)).name, "ci-box");
    server.ground.clock.advance(30_000);
    assert.equal((await guess(begun.user_code)).name, "ci-box");
  });

  test("is refused where the organization's policy allows no code", async () => {
    const begun = await begin();
    await server.ground.organization({ policy: { device_login: false } });
    const input = { userCode: begun.user_code, organization: "acme" };
    await assert.rejects(approveDeviceLogin(server.people, session, input), { code: "forbidden" });
    await server.ground.organization({ policy: {} });
  });

  test("shows no control characters, and refuses other clients and too many requests", async () => {
    const begun = await begin({ name: "a\u001b[31mb\u202e".repeat(40) });
    assert.match((await findDeviceLogin(server.people, session, begun.user_code)).name, /^[\w ]{1,100}$/);
    const other = await server.post("/oauth/device_authorization", { client_id: "other" });
    assert.deepEqual([other.status, other.body["error"]], [401, "invalid_client"]);
    let refused: OauthAnswer | undefined;
    for (let i = 0; i < 21 && refused === undefined; i++) {
      const answer = await server.post("/oauth/device_authorization", CLIENT);
      if (answer.status !== 200) refused = answer;
    }
    assert.deepEqual([refused?.status, refused?.headers.get("retry-after")], [429, "600"]);
  });
});

test("another grant type, and a login with a secret, are refused", async () => {
  assert.equal((await post({ grant_type: "password" })).body["error"], "unsupported_grant_type");
  assert.equal((await post({ grant_type: "client_credentials" })).body["error"], "unsupported_grant_type");
  assert.equal((await post({ grant_type: "refresh_token", client_secret: "x" })).body["error"], "invalid_client");
});
