/** Requests that a stranger makes to pass as a sender, or to show readers another event than the verified one. */
import assert from "node:assert/strict";
import { createHash, createHmac, sign } from "node:crypto";
import { test } from "node:test";
import type { WebhookSender } from "@mooring/contract";
import { trustedClock } from "#kernel/testing.ts";
import type { HookRequest } from "../request.ts";
import { FetchedKeys, KeysUnavailable, verify, type KeySource } from "../verification/index.ts";
import { certificate, certificateOf } from "./testing/certificates.ts";
import { notification, TENANTS, TOPICS } from "./testing/cloud.ts";
import { SAMPLES } from "./testing/index.ts";
import { ed25519Keys, hmac, signedBy } from "./testing/sample.ts";
import { issuerKeys, keySetText, tokenOf, type TokenParts } from "./testing/tokens.ts";

/** After the certificate of the test is made, also if other files of the same process run first. */
const NOW_MS = Date.now() + 3_600_000;
const URL_TEXT = "https://hooks.example/hooks/mrwh_x";
const asked: string[] = [];
const outbound = {
  get: ({ url }: { readonly url: string }) => {
    asked.push(url);
    const isCertificate = url.endsWith(".pem") || url.includes("/certs/CERT");
    const body = Buffer.from(isCertificate ? certificateOf().pem : keySetText());
    return Promise.resolve({ status: 200, body });
  },
};

function keysAt(nowMs: number, get: typeof outbound.get = outbound.get): KeySource {
  return new FetchedKeys({ outbound: { get }, clock: trustedClock({ nowMs: () => nowMs }) }).of("org_1");
}

const KEYS = keysAt(NOW_MS);

function requestOf(body: string, headers: Readonly<Record<string, string>> = {}): HookRequest {
  const rawHeaders = Object.entries(headers).flat();
  return { method: "POST", query: "", url: URL_TEXT, rawHeaders, headers, body: Buffer.from(body), ip: "192.0.2.1" };
}

async function reasonOf(
  scheme: WebhookSender,
  request: HookRequest,
  { secret, keys = KEYS }: { secret: string; keys?: KeySource },
): Promise<string | null> {
  const verification = { scheme, audience: "api://mooring" };
  return verify(request, { secrets: [secret], nowMs: NOW_MS, verification, keys });
}

const ACCOUNT = "push@acme.iam.gserviceaccount.com";
const GOOGLE = { iss: "https://accounts.google.com", aud: "api://mooring", email: ACCOUNT, email_verified: true };

function pushed(parts: Partial<TokenParts> = {}): Promise<string | null> {
  const token = tokenOf({ claims: GOOGLE, nowMs: NOW_MS, ...parts });
  return reasonOf("google_pubsub", requestOf("{}", { authorization: `Bearer ${token}` }), { secret: ACCOUNT });
}

test("a token is refused with another algorithm, key, audience, issuer, account or time", async () => {
  assert.equal(await pushed(), null);
  const pem = issuerKeys.publicKey.export({ format: "pem", type: "spki" });
  const withPublicKey = (content: string): Buffer => createHmac("sha256", pem).update(content).digest();
  const refused: readonly Partial<TokenParts>[] = [
    { head: { alg: "none" }, sign: () => Buffer.alloc(0) },
    { head: { alg: "none" } },
    { head: { alg: "HS256" }, sign: withPublicKey },
    { head: { alg: "RS512" }, sign: (content) => sign("RSA-SHA512", Buffer.from(content), issuerKeys.privateKey) },
    { head: { kid: "k2" } },
    { head: { crit: ["x"], x: 1 } },
    { sign: () => Buffer.alloc(256, 1) },
    { claims: { ...GOOGLE, aud: "api://other" } },
    { claims: { ...GOOGLE, aud: undefined } },
    { claims: { ...GOOGLE, iss: "https://accounts.google.com.evil.example" } },
    { claims: { ...GOOGLE, email: "other@acme.iam.gserviceaccount.com" } },
    { claims: { ...GOOGLE, email_verified: "true" } },
    { claims: { ...GOOGLE, exp: undefined } },
    { nowMs: NOW_MS - 2 * 3_600_000 },
  ];
  for (const parts of refused) {
    const reason = await pushed(parts);
    assert.equal(typeof reason, "string", JSON.stringify(parts));
    assert.ok(!reason?.includes(ACCOUNT));
  }
});

