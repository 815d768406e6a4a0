import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import type { Verification } from "../setup/presets.ts";
import { checkSignature, explain } from "./signature.ts";

const BODY = Buffer.from('{"a": 1,  "b":"é"}');
const TIME_S = 1_795_000_000;
const AT = new Date(TIME_S * 1000 + 4000).toISOString();
const SECRET = "a sender's secret";
const STANDARD = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

const sum = (head: string, key: string | Buffer = SECRET, algorithm = "sha256") =>
  createHmac(algorithm, key).update(head).update(BODY);

const CASES: readonly (readonly [Verification, string[][], secret?: string])[] = [
  [{ scheme: "github" }, [["X-Hub-Signature-256", `sha256=${sum("").digest("hex")}`]]],
  [{ scheme: "shopify" }, [["X-Shopify-Hmac-SHA256", sum("").digest("base64")]]],
  [{ scheme: "stripe" }, [["Stripe-Signature", `t=${TIME_S},v1=00,v1=${sum(`${TIME_S}.`).digest("hex")}`]]],
  [
    { scheme: "slack" },
    [
      ["X-Slack-Request-Timestamp", `${TIME_S}`],
      ["X-Slack-Signature", `v0=${sum(`v0:${TIME_S}:`).digest("hex")}`],
    ],
  ],
  [
    { scheme: "hmac", header: "X-Sum", algorithm: "sha512", encoding: "base64", prefix: "s=" },
    [["x-sum", `s=${sum("", SECRET, "sha512").digest("base64")}`]],
  ],
  [
    { scheme: "standard_webhooks" },
    [
      ["svix-id", "msg_1"],
      ["svix-timestamp", `${TIME_S}`],
      ["svix-signature", `v1a,x v1,${sum(`msg_1.${TIME_S}.`, Buffer.alloc(32, 7)).digest("base64")}`],
    ],
    STANDARD,
  ],
];

test("a signature is valid with its secret, and invalid with another", async () => {
  for (const [verification, headers, secret = SECRET] of CASES) {
    const request = { headers, body: BODY };
    assert.equal(await checkSignature(verification, request, secret), "fits", verification.scheme);
    const other = secret.startsWith("whsec_") ? `whsec_${Buffer.alloc(32, 8).toString("base64")}` : "another one";
    assert.equal(await checkSignature(verification, request, other), "differs", verification.scheme);
    const changed = { headers, body: Buffer.from("{}") };
    assert.equal(await checkSignature(verification, changed, secret), "differs", verification.scheme);
    assert.equal(await checkSignature(verification, { headers: [], body: BODY }, secret), "unsigned");
  }
});

test("every step has its result, and missing parts are named", () => {
  for (const [verification, headers] of CASES) {
    const steps = explain(verification, headers, AT);
    assert.ok(steps.length >= 4, verification.scheme);
    assert.ok(
      steps.every(({ isMissing }) => isMissing !== true),
      verification.scheme,
    );
    assert.equal(explain(verification, [], AT)[0]?.isMissing, true);
  }
});

test("a signed time outside the tolerance is marked", () => {
  const [verification, headers] = CASES[2] as (typeof CASES)[number];
  const late = explain(verification, headers, new Date((TIME_S + 301) * 1000).toISOString());
  assert.equal(late[1]?.isMissing, true);
  assert.match(late[1]?.detail ?? "", /301 s before its arrival; 300 s are allowed/);
});

test("schemes that send the secret show that it was not stored", () => {
  const steps = explain({ scheme: "gitlab" }, [["X-Gitlab-Token", "redacted"]], AT);
  assert.match(steps[0]?.detail ?? "", /did not store it/);
  assert.equal(explain({ scheme: "none" }, [], AT).length, 1);
});
