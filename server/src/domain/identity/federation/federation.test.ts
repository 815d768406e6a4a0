import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { testClock, type TestClock } from "#domain/identity/testing.ts";
import { createOutbound, type OutboundOptions } from "#stores/outbound/index.ts";
import { DISCOVERY, KEYS, startIssuer, type Issuer } from "../../../../../tests/fixtures/issuer.ts";
import { AssertionRefusal } from "./assertion.ts";
import { Federation } from "./federation.ts";
import type { Trust } from "./trust.ts";

const AUDIENCE = "https://id.acme.example";
const SUBJECT = "repo:acme/shop:ref:refs/heads/main";

let issuer: Issuer;
let clock: TestClock;
before(async () => {
  issuer = await startIssuer();
});
after(() => issuer.close());

/** Returns a federation with nothing in memory. */
function fresh(outbound: Partial<OutboundOptions> = {}): Federation {
  clock = testClock(Date.now());
  issuer.answers.clear();
  issuer.asked.length = 0;
  return new Federation({
    clock,
    outbound: createOutbound({ privateAddresses: true, clock, userAgent: "Test", timeoutMs: 400, ...outbound }),
  });
}

const trust = (part: Partial<Trust> = {}): Trust => ({
  id: "trust_1",
  issuer: issuer.url,
  audience: AUDIENCE,
  subject: "repo:acme/shop:ref:refs/heads/*",
  claims: {},
  ...part,
});
const good = { aud: AUDIENCE, sub: SUBJECT };
const nowS = (): number => Math.floor(clock.nowMs() / 1000);
const unknownKey = async (i: number): Promise<string> =>
  issuer.token(good, { header: { kid: `unknown-${i}` }, nowS: nowS() });

async function refused(promise: Promise<unknown>, reason: RegExp): Promise<void> {
  await assert.rejects(promise, (error: unknown) => {
    assert.ok(error instanceof AssertionRefusal, String(error));
    assert.match(error.reason, reason);
    return true;
  });
}

test("a token in another encoding of the same bytes is refused", async () => {
  const federation = fresh();
  const token = await issuer.token(good);
  const [header = "", claims = "", signature = ""] = token.split(".");
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = letters.charAt(letters.indexOf(signature.at(-1) ?? "") ^ 1);
  const respelt = signature.slice(0, -1) + last;
  assert.deepEqual(Buffer.from(respelt, "base64url"), Buffer.from(signature, "base64url"));
  for (const text of [`${header}.${claims}.${respelt}`, `${token}=`, `${header}=.${claims}.${signature}`])
    await refused(federation.accept([trust()], text), /is not a JSON Web Token/);
});

test("a token of the issuer is accepted for the audience and a subject that the trust covers", async () => {
  const federation = fresh();
  assert.deepEqual(await federation.accept([trust()], await issuer.token(good)), {
    trustId: "trust_1",
    subject: SUBJECT,
  });
  assert.deepEqual(issuer.asked, [DISCOVERY, KEYS]);
  await federation.accept([trust()], await issuer.token({ ...good, aud: ["https://other.example", AUDIENCE] }));
  assert.equal(issuer.asked.length, 2, "keys are kept");
  const second = trust({ id: "trust_2", claims: { environment: "production", run: 7, protected: true } });
  const claims = { environment: "production", run: 7, protected: true };
  const other = trust({ subject: "repo:acme/other:**" });
  const taken = await federation.accept([other, second], await issuer.token({ ...good, ...claims }));
  assert.equal(taken.trustId, "trust_2");
  assert.doesNotThrow(() => federation.stop());
});

for (const alg of ["RS256", "PS256", "ES256", "ES384", "EdDSA"]) {
  test(`a signature by ${alg} is verified`, async () => {
    const other = await startIssuer(alg);
    const federation = fresh();
    await federation.accept([trust({ issuer: other.url })], await other.token(good));
    await other.close();
  });
}