test("a token of Entra is accepted only for Event Grid, of the tenant that is set", async () => {
  const [tenant, other] = [TENANTS[0].secret, TENANTS[1].secret];
  const appid = "4962773b-9cdb-44cf-a8bf-237846a00ab7";
  const claims = { iss: `https://login.microsoftonline.com/${tenant}/v2.0`, aud: "api://mooring", azp: appid };
  const sent = (change: object): Promise<string | null> => {
    const token = tokenOf({ claims: { ...claims, ...change }, nowMs: NOW_MS });
    return reasonOf("azure_event_grid_entra", requestOf("[]", { authorization: `Bearer ${token}` }), {
      secret: tenant,
    });
  };
  assert.equal(await sent({}), null);
  for (const change of [
    { azp: "another" },
    { azp: undefined },
    { iss: `https://sts.windows.net/${other}/` },
    { aud: "x" },
  ])
    assert.equal(typeof (await sent(change)), "string", JSON.stringify(change));
});

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

test("Netlify's token is refused without HS256, and for another body", async () => {
  const secret = "a secret of ours";
  const sent = (head: object, digestOf: string, key: string): Promise<string | null> => {
    const parts = [
      { alg: "HS256", ...head },
      { iss: "netlify", sha256: hashOf(digestOf) },
    ];
    const content = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    const signature = Buffer.from(hmac(key, content, "base64"), "base64").toString("base64url");
    const request = requestOf("{}", { "x-webhook-signature": `${content}.${signature}` });
    return reasonOf("netlify", request, { secret });
  };
  assert.equal(await sent({}, "{}", secret), null);
  assert.match((await sent({}, "[]", secret)) ?? "", /digest/);
  assert.equal(typeof (await sent({ alg: "none" }, "{}", secret)), "string");
  assert.equal(typeof (await sent({}, "{}", "another")), "string");
});

test("Standard Webhooks: a private key signs with v1a, and nobody signs with the public key as a secret", async () => {
  const [key] = ed25519Keys((raw) => `whpk_${raw.toString("base64")}`);
  const time = String(Math.floor(NOW_MS / 1000));
  const content = `msg_1.${time}.{}`;
  const sent = (signature: string): Promise<string | null> => {
    const headers = { "webhook-id": "msg_1", "webhook-timestamp": time, "webhook-signature": signature };
    return reasonOf("standard_webhooks", requestOf("{}", headers), { secret: key.secret });
  };
  assert.equal(await sent(`v1,bm9uc2Vuc2U= v1a,${signedBy(key, null, content).toString("base64")}`), null);
  for (const bytes of [
    Buffer.from(key.secret),
    Buffer.from(key.secret.slice(5), "base64"),
    Buffer.from(key.secret, "base64"),
  ])
    assert.equal(typeof (await sent(`v1,${hmac(bytes, content, "base64")}`)), "string");
});

const TOPIC = TOPICS[0].secret;
const snsReason = (body: string): Promise<string | null> => reasonOf("aws_sns", requestOf(body), { secret: TOPIC });

