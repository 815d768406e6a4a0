import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import type { HookRequest } from "../request.ts";
import type { Verification } from "../types.ts";
import { allowedBy, verify } from "./index.ts";

const BODY = Buffer.from('{"a": 1,  "b":"é"}'); // Spaces show that the JSON was not serialized again.
const NOW_MS = 1_795_000_000_000;
const NOW_S = NOW_MS / 1000;
const SECRET = "a sender's secret";
const STANDARD = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

function asked(headers: Record<string, string>, body = BODY): HookRequest {
  return {
    method: "POST",
    query: "",
    url: "https://hooks.example/hooks/x",
    rawHeaders: [],
    headers,
    body,
    ip: "192.0.2.1",
  };
}

function outcome(verification: Verification, request: HookRequest, secrets: string[] = [SECRET]): string | null {
  return resultOf(verify(request, { secrets, nowMs: NOW_MS, verification }));
}

/** These schemes are verified at once, without a promise. */
function resultOf(result: ReturnType<typeof verify>): string | null {
  assert.ok(!(result instanceof Promise));
  return result;
}

const hmac = (content: string | Buffer, encoding: "hex" | "base64" = "hex", algorithm = "sha256"): string =>
  createHmac(algorithm, SECRET).update(content).digest(encoding);
const signed = (head: string): string => hmac(Buffer.concat([Buffer.from(head), BODY]));

const FIELDS: Readonly<Record<string, { verification: Verification; headers: Record<string, string> }>> = {
  github: { verification: { scheme: "github" }, headers: { "x-hub-signature-256": `sha256=${hmac(BODY)}` } },
  gitlab: { verification: { scheme: "gitlab" }, headers: { "x-gitlab-token": SECRET } },
  stripe: {
    verification: { scheme: "stripe" },
    headers: { "stripe-signature": `t=${NOW_S},v0=ff,v1=${"0".repeat(64)},v1=${signed(`${NOW_S}.`)}` },
  },
  slack: {
    verification: { scheme: "slack" },
    headers: { "x-slack-request-timestamp": `${NOW_S}`, "x-slack-signature": `v0=${signed(`v0:${NOW_S}:`)}` },
  },
  shopify: { verification: { scheme: "shopify" }, headers: { "x-shopify-hmac-sha256": hmac(BODY, "base64") } },
  hmac: {
    verification: { scheme: "hmac", header: "X-Sum", algorithm: "sha512", encoding: "base64", prefix: "s=" },
    headers: { "x-sum": `s=${hmac(BODY, "base64", "sha512")}` },
  },
  header: {
    verification: { scheme: "header", header: "X-Key", prefix: "Key " },
    headers: { "x-key": `Key ${SECRET}` },
  },
};

for (const [name, { verification, headers }] of Object.entries(FIELDS)) {
  test(`${name}: the sender's request passes with either of two secrets`, () => {
    assert.equal(outcome(verification, asked(headers)), null);
    assert.equal(outcome(verification, asked(headers), ["another one", SECRET]), null);
  });

  test(`${name}: a missing, wrong or altered signature is refused, and no reason contains a secret`, () => {
    const changed = Object.fromEntries(
      Object.entries(headers).map(([field, value]) => [field, `${value.slice(0, -2)}00`]),
    );
    const reasons = [
      outcome(verification, asked({})),
      outcome(verification, asked(headers), ["another one"]),
      outcome(verification, asked(changed)),
      outcome(verification, asked(headers), []),
    ];
    for (const reason of reasons) {
      assert.equal(typeof reason, "string");
      assert.ok(!reason?.includes(SECRET));
    }
  });
}

for (const name of ["github", "stripe", "slack", "shopify", "hmac"]) {
  test(`${name}: another body under the same signature is refused`, () => {
    const { verification, headers } = FIELDS[name] as (typeof FIELDS)[string];
    assert.notEqual(outcome(verification, asked(headers, Buffer.from('{"a":1,"b":"é"}'))), null);
  });
}

for (const name of ["stripe", "slack"]) {
  test(`${name}: a replayed old request is refused`, () => {
    const { verification, headers } = FIELDS[name] as (typeof FIELDS)[string];
    const at = (ms: number): string | null =>
      resultOf(verify(asked(headers), { secrets: [SECRET], nowMs: ms, verification }));
    assert.equal(at(NOW_MS + 300_000), null);
    assert.match(at(NOW_MS + 301_000) ?? "", /301 s ago; 300 s are allowed/);
    assert.match(at(NOW_MS - 301_000) ?? "", /ahead/);
  });
}

test("basic: a user name and a password", () => {
  const basic = (pair: string): HookRequest =>
    asked({ authorization: `Basic ${Buffer.from(pair).toString("base64")}` });
  const verification = { scheme: "basic" } as const;
  assert.equal(outcome(verification, basic("ada:open"), ["ada:open"]), null);
  assert.notEqual(outcome(verification, basic("ada:shut"), ["ada:open"]), null);
  assert.notEqual(outcome(verification, asked({ authorization: "Bearer x" }), ["ada:open"]), null);
});