describe("a token is refused", () => {
  test("without a signature, or with an HMAC that uses the public key as the secret", async () => {
    const federation = fresh();
    const unsigned = new UnsecuredJWT({ iss: issuer.url, ...good, exp: nowS() + 60 }).encode();
    await refused(federation.accept([trust()], unsigned), /alg must be one of/);
    const secret = new TextEncoder().encode(await exportSPKI(issuer.key().publicKey));
    for (const alg of ["HS256", "HS512"]) {
      const text = await issuer.token(good, { header: { alg }, key: secret });
      await refused(federation.accept([trust()], text), /alg must be one of/);
    }
    const [header, payload] = (await issuer.token(good)).split(".");
    await refused(federation.accept([trust()], `${header}.${payload}.`), /signature is wrong/);
    const none = Buffer.from(JSON.stringify({ alg: "none", kid: "key-1" })).toString("base64url");
    await refused(federation.accept([trust()], `${none}.${payload}.`), /alg must be one of/);
    const cased = Buffer.from(JSON.stringify({ alg: "nOnE" })).toString("base64url");
    await refused(federation.accept([trust()], `${cased}.${payload}.`), /alg must be one of/);
  });

  test("with an alg that does not match the key, with a key inside the token, or with a critical extension", async () => {
    const federation = fresh();
    const { privateKey } = await generateKeyPair("ES256");
    const es = await issuer.token(good, { header: { alg: "ES256" }, key: privateKey });
    await refused(federation.accept([trust()], es), /no such key/);
    const own = await generateKeyPair("RS256", { extractable: true });
    for (const header of [{}, { jku: "http://127.0.0.1:1/keys" }, { x5u: "http://127.0.0.1:1/cert" }]) {
      const text = await issuer.token(good, { key: own.privateKey, header });
      await refused(federation.accept([trust()], text), /signature is wrong/);
    }
    const critical = new SignJWT({ iss: issuer.url, exp: nowS() + 60, ...good })
      .setProtectedHeader({ alg: "RS256", kid: "key-1", crit: ["exp"], exp: 1 })
      .sign(issuer.key().privateKey, { crit: { exp: true } });
    await refused(federation.accept([trust()], await critical), /signature is wrong/);
  });

  test("whose kid is a path, a query or the name of a property", async () => {
    const federation = fresh();
    for (const kid of [
      "../../../etc/passwd",
      "key-1/../key-1",
      "' OR 1=1",
      "__proto__",
      "constructor",
      "",
      "key-1\u0000",
    ]) {
      await refused(federation.accept([trust()], await issuer.token(good, { header: { kid } })), /no such key/);
    }
  });

  test("of another issuer with the same keys, or of an issuer without a trust, which gets no request", async () => {
    const federation = fresh();
    await refused(
      federation.accept([trust()], await issuer.token({ ...good, iss: `${issuer.url}/` })),
      /no trust names/,
    );
    await refused(
      federation.accept([trust()], await issuer.token({ ...good, iss: "https://evil.example" })),
      /no trust/,
    );
    await refused(federation.accept([], await issuer.token(good)), /no trust names/);
    assert.deepEqual(issuer.asked, []);
  });

  test("for another audience, about another subject, or without a required claim", async () => {
    const federation = fresh();
    await refused(federation.accept([trust()], await issuer.token({ ...good, aud: "https://other" })), /aud is/);
    await refused(federation.accept([trust()], await issuer.token({ sub: SUBJECT })), /has no aud/);
    await refused(federation.accept([trust()], await issuer.token({ ...good, aud: [] })), /has no aud/);
    await refused(federation.accept([trust()], await issuer.token({ aud: AUDIENCE })), /has no sub/);
    const fork = await issuer.token({ ...good, sub: "repo:mallory/shop:ref:refs/heads/main" });
    await refused(federation.accept([trust()], fork), /sub is repo:mallory/);
    const asked = trust({ claims: { environment: "production" } });
    await refused(federation.accept([asked], await issuer.token(good)), /environment is absent/);
    for (const environment of ["staging", ["production"], { production: true }, null])
      await refused(federation.accept([asked], await issuer.token({ ...good, environment })), /environment is/);
    const inherited = trust({ claims: { toString: "x" } });
    await refused(federation.accept([inherited], await issuer.token(good)), /toString is absent/);
  });

  test("that has expired, is not valid yet, has no expiry, or lives for too long", async () => {
    const federation = fresh();
    const at = (claims: object): Promise<string> => issuer.token({ ...good, ...claims }, { nowS: nowS() });
    await refused(federation.accept([trust()], await at({ exp: nowS() })), /expired at/);
    await refused(federation.accept([trust()], await at({ nbf: nowS() + 61 })), /not valid yet/);
    await refused(federation.accept([trust()], await at({ iat: nowS() + 61 })), /not valid yet/);
    await federation.accept([trust()], await at({ nbf: nowS() + 59, iat: nowS() + 59 }));
    await refused(federation.accept([trust()], await at({ exp: undefined })), /has no exp/);
    await refused(federation.accept([trust()], await at({ exp: "tomorrow" })), /has no exp|JSON Web Token/);
    await federation.accept([trust()], await at({ exp: nowS() + 86_400 }));
    await refused(federation.accept([trust()], await at({ exp: nowS() + 86_401 })), /24 hours/);
    await refused(federation.accept([trust()], await at({ iat: nowS() - 90_000, exp: nowS() + 60 })), /24 hours/);
    await refused(federation.accept([trust()], await at({ iat: undefined, exp: nowS() + 86_500 })), /24 hours/);
  });

  test("that is malformed", async () => {
    const federation = fresh();
    for (const text of ["", "x", "a.b.c", "a.b.c.d", "..", `${"x".repeat(8193)}`, "eyJhbGciOiJSUzI1NiJ9.bnVsbA.AA"])
      await refused(federation.accept([trust()], text), /assertion (is not|has|must)/);
  });
});

