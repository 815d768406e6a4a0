import assert from "node:assert/strict";
import { createHmac, createPublicKey, generateKeyPairSync } from "node:crypto";
import { after, before, test } from "node:test";
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT } from "jose";
import type { Identity } from "#domain/identity/index.ts";
import { credentialOf, ISSUER, openGround, ORG_ID, SYSTEM, tokenOf, type Ground } from "#domain/identity/testing.ts";

let ground: Ground;
let identity: Identity;
let client: { id: string; clientId: string; clientSecret: string };
let token: string;

before(async () => {
  ground = await openGround();
  identity = await ground.node();
  client = await credentialOf(identity);
  token = await tokenOf(identity, client);
});
after(() => ground.close());

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const refused = (candidate: string, message = /./): Promise<void> =>
  assert.rejects(identity.authenticator.authenticate(candidate), { code: "invalid_token", message });

/** Signs a token with our own key and with other claims than the server would use. */
async function withClaims(change: Record<string, unknown>): Promise<string> {
  const signer = identity.keys.signer();
  const claims = Object.fromEntries(
    Object.entries({ ...decodeJwt(token), ...change }).filter(([, value]) => value !== undefined),
  );
  return new SignJWT(claims)
    .setProtectedHeader({ typ: "at+jwt", alg: signer.alg, kid: signer.kid })
    .sign(signer.privateKey);
}

test("a token is a JWT of RFC 9068 that any library verifies", async () => {
  const keys = createLocalJWKSet(identity.keys.jwks());
  const currentDate = new Date(ground.clock.nowMs());
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer: ISSUER,
    audience: ISSUER,
    typ: "at+jwt",
    currentDate,
  });
  assert.deepEqual(Object.keys(protectedHeader).toSorted(), ["alg", "kid", "typ"]);
  assert.equal(payload.sub, client.id);
  assert.equal(payload["client_id"], client.clientId);
  assert.equal(payload["org"], ORG_ID);
  assert.equal(payload["scope"], "files:read files:write");
  assert.equal(payload["ce"], 0);
  assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 900);
  assert.notEqual(payload.jti, decodeJwt(await tokenOf(identity, client)).jti);
});

test("a wrong claim is refused and named, though our own key signed it", async () => {
  const nowS = Math.floor(ground.clock.nowMs() / 1000);
  await identity.authenticator.authenticate(await withClaims({}));
  await refused(await withClaims({ iss: "https://elsewhere.example" }), /another server/);
  await refused(await withClaims({ aud: "https://elsewhere.example" }), /another server/);
  await refused(await withClaims({ aud: [ISSUER] }), /lacks a claim/);
  await refused(await withClaims({ exp: nowS }), /expired/);
  await refused(await withClaims({ exp: undefined }), /lacks a claim/);
  await refused(await withClaims({ exp: "9999999999" }), /lacks a claim/);
  await refused(await withClaims({ nbf: nowS + 61 }), /not valid yet/);
  await refused(await withClaims({ iat: nowS + 61 }), /not valid yet/);
  await identity.authenticator.authenticate(await withClaims({ iat: nowS + 59, nbf: nowS + 59 }));
  await refused(await withClaims({ ce: 1 }), /changed/);
  await refused(await withClaims({ ce: -1 }), /changed/);
  await refused(await withClaims({ sub: "cred_00000000000000000000000000" }), /does not exist/);
  await refused(await withClaims({ client_id: "mrc_other" }), /does not exist/);
  await refused(await withClaims({ org: "org_00000000000000000000000002" }), /does not exist/);
});

test("scopes in a token beyond the credential's scopes do not count", async () => {
  const principal = await identity.authenticator.authenticate(
    await withClaims({ scope: "files:read audit:read nonsense" }),
  );
  assert.deepEqual([...principal.scopes], ["files:read"]);
});

test("foreign signatures and tricks with the header are refused", async () => {
  const [header = "", payload = "", signature = ""] = token.split(".");
  const { kid } = decodeProtectedHeader(token);
  const own = identity.keys.jwks().keys.find((key) => key["kid"] === kid) ?? {};
  const pem = createPublicKey({ key: own, format: "jwk" }).export({ format: "pem", type: "spki" });
  const foreign = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const hs256 = encode({ typ: "at+jwt", alg: "HS256", kid });
  await refused(
    await new SignJWT(decodeJwt(token))
      .setProtectedHeader({ typ: "at+jwt", alg: "ES256", kid: String(kid) })
      .sign(foreign),
    /signature/,
  );
  await refused(
    await new SignJWT(decodeJwt(token))
      .setProtectedHeader({ typ: "at+jwt", alg: "ES256", kid: "unknown" })
      .sign(foreign),
    /not issued/,
  );
  for (const secret of [String(pem), JSON.stringify(own)]) {
    await refused(
      `${hs256}.${payload}.${createHmac("sha256", secret).update(`${hs256}.${payload}`).digest("base64url")}`,
      /not issued/,
    );
  }
  for (const alg of ["none", "None", "ES384", "RS256"])
    await refused(`${encode({ typ: "at+jwt", alg, kid })}.${payload}.${signature}`, /not issued/);
  await refused(`${encode({ typ: "JWT", alg: "ES256", kid })}.${payload}.${signature}`, /not issued/);
  await refused(`${encode({ typ: "at+jwt", alg: "ES256", kid, jwk: own })}.${payload}.${signature}`, /not issued/);
  await refused(`${header}.${payload}.`);
  await refused(`${header}.${payload}`);
  await refused(`${header}.${encode({ ...decodeJwt(token), scope: "org:write" })}.${signature}`, /signature/);
  await refused(`${header}.${payload}.${"A".repeat(86)}`, /signature/);
  for (const junk of ["", ".", "..", "a.b.c", "ü.ü.ü", `${header}.{}.${signature}`, "x".repeat(100_000)])
    await refused(junk);
});