test("SNS: the certificate comes only from the region of the topic, and other spellings of a URL lead nowhere", async () => {
  const good = notification({ key: TOPICS[0] });
  assert.equal(await snsReason(good), null);
  assert.equal(await snsReason(notification({ key: TOPICS[0] }, {}, "1")), null);
  const path = new URL(certificate.snsUrl).pathname;
  asked.length = 0;
  for (const url of [
    `https://sns.evil.com${path}`,
    `https://sns.eu-west-1.amazonaws.com.evil.com${path}`,
    `https://sns.eu-west-1.amazonaws.com@evil.com${path}`,
    `https://evil.com/sns.eu-west-1.amazonaws.com${path}`,
    `https://evil.com#@sns.eu-west-1.amazonaws.com${path}`,
    `https://sns.us-east-1.amazonaws.com${path}`,
    `https://SNS.eu-west-1.amazonaws.com${path}`,
    `https://sns.eu-west-1.amazonaws.com:8443${path}`,
    `https://sns.eu-west-1.amazonaws.com/bucket/..${path}`,
    `https://sns.eu-west-1.amazonaws.com${path}?x=.pem`,
    `https://sns.eu-west-1.amazonaws.com\\@evil.com${path}`,
    `http://sns.eu-west-1.amazonaws.com${path}`,
    "https://sns.eu-west-1.amazonaws.com/?Action=Publish&x=.pem",
    "",
  ])
    assert.match(
      (await snsReason(good.replace(JSON.stringify(certificate.snsUrl), JSON.stringify(url)))) ?? "",
      /SigningCertURL/,
      url,
    );
  assert.deepEqual(asked, []);
});

test("SNS: another topic, repeated names, other values and other bodies are refused", async () => {
  const good = notification({ key: TOPICS[0] });
  assert.match((await snsReason(notification({ key: TOPICS[1] }))) ?? "", /topic/);
  for (const body of [
    good.replace('"Message":', '"Message":"first","Message":'),
    good.replace('"Message":', '"Messag\\u0065":"first","Message":'),
    good.replace('"Subject":"My subject"', '"Subject":["My subject"]'),
    `[${good}]`,
    `${good}${good}`,
    '"text"',
    "",
    "{",
  ])
    assert.match((await snsReason(body)) ?? "", /not a message of SNS/, body);
  for (const [from, to] of [
    ["Hello", "Hallo"],
    ['"SignatureVersion":"2"', '"SignatureVersion":"1"'],
    ['"SignatureVersion":"2"', '"SignatureVersion":"constructor"'],
    ['"Type":"Notification"', '"Type":"SubscriptionConfirmation"'],
    ['"Subject":"My subject",', ""],
  ] as const)
    assert.equal(typeof (await snsReason(good.replace(from, to))), "string", to);
});

const SALE = SAMPLES.paypal.body;
const WEBHOOK_ID = "8PT597110X687430LKGECATA";

function paypal(change: Readonly<Record<string, string>>, keys = KEYS): Promise<string | null> {
  const { headers = {} } = SAMPLES.paypal.sign({
    body: SALE,
    key: { secret: WEBHOOK_ID },
    nowMs: NOW_MS,
    url: URL_TEXT,
  });
  return reasonOf("paypal", requestOf(SALE, { ...headers, ...change }), { secret: WEBHOOK_ID, keys });
}

test("PayPal: the certificate comes only from PayPal's hosts, and the algorithm is fixed", async () => {
  assert.equal(await paypal({}), null);
  asked.length = 0;
  for (const url of [
    "https://api.paypal.com.evil.com/v1/notifications/certs/CERT-1",
    "https://evilpaypal.com/v1/notifications/certs/CERT-1",
    "https://api.paypal.com@evil.com/v1/notifications/certs/CERT-1",
    "https://api.paypal.com/v1/notifications/certs/../../x",
    "https://api.paypal.com/v1/notifications/certs/CERT-1?x",
    "https://apixpaypal.com/v1/notifications/certs/CERT-1",
    "http://api.paypal.com/v1/notifications/certs/CERT-1",
  ])
    assert.match((await paypal({ "paypal-cert-url": url })) ?? "", /Cert-Url/, url);
  assert.match((await paypal({ "paypal-auth-algo": "SHA1withRSA" })) ?? "", /SHA256withRSA/);
  assert.equal(typeof (await paypal({ "paypal-transmission-time": "2026-01-01T00:00:00Z" })), "string");
  assert.deepEqual(asked, []);
});

test("a certificate is read once a day; one that is not valid now is refused", async () => {
  const reads: string[] = [];
  const counted = keysAt(NOW_MS, ({ url }) => (reads.push(url), outbound.get({ url })));
  await Promise.all([paypal({}, counted), paypal({}, counted)]);
  await paypal({}, counted);
  assert.equal(reads.length, 1);
  assert.match((await paypal({}, keysAt(NOW_MS + 60 * 86_400_000))) ?? "", /certificate is valid from/);
});

