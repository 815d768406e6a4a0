import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { PRESETS, presetOf } from "./presets.ts";
import { canSign, requestCommand, testCommand } from "./snippets.ts";

/** Runs the command with a curl that prints its arguments, one on each line. */
function run(command: string): string[] {
  const script = `curl() { printf '%s\\n' "$@"; }\n${command}`;
  return execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\n");
}

const fieldIn = (args: readonly string[], name: string): string =>
  args.find((arg) => arg.toLowerCase().startsWith(`${name}: `))?.slice(name.length + 2) ?? "";

test("each preset's test command runs, and posts a body to the address", () => {
  for (const { verification } of PRESETS) {
    if (!canSign(verification)) continue;
    const args = run(testCommand("https://x.example/hooks/mrwh_a", verification));
    const addressed = args.map((arg) => arg.replace(/\?bodySHA256=[0-9a-f]{64}$/, "")); // Twilio signs the address, so the body is part of it.
    assert.ok(addressed.includes("https://x.example/hooks/mrwh_a"), verification.scheme);
    assert.ok(args.includes('{"type": "order.paid", "order": {"id": 17}}'), verification.scheme);
  }
});

test("the commands sign as the senders do", () => {
  const body = '{"type": "order.paid", "order": {"id": 17}}';
  const sum = (content: string, key: string | Buffer = "the secret") => createHmac("sha256", key).update(content);
  const of = (id: string): string[] => {
    const { verification } = presetOf(id);
    assert.ok(canSign(verification), id);
    return run(testCommand("https://x.example/h", verification, secrets[id]));
  };
  const secrets: Record<string, string> = { standard_webhooks: `whsec_${Buffer.alloc(24, 7).toString("base64")}` };
  assert.equal(fieldIn(of("github"), "x-hub-signature-256"), `sha256=${sum(body).digest("hex")}`);
  assert.equal(fieldIn(of("shopify"), "x-shopify-hmac-sha256"), sum(body).digest("base64"));
  const stripe = /^t=(\d+),v1=([0-9a-f]+)$/.exec(fieldIn(of("stripe"), "stripe-signature"));
  assert.equal(stripe?.[2], sum(`${stripe?.[1]}.${body}`).digest("hex"));
  const twilio = of("twilio");
  const address = twilio.find((arg) => arg.startsWith("https:")) ?? "";
  assert.match(address, /bodySHA256=[0-9a-f]{64}$/);
  const signature = createHmac("sha1", "the secret").update(address).digest("base64");
  assert.equal(fieldIn(twilio, "x-twilio-signature"), signature);
  const standard = of("standard_webhooks");
  const signed = `${fieldIn(standard, "webhook-id")}.${fieldIn(standard, "webhook-timestamp")}.${body}`;
  assert.equal(fieldIn(standard, "webhook-signature"), `v1,${sum(signed, Buffer.alloc(24, 7)).digest("base64")}`);
});

test("a repeated request leaves out connection fields and fields that were not kept", () => {
  const command = requestCommand("https://x.example/h", {
    method: "PUT",
    query: "a=1&b=2",
    headers: [
      ["Host", "x.example"],
      ["Authorization", "redacted"],
      ["X-Forwarded-For", "192.0.2.1"],
      ["X-Note", "it's"],
    ],
    body: "{}",
  });
  const args = run(command);
  assert.deepEqual(args.slice(0, -1), [
    "-sS",
    "--fail-with-body",
    "-X",
    "PUT",
    "https://x.example/h?a=1&b=2",
    "-H",
    "X-Note: it's",
    "--data-binary",
    "{}",
  ]);
  assert.match(requestCommand("u", { method: "POST", query: "", headers: [], body: null }), /--data-binary @body.bin/);
});