test("a token's expiry is checked each time", async () => {
  const short = await withClaims({ exp: Math.floor(ground.clock.nowMs() / 1000) + 5 });
  await identity.authenticator.authenticate(short);
  ground.clock.advance(5_000);
  await refused(short, /expired/);
});

test("every change of a credential or of its bounds applies to tokens issued before and after it", async () => {
  type Outcome = "same" | "fewer" | "void";
  const matrix: [string, Outcome, (made: { id: string; creator: string }) => Promise<unknown>][] = [
    ["rename", "same", ({ id }) => identity.credentials.update({ actor: SYSTEM }, id, { name: "renamed" })],
    [
      "raise",
      "same",
      ({ id }) =>
        identity.credentials.update({ actor: SYSTEM }, id, { scopes: ["files:read", "files:write", "apps:read"] }),
    ],
    ["lower", "void", ({ id }) => identity.credentials.update({ actor: SYSTEM }, id, { scopes: ["files:read"] })],
    [
      "exchange",
      "void",
      ({ id }) => identity.credentials.update({ actor: SYSTEM }, id, { scopes: ["files:read", "apps:read"] }),
    ],
    ["rotate with overlap", "same", ({ id }) => identity.credentials.rotate({ actor: SYSTEM }, id)],
    ["rotate at once", "void", ({ id }) => identity.credentials.rotate({ actor: SYSTEM }, id, { overlapS: 0 })],
    ["revoke", "void", ({ id }) => identity.credentials.revoke({ actor: SYSTEM }, id)],
    ["creator's role lowered", "fewer", ({ creator }) => ground.setRole(creator, "viewer")],
    ["creator's role raised", "same", ({ creator }) => ground.setRole(creator, "owner")],
    ["creator removed", "fewer", ({ creator }) => ground.setRole(creator, null)],
    ["policy narrowed", "fewer", () => ground.organization({ policy: { allowed_scopes: ["files:read"] } })],
    ["policy's lifetime passed", "void", () => ground.organization({ policy: { credential_lifetime_days_max: 0 } })],
    ["token lifetime", "same", () => ground.organization({ token_lifetime_s: 300 })],
  ];
  for (const [name, outcome, change] of matrix) {
    const creator = await ground.person("developer");
    const made = await credentialOf(identity, { actor: creator });
    const issued = await tokenOf(identity, made);
    assert.equal((await identity.authenticator.authenticate(issued)).scopes.size, 2, name);
    await change({ id: made.id, creator: creator.id });
    await identity.feed.sync();
    if (outcome === "void")
      await assert.rejects(identity.authenticator.authenticate(issued), { code: "invalid_token" }, name);
    else assert.equal((await identity.authenticator.authenticate(issued)).scopes.size < 2, outcome === "fewer", name);
    await ground.organization({ policy: {}, token_lifetime_s: 900 });
    await identity.feed.sync();
  }
});

test("a token ends with its credential's expiry", async () => {
  const made = await credentialOf(identity, { expiresAtMs: ground.clock.nowMs() + 100_000 });
  const issued = await tokenOf(identity, made);
  const { iat = 0, exp = 0 } = decodeJwt(issued);
  assert.equal(exp - iat <= 101, true);
  ground.clock.advance(100_000);
  await refused(issued, /expired/);
  await assert.rejects(tokenOf(identity, made), { code: "unauthorized" });
});

test("in 200 attempts, no token issued during a revocation works after the revocation returned", async () => {
  for (let i = 0; i < 200; i++) {
    const made = await credentialOf(identity);
    await tokenOf(identity, made);
    const issuing = [tokenOf(identity, made), tokenOf(identity, made)];
    const revoking = identity.credentials.revoke({ actor: SYSTEM }, made.id);
    issuing.push(tokenOf(identity, made));
    const outcomes = await Promise.allSettled([...issuing, revoking]);
    for (const outcome of outcomes.slice(0, 3)) {
      if (outcome.status === "fulfilled" && typeof outcome.value === "string")
        await refused(outcome.value, /revoked|changed/);
    }
    await assert.rejects(tokenOf(identity, made), { code: "unauthorized" });
  }
});