test("an address that does not answer refuses nothing for good, and is not asked for each request", async () => {
  let count = 0;
  const failing = keysAt(NOW_MS, () => {
    count += 1;
    return Promise.reject(new Error("no answer"));
  });
  for (let i = 0; i < 5; i++) await assert.rejects(paypal({}, failing), KeysUnavailable);
  assert.equal(count, 1);
  const away = keysAt(NOW_MS, () => Promise.resolve({ status: 404, body: Buffer.alloc(0) }));
  assert.match((await paypal({}, away)) ?? "", /answers 404/);
  const other = keysAt(NOW_MS, () => Promise.resolve({ status: 200, body: Buffer.from("no certificate") }));
  assert.match((await paypal({}, other)) ?? "", /no certificate/);
});

test("strangers can't make the server ask senders without end, or use up what other organizations may ask", async () => {
  const counted: string[] = [];
  const get: typeof outbound.get = ({ url }) => (counted.push(url), outbound.get({ url }));
  const all = new FetchedKeys({ outbound: { get }, clock: trustedClock({ nowMs: () => NOW_MS }) });
  const send = (n: number, org: string): Promise<string | null> =>
    paypal({ "paypal-cert-url": `https://api.paypal.com/v1/notifications/certs/CERT-${n}` }, all.of(org));
  for (let n = 0; n < 20; n++) assert.equal(await send(n, "org_1"), null);
  for (let n = 20; n < 100; n++) await assert.rejects(send(n, "org_1"), KeysUnavailable);
  assert.equal(counted.length, 20);
  assert.equal(await send(200, "org_2"), null);
});

test("Adyen: repeated names, an item without a signature and a key in another form are refused", async () => {
  const secret = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";
  const good = SAMPLES.adyen.sign({ body: "", key: { secret }, nowMs: NOW_MS, url: URL_TEXT }).body ?? "";
  const sent = (body: string): Promise<string | null> => reasonOf("adyen", requestOf(body), { secret });
  assert.equal(await sent(good), null);
  const item = good.slice(good.indexOf("[") + 1, good.lastIndexOf("]"));
  for (const body of [
    good.replace('"success":"true"', '"success":"false","success":"true"'),
    good.replace('"value":1130', '"value":1,"value":1130'),
    good.replace('"value":1130', '"value":1131'),
    good.replace(`[${item}]`, `[${item},{"NotificationRequestItem":{"success":"true"}}]`),
    good.replace(`[${item}]`, "[]"),
    `[${good}]`,
    "[]",
    "",
  ])
    assert.equal(typeof (await sent(body)), "string", body);
});

test("Microsoft Graph: every notification must have the clientState", async () => {
  const sent = (body: string): Promise<string | null> =>
    reasonOf("microsoft_graph", requestOf(body), { secret: "ours-and-theirs" });
  const one = '{"clientState":"ours-and-theirs"}';
  assert.equal(await sent(`{"value":[${one},${one}]}`), null);
  for (const list of [
    `[${one},{}]`,
    `[${one},{"clientState":"x"}]`,
    "[]",
    one,
    `[${one},{"clientState":["ours-and-theirs"]}]`,
  ])
    assert.equal(typeof (await sent(`{"value":${list}}`)), "string", list);
});

test("SendGrid: a key on another curve is refused", async () => {
  const secret = issuerKeys.publicKey.export({ format: "der", type: "spki" }).toString("base64");
  const time = String(Math.floor(NOW_MS / 1000));
  const signature = sign("sha256", Buffer.from(`${time}{}`), issuerKeys.privateKey).toString("base64");
  const headers = {
    "x-twilio-email-event-webhook-timestamp": time,
    "x-twilio-email-event-webhook-signature": signature,
  };
  assert.equal(typeof (await reasonOf("sendgrid", requestOf("{}", headers), { secret })), "string");
});
