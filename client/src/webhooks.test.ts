import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { verifyWebhook, WebhookSignatureError, type WebhookRequest } from "./index.ts";

const SECRET = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
const OTHER = `whsec_${Buffer.from("another secret of thirty-two byte").toString("base64")}`;
const BODY = '{"type":"alert.firing","größe":1}';
const NOW = 1_790_000_000_000;

/** Signs with another implementation. */
function signed(secret: string, atMs = NOW): Record<string, string> {
  return {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(atMs / 1000),
    "webhook-signature": new Webhook(secret).sign("msg_1", new Date(atMs), BODY),
  };
}

function verify(change: Partial<WebhookRequest> = {}): Promise<unknown> {
  return verifyWebhook({ secret: SECRET, headers: signed(SECRET), body: BODY, nowMs: NOW, ...change });
}

async function refused(change: Partial<WebhookRequest>, reason: RegExp): Promise<void> {
  await assert.rejects(verify(change), (error: Error) => {
    assert.ok(error instanceof WebhookSignatureError, String(error));
    assert.match(error.message, reason);
    assert.ok(!error.message.includes("0123456789"));
    return true;
  });
}

test("a signature of another implementation is accepted, with fields of each form, text and bytes", async () => {
  const verified = { id: "msg_1", sentAtMs: NOW };
  assert.deepEqual(await verify(), verified);
  assert.deepEqual(await verify({ headers: new Headers(signed(SECRET)), body: Buffer.from(BODY) }), verified);
});

test("during a rotation, one matching pair of secret and signature is enough", async () => {
  const both = {
    ...signed(SECRET),
    "webhook-signature": `v2,x v1,%% ${signed(OTHER)["webhook-signature"]} ${signed(SECRET)["webhook-signature"]}`,
  };
  await verify({ headers: both });
  await verify({ secret: [OTHER, SECRET] });
  await verify({ secret: OTHER, headers: both });
});

test("another body, secret, id or time is refused", async () => {
  await refused({ body: `${BODY} ` }, /none of its signatures matches this secret and body/);
  await refused({ secret: OTHER }, /none of its signatures/);
  await refused({ headers: { ...signed(SECRET), "webhook-id": "msg_2" } }, /none of its signatures/);
  await refused(
    { headers: { ...signed(SECRET), "webhook-timestamp": String(NOW / 1000 + 1) } },
    /none of its signatures/,
  );
  await refused({ headers: { ...signed(SECRET), "webhook-signature": "v1," } }, /none of its signatures/);
});

test("a request is refused one second after the limit", async () => {
  await verify({ nowMs: NOW + 300_000 });
  await verify({ nowMs: NOW - 300_000 });
  await refused({ nowMs: NOW + 301_000 }, /more than five minutes/);
  await refused({ nowMs: NOW - 301_000 }, /more than five minutes/);
});

test("missing fields, a wrong time and a wrong secret are named", async () => {
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"])
    await refused({ headers: { ...signed(SECRET), [name]: undefined } }, new RegExp(`the field ${name} is missing`));
  await refused({ headers: { ...signed(SECRET), "webhook-timestamp": "soon" } }, /is not a time in seconds/);
  await refused({ secret: "0123456789" }, /must be whsec_ followed by base64/);
  await refused({ secret: [] }, /none of its signatures/);
});
