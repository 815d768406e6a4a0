import assert from "node:assert/strict";
import { test } from "node:test";
import { WEBHOOK_SENDERS, type WebhookSender } from "@mooring/contract";
import { trustedClock } from "#kernel/testing.ts";
import { senderNameOf, typeOf } from "../naming.ts";
import { LazyJson, type HookRequest } from "../request.ts";
import { FetchedKeys, verify } from "../verification/index.ts";
import { SENDERS } from "./index.ts";
import { certificateOf } from "./testing/certificates.ts";
import { OTHER_WAYS } from "./testing/development.ts";
import { SAMPLES } from "./testing/index.ts";
import { TEXT_KEYS, type Key, type Sample } from "./testing/sample.ts";
import { keySetText } from "./testing/tokens.ts";

const NOW_MS = 1_795_000_000_000;
const URL_TEXT = "https://hooks.example/hooks/mrwh_x";

interface Change {
  readonly key?: Key;
  readonly nowMs?: number;
}

/** Returns the request that the sender makes. */
function requestOf(sample: Sample, { key = keysOf(sample)[0], nowMs = NOW_MS }: Change = {}): HookRequest {
  const signed = sample.sign({ body: sample.body, key, nowMs, url: URL_TEXT });
  return withHeaders(
    {
      method: "POST",
      query: signed.query ?? "",
      url: URL_TEXT + (signed.query === undefined ? "" : `?${signed.query}`),
      rawHeaders: [],
      headers: {},
      body: Buffer.from(signed.body ?? sample.body),
      ip: "192.0.2.1",
    },
    signed.headers ?? {},
  );
}

function withHeaders(request: HookRequest, headers: Readonly<Record<string, string>>): HookRequest {
  return { ...request, headers, rawHeaders: Object.entries(headers).flat() };
}

function keysOf({ keys = TEXT_KEYS }: Sample): readonly [Key, Key] {
  return keys;
}

/** The senders' servers, as far as recipes read keys from them. */
const asked: string[] = [];
const outbound = {
  get: ({ url }: { readonly url: string }) => {
    asked.push(url);
    const body = url.endsWith(".pem") || url.includes("/certs/CERT") ? certificateOf().pem : keySetText();
    return Promise.resolve({ status: 200, body: Buffer.from(body) });
  },
};
const keys = new FetchedKeys({ outbound, clock: trustedClock({ nowMs: () => Date.now() }) }).of("org_1");

async function reasonOf(
  scheme: WebhookSender,
  request: HookRequest,
  { secrets, nowMs = NOW_MS }: { secrets?: readonly string[]; nowMs?: number } = {},
): Promise<string | null> {
  const sample = SAMPLES[scheme];
  const { audience } = sample;
  const verification = { scheme, ...(audience === undefined ? {} : { audience }) };
  return verify(request, { secrets: secrets ?? [keysOf(sample)[0].secret], nowMs, verification, keys });
}

const NAMES = Object.keys(SENDERS) as WebhookSender[];

