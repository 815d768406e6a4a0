import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { createMailedLink } from "#domain/accounts/index.ts";
import { startMailbox, type Mailbox } from "../testing/mailbox.ts";
import { startPortal, type Ada, type Answer, type PortalServer } from "../testing/server.ts";

const NOBODY = { ip: null, requestId: null };

let mailbox: Mailbox;
let server: PortalServer;
let grace: Ada;

before(async () => {
  mailbox = await startMailbox();
  server = await startPortal({ mail: mailbox.mail });
});

beforeEach(async () => {
  server.forward(60_000);
  grace = await server.join(await server.settle(), "developer");
});

after(async () => {
  await server.close();
  await mailbox.close();
});

test("asking is answered alike whether there is an account, and no more than five mails go to one in an hour", async () => {
  const headers = { "request-id": "request-of-test" };
  const ask = (email: string): Promise<Answer> =>
    server.browser().call("POST", "/api/reset/request", { email }, headers);
  const [known, unknown] = [await ask(grace.email), await ask("nobody@example.com")];
  assert.deepEqual([known.status, known.text], [unknown.status, unknown.text]);
  const names = (answer: Answer): string[] => [...answer.headers.keys()].toSorted();
  assert.deepEqual(names(known), names(unknown));
  await mailbox.next(grace.email, /\/reset#/);
  for (let n = 0; n < 4; n++) assert.notEqual(await createMailedLink(server, { email: grace.email }, NOBODY), null);
  assert.equal(await createMailedLink(server, { email: grace.email }, NOBODY), null);
  assert.equal((await ask("not an address")).json["code"], "invalid_body");
  server.forward(60_000);
  for (let n = 0; n < 10; n++) await ask("nobody@example.com");
  assert.equal((await ask(grace.email)).json["code"], "rate_limited");
});

const SAMPLES = 200;
const ROUNDS_MAX = 5;

test("the answer takes as long for an address that somebody has as for one that nobody has", async () => {
  const ask = async (email: string): Promise<number> => {
    const beganMs = performance.now();
    const { status } = await server.browser().call("POST", "/api/reset/request", { email });
    assert.equal(status, 204);
    return performance.now() - beganMs;
  };
  const measured: string[] = [];
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const times: Record<"known" | "unknown", number[]> = { known: [], unknown: [] };
    for (let n = 0; n < SAMPLES; n++) {
      server.forward(15 * 60_000); // fewer than five mails in an hour, so that each known one is mailed
      // In turns, so that what goes on after an answer delays both alike.
      for (const kind of n % 2 === 0 ? (["known", "unknown"] as const) : (["unknown", "known"] as const))
        times[kind].push(await ask(kind === "known" ? grace.email : `nobody-${n}@example.com`));
    }
    const [known, unknown] = [median(times.known), median(times.unknown)];
    measured.push(`${known.toFixed(2)} and ${unknown.toFixed(2)} ms`);
    // What the known one costs, a transaction on disk and a mail, takes far longer than this.
    if (Math.abs(known - unknown) < 0.15 * Math.max(known, unknown) + 0.2) return;
  }
  assert.fail(`medians of ${SAMPLES} each: ${measured.join(", ")}`);
});

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

test("without a mail server everybody is told whom to ask", async () => {
  const other = await startPortal();
  try {
    const answer = await other.browser().call("POST", "/api/reset/request", { email: "nobody@example.com" });
    assert.deepEqual([answer.status, answer.json["code"]], [409, "conflict"]);
    assert.match(answer.text, /mooring account reset/);
  } finally {
    await other.close();
  }
});
