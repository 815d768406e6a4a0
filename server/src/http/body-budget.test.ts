import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import { after, before, test } from "node:test";
import Type from "typebox";
import { route } from "@mooring/contract";
import { createBodyBudget } from "./body-budget.ts";
import { mountRoute } from "./index.ts";
import { bearer, credentialOf, startTestServer, type TestServer } from "./testing/host.ts";

const TAKE = route({
  operationId: "take",
  method: "POST",
  path: "/take",
  tag: "t",
  summary: "s",
  permission: "apps:write",
  body: Type.Object({ text: Type.String() }),
  status: 200,
  problems: [],
});
const BYTES = 1000;
const BODY = JSON.stringify({ text: "x".repeat(BYTES - 11) });

let server: TestServer;

before(async () => {
  server = await startTestServer({
    principals: {
      one: { ...credentialOf("org_1", ["apps:write"]), id: "cred_one" },
      beside: { ...credentialOf("org_1", ["apps:write"]), id: "cred_beside" },
      third: { ...credentialOf("org_1", ["apps:write"]), id: "cred_third" },
      two: { ...credentialOf("org_2", ["apps:write"]), id: "cred_two" },
      other: { ...credentialOf("org_2", ["apps:write"]), id: "cred_other" },
    },
    mount: (host) => ({ name: "test", mount: (app) => mountRoute(app, host, TAKE, async () => ({}) as never) }),
    bodies: { totalBytesMax: 3 * BYTES, organizationBytesMax: 2 * BYTES },
  });
});

after(() => server.stop());

/** Sends the header and the body without its last byte. */
async function begin(token: string): Promise<ClientRequest> {
  const call = httpRequest(`${server.url}/take`, {
    method: "POST",
    agent: false,
    headers: { ...bearer(token), "content-type": "application/json", "content-length": BYTES, expect: "100-continue" },
  });
  call.on("error", () => undefined);
  call.flushHeaders();
  await once(call, "continue");
  call.write(BODY.slice(0, -1));
  return call;
}

async function whole(token: string): Promise<number> {
  const headers = { ...bearer(token), "content-type": "application/json" };
  const response = await fetch(`${server.url}/take`, { method: "POST", body: BODY, headers });
  await response.text();
  return response.status;
}

async function eventually(expected: number, ask: () => Promise<number>): Promise<void> {
  const untilMs = performance.now() + 5000;
  let status = await ask();
  while (status !== expected && performance.now() < untilMs) status = await ask();
  assert.equal(status, expected);
}

test("running bodies count for their organization and in total until their requests end", async () => {
  const first = await begin("one");
  assert.equal(await whole("one"), 429, "a sender has at most half of the organization's share");
  const second = await begin("beside");
  assert.equal(await whole("third"), 429, "the organization has used its share");
  const third = await begin("two");
  assert.equal(await whole("other"), 503, "the organizations have used the total");
  const answered = once(first, "response") as Promise<[IncomingMessage]>;
  first.end(BODY.slice(-1));
  const [answer] = await answered;
  assert.equal(answer.statusCode, 200);
  answer.resume();
  await eventually(200, () => whole("one"));
  await eventually(200, () => whole("third"));
  second.destroy();
  await eventually(200, () => whole("other"));
  third.destroy();
});

test("a second release of the same bytes does nothing; one body may exceed the share of its sender", () => {
  const budget = createBodyBudget({ totalBytesMax: 2, organizationBytesMax: 2 });
  const one = { orgId: "org_1", id: "cred_1" };
  const release = budget.hold(one, 2);
  release();
  release();
  budget.hold(one, 2);
  assert.throws(() => budget.hold({ orgId: "org_1", id: "cred_2" }, 1), { code: "rate_limited" });
  assert.throws(() => budget.hold({ orgId: "org_2", id: "cred_3" }, 1), { code: "unavailable" });
});