test("the table has a recipe, a text and a source for every sender, and at least 40 senders", () => {
  assert.ok(NAMES.length >= 40, String(NAMES.length));
  assert.deepEqual(NAMES.toSorted(), Object.keys(WEBHOOK_SENDERS).toSorted());
  for (const name of NAMES) {
    const { source, verify: checks } = SENDERS[name];
    assert.match(source, /^https:\/\/[\w./#-]+$/, name);
    assert.equal(WEBHOOK_SENDERS[name].secret === null, checks.length === 0, name);
  }
});

for (const name of NAMES) {
  const sample = SAMPLES[name];
  const [current, previous] = keysOf(sample);
  test(`${name}: the sender's request is verified, with either of two secrets`, async () => {
    const request = requestOf(sample);
    assert.equal(await reasonOf(name, request), null);
    assert.equal(await reasonOf(name, request, { secrets: [previous.secret, current.secret] }), null);
    const form = SENDERS[name].secret?.form;
    for (const { secret } of keysOf(sample)) assert.ok(form?.test(secret) !== false, secret);
  });

  test(`${name}: the event has the sender's name and type`, () => {
    const request = requestOf(sample);
    const json = new LazyJson(request.body);
    const found = senderNameOf(request, json, SENDERS[name]);
    if (sample.name instanceof RegExp) assert.match(found ?? "", sample.name);
    else assert.equal(found, sample.name);
    assert.equal(typeOf(request, json, name), sample.type ?? null);
  });

  if (SENDERS[name].verify.length === 0) continue;

  test(`${name}: another secret, a changed body and a missing or repeated field are refused`, async () => {
    const request = requestOf(sample);
    const other = await reasonOf(name, request, { secrets: [previous.secret] });
    assert.equal(typeof other, "string");
    assert.ok(!other?.includes(previous.secret) && !other?.includes(current.secret), other ?? "");
    assert.equal(typeof (await reasonOf(name, request, { secrets: [] })), "string");
    if (sample.covers !== false) {
      const changed = Buffer.from(request.body.toString().replace(/[a-z](?=[^a-z]*$)/, "Z"));
      assert.notDeepEqual(changed, request.body);
      assert.equal(typeof (await reasonOf(name, { ...request, body: changed })), "string");
      assert.equal(typeof (await reasonOf(name, { ...request, body: Buffer.alloc(0) })), "string");
    }
    await refusesFields(name, request);
  });

  if (sample.lateAfterS === undefined) continue;
  const afterS = sample.lateAfterS;

  test(`${name}: an old request is refused`, async () => {
    const request = requestOf(sample);
    assert.equal(await reasonOf(name, request, { nowMs: NOW_MS + afterS * 1000 }), null);
    const late = await reasonOf(name, request, { nowMs: NOW_MS + (afterS + 1) * 1000 });
    assert.match(late ?? "", new RegExp(`${afterS + 1} s ago; ${afterS} s are allowed`));
    assert.match((await reasonOf(name, request, { nowMs: NOW_MS - 3_600_000 })) ?? "", /ahead/);
  });
}

/** Fields that the signature does not need: they name and describe the event. */
const DESCRIBING =
  /delivery|event$|event-key|uuid$|idempotency|topic$|webhook-id$|identifier|request-id|resource|content-type|message-type|event-id/;

async function refusesFields(name: WebhookSender, request: HookRequest): Promise<void> {
  const all = Object.entries(request.headers) as [string, string][];
  for (const [field, value] of all) {
    const needed = !DESCRIBING.test(field) || /^(svix|webhook)-id$/.test(field);
    if (!needed || (name === "docusign" && field.endsWith("-1"))) continue;
    const without = Object.fromEntries(all.filter(([each]) => each !== field));
    assert.equal(typeof (await reasonOf(name, withHeaders(request, without))), "string", `${name} without ${field}`);
    const joined = { ...Object.fromEntries(all), [field]: `${value}, ${value}x` };
    const rawHeaders = [...request.rawHeaders, field, `${value}x`];
    const repeated = { ...request, headers: joined, rawHeaders };
    if (!/^(stripe|paddle|calendly|workos|circleci|x-pagerduty)/.test(field))
      assert.equal(typeof (await reasonOf(name, repeated)), "string", `${name} with ${field} twice`);
  }
}

test("the other ways to prove a request of Datadog and Grafana", async () => {
  for (const [name, ways] of Object.entries(OTHER_WAYS) as [keyof typeof OTHER_WAYS, (typeof OTHER_WAYS)["datadog"]][])
    for (const way of ways) {
      const request = withHeaders(requestOf(SAMPLES[name]), way("ada:open sesame"));
      assert.equal(await reasonOf(name, request, { secrets: ["ada:open sesame"] }), null);
      assert.equal(typeof (await reasonOf(name, request, { secrets: ["ada:another"] })), "string");
    }
});