for (const prefix of ["webhook", "svix"]) {
  test(`standard_webhooks: a request that the library signs passes, with ${prefix}-… fields`, () => {
    const verification = { scheme: "standard_webhooks" } as const;
    const signature = new Webhook(STANDARD).sign("msg_1", new Date(NOW_MS), BODY.toString());
    const headers = {
      [`${prefix}-id`]: "msg_1",
      [`${prefix}-timestamp`]: String(NOW_S),
      [`${prefix}-signature`]: `v1,bm9uc2Vuc2U= v1a,xyz ${signature}`,
    };
    assert.equal(outcome(verification, asked(headers), [STANDARD]), null);
    assert.notEqual(outcome(verification, asked({ ...headers, [`${prefix}-id`]: "msg_2" }), [STANDARD]), null);
    assert.notEqual(outcome(verification, asked({ ...headers, [`${prefix}-timestamp`]: "1" }), [STANDARD]), null);
    assert.notEqual(outcome(verification, asked(headers, Buffer.from("{}")), [STANDARD]), null);
  });
}

test("addresses: single addresses and blocks of both families match, also mapped IPv4", () => {
  const allowed = allowedBy(["192.0.2.0/24", "2001:db8::1", "198.51.100.7"]);
  for (const ip of ["192.0.2.77", "::ffff:192.0.2.1", "2001:db8::1", "198.51.100.7"]) assert.ok(allowed(ip), ip);
  for (const ip of ["192.0.3.1", "::ffff:192.0.3.1", "2001:db8::2", "198.51.100.8"]) assert.ok(!allowed(ip), ip);
  assert.ok(allowedBy([])("192.0.3.1"));
});

/** The example of https://www.twilio.com/docs/usage/webhooks/webhooks-security. */
test("twilio: the example of Twilio's documentation passes, and changed requests fail", () => {
  const token = "12345";
  const url = "https://example.com/myapp.php?foo=1&bar=2";
  const form = "Digits=1234&To=%2B18005551212&From=%2B14158675310&Caller=%2B14158675310&CallSid=CA1234567890ABCDE";
  const headers = {
    "x-twilio-signature": "L/OH5YylLD5NRKLltdqwSvS0BnU=",
    "content-type": "application/x-www-form-urlencoded; charset=utf-8",
  };
  const request = { ...asked(headers, Buffer.from(form)), url, query: "foo=1&bar=2" };
  const twilio = (change: object, secrets = [token]): string | null =>
    outcome({ scheme: "twilio" }, { ...request, ...change }, secrets);
  assert.equal(twilio({}), null);
  assert.equal(twilio({ url: url.replace("example.com", "example.com:443") }), null, "the port may be given or not");
  assert.notEqual(twilio({}, ["54321"]), null);
  assert.notEqual(twilio({ url: `${url}3` }), null);
  assert.notEqual(twilio({ body: Buffer.from(`${form}&a=1`) }), null);
  assert.notEqual(twilio({ headers: { ...headers, "x-twilio-signature": "" } }), null);
  assert.match(twilio({ headers: {} }) ?? "", /is missing/);
});

test("twilio: a body that is not a form is verified by its digest in the address", () => {
  const digest = createHash("sha256").update(BODY).digest("hex");
  const query = `bodySHA256=${digest}`;
  const url = `https://hooks.example/hooks/x?${query}`;
  const signature = createHmac("sha1", SECRET).update(url).digest("base64");
  const headers = { "x-twilio-signature": signature, "content-type": "application/json" };
  const request = { ...asked(headers), url, query };
  assert.equal(outcome({ scheme: "twilio" }, request), null);
  const other = { ...request, body: Buffer.from('{"a":2}') };
  assert.match(outcome({ scheme: "twilio" }, other) ?? "", /digest/);
  const bare = "https://hooks.example/hooks/x";
  const uncovered = createHmac("sha1", SECRET).update(bare).digest("base64");
  const unsigned = { ...asked({ ...headers, "x-twilio-signature": uncovered }), url: bare };
  assert.match(outcome({ scheme: "twilio" }, unsigned) ?? "", /does not cover/);
});

test("twilio: each value of a repeated parameter counts once, in order", () => {
  const url = "https://hooks.example/hooks/x";
  const body = Buffer.from("b=2&a=x&b=1&b=2&B=3");
  const signature = createHmac("sha1", SECRET).update(`${url}B3axb1b2`).digest("base64");
  const headers = { "x-twilio-signature": signature, "content-type": "application/x-www-form-urlencoded" };
  assert.equal(outcome({ scheme: "twilio" }, { ...asked(headers, body), url }), null);
});
