import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "#kernel/problem.ts";
import { trustedClock } from "#kernel/testing.ts";
import { SenderRequests } from "./sender-requests.ts";
import { SAMPLES } from "./senders/testing/index.ts";

const URL_TEXT = "https://hooks.example/hooks/mrwh_x";
const CONFIRMATION = "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=a";

/** Returns the requests with a sender that answers with this status, or not at all. */
function requestsWith(status: number | null) {
  const asked: string[] = [];
  const warnings: string[] = [];
  const outbound = {
    get: ({ url }: { readonly url: string }) => {
      asked.push(url);
      return status === null
        ? Promise.reject(new Error("no answer"))
        : Promise.resolve({ status, body: Buffer.alloc(0) });
    },
  };
  const log = { warn: (_fields: object, message: string) => void warnings.push(message) };
  const clock = trustedClock({ nowMs: () => Date.now() });
  return { asked, warnings, requests: new SenderRequests({ outbound, clock, log }) };
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof Problem && error.code === "unavailable" && error.options.retryAfterS === 30;

test("a subscription is confirmed, or the sender must ask again", async () => {
  const good = requestsWith(200);
  await good.requests.visit(CONFIRMATION);
  assert.deepEqual(good.asked, [CONFIRMATION]);
  for (const status of [403, 302, 500, null])
    await assert.rejects(requestsWith(status).requests.visit(CONFIRMATION), isUnavailable, String(status));
});

test("without the sender's keys a request is neither stored nor refused for good", async () => {
  const { secret } = SAMPLES.paypal.keys?.[0] ?? { secret: "" };
  const { body } = SAMPLES.paypal;
  const { headers = {} } = SAMPLES.paypal.sign({ body, key: { secret }, nowMs: Date.now(), url: URL_TEXT });
  const request = {
    method: "POST",
    query: "",
    url: URL_TEXT,
    rawHeaders: Object.entries(headers).flat(),
    headers,
    body: Buffer.from(body),
    ip: "192.0.2.1",
  };
  const { requests, warnings } = requestsWith(null);
  const options = { orgId: "org_1", secrets: [secret], nowMs: Date.now(), verification: { scheme: "paypal" as const } };
  await assert.rejects(requests.verify(request, options), isUnavailable);
  assert.deepEqual(warnings, ["cannot read the keys of a webhook's sender"]);
});
