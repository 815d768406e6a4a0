import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import type { KeyedHash } from "#domain/identity/index.ts";
import { fieldsOf, keptHeaders, keptQuery } from "./redaction.ts";

const envelope = {
  lookupHash: (purpose: string, text: string): KeyedHash => ({
    key: purpose,
    hash: createHmac("sha256", purpose).update(text).digest(),
  }),
};
const OPTIONS = { envelope, webhookId: "hook_1", ...fieldsOf({ scheme: "none" }) };
const HASH = /^redacted:[0-9a-f]{16}$/;

function kept(name: string, value: string, more: object = {}): string {
  const [[, field] = ["", ""]] = JSON.parse(keptHeaders([name, value], { ...OPTIONS, ...more })) as [string, string][];
  return field;
}

/** A value that does not look random, so that only the name of its field can make it a secret. */
const PLAIN = "correct horse";
const RANDOM = "Zx81kqPv3mNc92LsTr0b";

const SECRET_FIELDS =
  "Authorization Proxy-Authorization Cookie X-Api-Key X-Gitlab-Token X-Telegram-Bot-Api-Secret-Token X-Goog-Channel-Token X-Vault-Token X-Auth-Token Private-Token X-Amz-Security-Token Apikey X-Api_Key Api-Token X-Webhook-Secret X-Access-Token X-Session X-Auth X-Password X-Functions-Key Ocp-Apim-Subscription-Key X-Client-Secret X-Csrf-Token X-Jwt X-Hook-Key";

for (const name of SECRET_FIELDS.split(" ")) {
  test(`${name} is kept as a hash`, () => {
    for (const each of [name, name.toLowerCase(), name.toUpperCase()]) {
      const value = kept(each, PLAIN);
      assert.match(value, HASH);
      assert.equal(value, kept(each, PLAIN), "the same value has the same hash");
      assert.notEqual(value, kept(each, `${PLAIN}s`));
      assert.notEqual(value, kept(each, PLAIN, { webhookId: "hook_2" }), "the hash of another webhook differs");
    }
  });
}

test("fields that are needed to read, recognize and verify an event are kept", () => {
  const sum = createHmac("sha256", "k").update("b").digest("hex");
  const fields: [string, string][] = [
    ["X-Hub-Signature-256", `sha256=${sum}`],
    ["X-Hub-Signature", `sha256=${sum}`],
    ["Stripe-Signature", `t=1795000000,v1=${sum}`],
    ["X-Slack-Signature", `v0=${sum}`],
    ["X-Shopify-Hmac-Sha256", "ejbBpgBGyFjTNWH6FrJ1Vg0KRzaLOtnM4CpUD0z0rPw="],
    ["webhook-signature", "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="],
    ["X-Twilio-Signature", "GvWf1cFY/Q7PnoempGyD5oXAezc="],
    ["Linear-Signature", sum],
    ["X-GitHub-Delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958"],
    ["X-Request-UUID", "72d3162e-cc78-11e3-81ab-4c9367dc0958"],
    ["X-Event-Key", "repo:push"],
    ["X-Acme-Delivery-Id", RANDOM],
    ["Idempotency-Key", RANDOM],
    ["traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"],
    ["User-Agent", "GitHub-Hookshot/044aadd"],
    ["X-Custom", "Kept"],
    ["X-Monkey", "a banana and another one"],
    ["X-Trace", "72d3162e-cc78-11e3-81ab-4c9367dc0958"],
    ["Content-Type", "application/json"],
  ];
  for (const [name, value] of fields) assert.equal(kept(name, value), value, name);
});

test("a value that looks like a secret is hashed under any unknown name", () => {
  for (const value of [RANDOM, `key ${RANDOM}`, "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c"])
    assert.match(kept("X-Custom", value), HASH, value);
});

test("a value with a secret's prefix is hashed under any name", () => {
  const tail = "abcdefghijklmnopqrst";
  const jwt = `eyJ${tail}.eyJ${tail}.${tail}`;
  for (const name of ["X-Custom", "User-Agent", "X-Request-Id", "Referer", "X-Acme-Id"])
    for (const value of [
      `ghp_${tail}`,
      `xoxb-${tail}`,
      `sk_live_${tail}`,
      jwt,
      `Bearer ${jwt}`,
      `https://a/hooks/mrwh_${tail}`,
    ])
      assert.match(kept(name, value), HASH, `${name}: ${value}`);
});

test("the field that a webhook verifies by is hashed if it is a key, and kept if it is a signature", () => {
  assert.match(kept("X-Request-Id", PLAIN, fieldsOf({ scheme: "header", header: "X-Request-Id" })), HASH);
  assert.equal(kept("X-Auth-Sum", RANDOM, fieldsOf({ scheme: "hmac", header: "X-Auth-Sum" })), RANDOM);
  assert.match(kept("X-Api-Key", PLAIN, fieldsOf({ scheme: "aws_eventbridge" })), HASH);
  assert.match(kept("Authorization", PLAIN, fieldsOf({ scheme: "okta" })), HASH);
  for (const name of ["X-Signature-Ed25519", "X-Signature-Timestamp"])
    assert.equal(kept(name, RANDOM, fieldsOf({ scheme: "discord" })), RANDOM);
});

test("secrets among the address parameters are hashed, the others stay unchanged", () => {
  const sum = "0af7651916cd43dd8448eb211c80319cb7ad6b7169203331b7ad6b7169203331";
  const query = `from=a%20b&token=open&n=1&x&api_key=a%2Bb&sig=abc&code=17&bodySHA256=${sum}&Access-Token=b&y=${RANDOM}&z=`;
  const parts = keptQuery(query, OPTIONS).split("&");
  const shown = parts.map((part) => part.replace(/redacted:[0-9a-f]{16}$/, "HASH"));
  const rest = `x&api_key=HASH&sig=HASH&code=HASH&bodySHA256=${sum}&Access-Token=HASH&y=HASH&z=`;
  assert.equal(shown.join("&"), `from=a%20b&token=HASH&n=1&${rest}`);
  assert.match(keptQuery(RANDOM, OPTIONS), HASH);
  assert.equal(keptQuery("", OPTIONS), "");
  assert.equal(keptQuery("a=%zz&b", OPTIONS), "a=%zz&b");
});