describe("keys", () => {
  test("of an unknown kid are requested at once, up to five times, then once in five seconds", async () => {
    const federation = fresh();
    await federation.accept([trust()], await issuer.token(good));
    for (let i = 2; i <= 5; i++) {
      await issuer.rotate();
      await federation.accept([trust()], await issuer.token(good));
      assert.equal(issuer.asked.length, 2 * i, "the new key is used as soon as the issuer publishes it");
    }
    await issuer.rotate();
    await refused(federation.accept([trust()], await issuer.token(good)), /no such key/);
    assert.equal(issuer.asked.length, 10);
    clock.advance(4_999);
    await refused(federation.accept([trust()], await issuer.token(good)), /no such key/);
    assert.equal(issuer.asked.length, 10);
    clock.advance(1);
    await federation.accept([trust()], await issuer.token(good));
    for (let i = 0; i < 5; i++) await refused(federation.accept([trust()], await unknownKey(i)), /no such key/);
    assert.equal(issuer.asked.length, 12, "one more request in the five seconds");
    clock.advance(60 * 60_000 - 1);
    for (let i = 0; i < 10; i++) await refused(federation.accept([trust()], await unknownKey(i)), /no such key/);
    assert.equal(issuer.asked.length, 12 + 10, "a pause allows at most five requests at once");
  });

  test("that many callers need at once are requested once, and do not delay the keys of another issuer", async () => {
    const other = await startIssuer("ES256");
    const federation = fresh();
    await federation.accept([trust()], await issuer.token(good));
    for (let i = 0; i < 6; i++) await refused(federation.accept([trust()], await unknownKey(i)), /no such key/);
    await federation.accept([trust({ issuer: other.url })], await other.token(good));
    clock.advance(5_000);
    issuer.asked.length = 0;
    await issuer.rotate();
    await Promise.all(Array.from({ length: 20 }, async () => federation.accept([trust()], await issuer.token(good))));
    assert.deepEqual(issuer.asked, [DISCOVERY, KEYS]);
    await other.close();
  });

  test("that appear during a request are requested again", async () => {
    const federation = fresh();
    await federation.accept([trust()], await issuer.token(good));
    const before = JSON.stringify({ keys: issuer.published.keys });
    const asked = new Promise<void>((resolve) => {
      issuer.answers.set(KEYS, (_request, response) => {
        issuer.answers.delete(KEYS);
        void issuer.rotate().then(() => response.end(before));
        resolve();
      });
    });
    const early = refused(federation.accept([trust()], await unknownKey(0)), /no such key/);
    await asked;
    await federation.accept([trust()], await issuer.token(good));
    await early;
  });

  test("are read again after ten minutes, and forgotten after an hour without their issuer", async () => {
    const federation = fresh();
    const token = (): Promise<string> => issuer.token(good, { nowS: nowS() });
    await federation.accept([trust()], await token());
    clock.advance(10 * 60_000);
    await federation.accept([trust()], await token());
    assert.equal(issuer.asked.length, 4);
    issuer.answers.set(DISCOVERY, (_request, response) => response.writeHead(503).end());
    clock.advance(59 * 60_000);
    await federation.accept([trust()], await token());
    clock.advance(60_000);
    await refused(federation.accept([trust()], await token()), /keys can't be read: .*answers 503/);
  });

  for (const [name, document, reason] of [
    ["of another issuer", { issuer: "https://evil.example" }, /another issuer/],
    ["without a jwks_uri", { jwks_uri: undefined }, /no jwks_uri/],
    ["whose jwks_uri is a file", { jwks_uri: "file:///etc/passwd" }, /must begin with https/],
    ["whose jwks_uri has a password", { jwks_uri: "http://a:b@127.0.0.1:1/" }, /user name/],
  ] as const) {
    test(`are not read from a document ${name}`, async () => {
      const federation = fresh();
      const told = { ...issuer.published.document, ...document };
      issuer.answers.set(DISCOVERY, (_request, response) => response.end(JSON.stringify(told)));
      await refused(federation.accept([trust()], await issuer.token(good)), reason);
      assert.deepEqual(issuer.asked, [DISCOVERY]);
    });
  }

  test("are not read from an address that is not public, on any path", async () => {
    const federation = fresh({ privateAddresses: false });
    await refused(federation.accept([trust()], await issuer.token(good)), /must begin with https/);
    assert.deepEqual(issuer.asked, []);
    for (const jwks_uri of [
      "https://127.0.0.1/keys",
      "https://169.254.169.254/latest",
      "https://[::1]/",
      "https://10.0.0.1/",
    ]) {
      const listed = fresh({ privateAddresses: false, allowedAddresses: ["127.0.0.1"] });
      const told = { ...issuer.published.document, jwks_uri: jwks_uri.replace("127.0.0.1", "127.0.0.2") };
      issuer.answers.set(DISCOVERY, (_request, response) => response.end(JSON.stringify(told)));
      await refused(listed.accept([trust()], await issuer.token(good)), /not public/);
      assert.deepEqual(issuer.asked, [DISCOVERY]);
    }
  });

  test("are not read from a redirect", async () => {
    for (const path of [DISCOVERY, KEYS]) {
      const federation = fresh();
      issuer.answers.set(path, (_request, response) => response.writeHead(302, { location: "/elsewhere" }).end());
      await refused(federation.accept([trust()], await issuer.token(good)), /answers 302/);
      assert.equal(issuer.asked.includes("/elsewhere"), false);
    }
  });

  test("are not read if they are too long, too many, or missing", async () => {
    const answers: readonly (readonly [string, string, RegExp])[] = [
      [KEYS, `{"keys":[],"x":"${"x".repeat(256 * 1024)}"}`, /more than 262144 bytes/],
      [DISCOVERY, "x".repeat(64 * 1024 + 1), /more than 65536 bytes/],
      [KEYS, JSON.stringify({ keys: Array.from({ length: 101 }, () => ({ kty: "RSA" })) }), /up to 100 keys/],
      [KEYS, '{"keys":"all"}', /up to 100 keys/],
      [KEYS, '{"keys":[1]}', /not a JSON Web Key Set/],
      [KEYS, "<html>", /does not return JSON/],
      [DISCOVERY, "null", /does not return JSON/],
      [KEYS, '{"keys":[]}', /no such key/],
    ];
    for (const [path, body, reason] of answers) {
      const federation = fresh();
      issuer.answers.set(path, (_request, response) => response.end(body));
      await refused(federation.accept([trust()], await issuer.token(good)), reason);
    }
  });

  test("that are private, symmetric or weak are not used", async () => {
    const { n, e, kid } = issuer.published.keys[0] as Record<string, string>;
    for (const key of [
      { kty: "oct", k: "c2VjcmV0", kid, alg: "RS256" },
      { kty: "RSA", n: "AQAB", e, kid },
      { kty: "RSA", n, e, kid, use: "enc" },
      { kty: "RSA", n, e, kid, key_ops: ["encrypt"] },
    ]) {
      const federation = fresh();
      issuer.answers.set(KEYS, (_request, response) => response.end(JSON.stringify({ keys: [key] })));
      await refused(federation.accept([trust()], await issuer.token(good)), /no such key|signature is wrong/);
    }
  });

  test("of a slow or endless issuer delay only its own tokens, up to a limit", async () => {
    const other = await startIssuer("ES256");
    const federation = fresh();
    issuer.answers.set(DISCOVERY, (_request, response) => void response.write("{"));
    const startedMs = performance.now();
    const slow = federation.accept([trust()], await issuer.token(good));
    const checked = refused(slow, /within 400 ms/);
    await federation.accept([trust({ issuer: other.url })], await other.token(good));
    await checked;
    assert.ok(performance.now() - startedMs < 5000);
    for (let i = 0; i < 6; i++) await refused(federation.accept([trust()], await issuer.token(good)), /within 400 ms/);
    assert.equal(issuer.asked.length, 5, "the server does not wait forever");
    await other.close();
  });

  test("of an issuer that never answers", async () => {
    const silent = createTcpServer((socket) => socket.unref())
      .listen(0, "127.0.0.1")
      .unref();
    await once(silent, "listening");
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const federation = fresh();
    await refused(
      federation.accept([trust({ issuer: url })], await issuer.token({ ...good, iss: url })),
      /within 400 ms/,
    );
    silent.close();
  });
});

test("each check is reported separately, and keys are read from the trusted issuer only", async () => {
  const federation = fresh();
  const results = async (text: string, of = trust()): Promise<string> =>
    (await federation.explain(of, text)).checks.map(({ check, result }) => `${check} ${result}`).join(", ");
  const all = "form pass, lifetime pass, issuer pass, signature pass, audience pass, subject pass, claims pass";
  assert.equal(await results(await issuer.token(good)), all);
  const wrong = await issuer.token({ aud: "x", sub: "repo:mallory/shop", exp: 1 });
  assert.equal(
    await results(wrong, trust({ claims: { a: 1 } })),
    "form pass, lifetime fail, issuer pass, signature pass, audience fail, subject fail, claims fail",
  );
  issuer.asked.length = 0;
  const foreign = await issuer.token({ ...good, iss: "http://127.0.0.1:1" });
  assert.match(await results(foreign), /issuer fail, signature skipped, audience pass/);
  assert.deepEqual(issuer.asked, []);
  assert.match(await results("nonsense"), /^form fail, lifetime skipped/);
});
