/** Tests the parts that all deliveries share: the results of attempts, secrets, and messages that an older server queued. */
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { ORG_ID, openGround, type Ground } from "#domain/identity/testing.ts";
import type { Envelope } from "#domain/identity/index.ts";
import { signatureFields } from "#kernel/webhook-signature.ts";
import { Schedule, createJobs, type Jobs } from "#stores/jobs/index.ts";
import { createOutbound } from "#stores/outbound/index.ts";
import { afterAttempt, type Sent } from "./attempts.ts";
import { messageHandler } from "./index.ts";
import { rotatedSecret, sealSecret, signingSecrets } from "./secrets.ts";

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;
const SENT: Sent = { status: 200, error: null, retryAfterMs: null, delivered: true, gone: false };
const REFUSED: Sent = { ...SENT, status: 500, delivered: false };

/** The wait in milliseconds before the next attempt; null if there is none. */
function waitAfter(sent: Sent, attempts: number, options: { random?: number; waitMsMax?: number } = {}): number | null {
  const { random = 0.5, ...rest } = options;
  return afterAttempt(sent, attempts, { nowMs: 0, random: () => random, ...rest }).next_attempt_at;
}

describe("the result of an attempt", () => {
  test("a delivered message is done", () => {
    assert.deepEqual(afterAttempt(SENT, 2, { nowMs: 7, random: () => 0.5 }), {
      state: "delivered",
      attempts: 3,
      last_attempt_at: 7,
      next_attempt_at: null,
      last_status: 200,
      last_error: null,
    });
  });

  test("a refused message gets eleven more attempts over about a day, and is then given up", () => {
    const waits = Array.from({ length: 11 }, (_, attempts) => waitAfter(REFUSED, attempts) ?? 0);
    assert.deepEqual(waits.slice(0, 3), [5 * SECOND_MS, 30 * SECOND_MS, 120 * SECOND_MS]);
    const hours = waits.reduce((sum, wait) => sum + wait, 0) / HOUR_MS;
    assert.ok(hours > 22 && hours < 26, `${hours}`);
    const last = afterAttempt(REFUSED, 11, { nowMs: 0, random: () => 0.5 });
    assert.deepEqual([last.state, last.attempts, last.next_attempt_at], ["dead", 12, null]);
    const first = afterAttempt({ ...REFUSED, status: null, error: "timeout" }, 0, { nowMs: 0, random: () => 0.5 });
    assert.deepEqual([first.state, first.last_status, first.last_error], ["pending", null, "timeout"]);
  });

  test("each wait varies by a fifth", () => {
    assert.equal(waitAfter(REFUSED, 1, { random: 0 }), 24 * SECOND_MS);
    assert.equal(waitAfter(REFUSED, 1, { random: 1 }), 36 * SECOND_MS);
  });

  test("a receiver may ask for a longer wait, up to an hour, but not for a shorter one", () => {
    assert.equal(waitAfter({ ...REFUSED, retryAfterMs: 60 * SECOND_MS }, 0), 60 * SECOND_MS);
    assert.equal(waitAfter({ ...REFUSED, retryAfterMs: 5 * HOUR_MS }, 0), HOUR_MS);
    assert.equal(waitAfter({ ...REFUSED, retryAfterMs: SECOND_MS }, 0), 5 * SECOND_MS);
  });

  test("a 410 answer ends the attempts, and an ordered destination has shorter waits", () => {
    assert.equal(afterAttempt({ ...REFUSED, status: 410, gone: true }, 0, { nowMs: 0, random: () => 0 }).state, "dead");
    assert.equal(waitAfter(REFUSED, 10, { waitMsMax: 900 * SECOND_MS }), 900 * SECOND_MS);
  });
});

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe("with records", () => {
  let ground: Ground;
  let envelope: Envelope;
  let receiver: Server;
  let url: string;
  let jobs: Jobs;
  const received: Received[] = [];

  before(async () => {
    receiver = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      request.on("end", () => {
        received.push({ headers: request.headers, body });
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    ground = await openGround();
    ({ envelope } = await ground.node());
    jobs = createJobs({ schedule: new Schedule(ground.clock), ...ground, log: { warn: () => undefined }, pollMs: 20 });
  });
  after(async () => {
    await jobs.stop();
    await ground.close();
    receiver.close();
  });

  /** Encrypts a secret in the format that all versions have used. */
  const sealed = (table: string, id: string, version: number, secret: string): Uint8Array =>
    envelope.seal({ table, id, purpose: "webhook-secret", version }, Buffer.from(secret));

  const insertOld = (kind: string, key: string) => {
    const row = { id: `job_${key}`, kind, key, group_key: ORG_ID, payload: "null", due_at: 1, created_at: 1 };
    const unset = { owner: null, last_error: null, parked_at: null, ran_at: null, ran_ms: null };
    return { ...row, ...unset, fence: 0, attempts: 0, claims: 0 };
  };

  test("messages that an older version has queued are delivered, signed with their stored secrets", async () => {
    const [current, former] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)].map((b) => `whsec_${b.toString("base64")}`);
    assert.ok(current !== undefined && former !== undefined);
    const { metadata, clock } = ground;
    await metadata.write(async (tx) => {
      const text = { id: "query_1", org_id: ORG_ID, name: "q", description: "", sql: "select 1", parameters: "{}" };
      const by = { created_by: "user_1", created_at: 1, updated_by: "user_1", updated_at: 1 };
      const query = { ...text, project_id: null, place: "", parameter_names: "[]", revision: 1, ...by };
      await tx.insertInto("saved_query").values(query).execute();
      const alert = { id: "alert_1", org_id: ORG_ID, query_id: "query_1", name: "a", description: "", settings: "{}" };
      const secrets = {
        secret: sealed("alert", "alert_1", 2, current),
        secret_version: 2,
        previous_secret: sealed("alert", "alert_1", 1, former),
        previous_secret_until: clock.nowMs() + 1000,
      };
      const rest = { url, enabled: 1, ...by, revision: 1, progress: "{}", evaluations: 0, deliveries: 1 };
      await tx
        .insertInto("alert")
        .values({ ...alert, ...secrets, ...rest })
        .execute();
      const waits = { state: "pending", attempts: 1, created_at: 1, last_status: 500, last_error: null } as const;
      const times = { next_attempt_at: 2, last_attempt_at: 1 };
      const one = { id: "msg_1", alert_id: "alert_1", org_id: ORG_ID, seq: 1, type: "alert.firing", body: "one" };
      await tx
        .insertInto("alert_delivery")
        .values({ ...one, ...waits, ...times })
        .execute();
      const destination = { id: "dest_1", org_id: ORG_ID, name: "n", url, created_at: 1 };
      const secret = sealed("s3_destination", "dest_1", 1, current);
      await tx
        .insertInto("s3_destination")
        .values({ ...destination, secret })
        .execute();
      const two = { id: "msg_2", org_id: ORG_ID, destination_id: "dest_1", body: "two" };
      await tx
        .insertInto("s3_delivery")
        .values({ ...two, ...waits })
        .execute();
      const old = [insertOld("alert.deliver", "msg_1"), insertOld("s3.deliver", "msg_2")];
      await tx.insertInto("job").values(old).execute();
    });
    const outbound = createOutbound({ privateAddresses: true, clock, userAgent: "test" });
    const deps = { metadata, clock, envelope, outbound, random: Math.random };
    jobs.start([messageHandler(deps, "alert"), messageHandler(deps, "s3")]);
    const left = () => metadata.read.selectFrom("job").select("key").execute();
    for (const endMs = performance.now() + 10_000; (await left()).length > 0; assert.ok(performance.now() < endMs))
      await new Promise((resolve) => setTimeout(resolve, 5));
    const timestampS = Math.floor(clock.nowMs() / 1000);
    for (const [id, body, secrets] of [
      ["msg_1", "one", [current, former]],
      ["msg_2", "two", [current]],
    ] as const) {
      const message = received.find((each) => each.headers["webhook-id"] === id) ?? assert.fail(`${id} did not come`);
      assert.equal(message.body, body);
      const { "webhook-signature": signature } = signatureFields({ id, timestampS, body }, secrets);
      assert.equal(message.headers["webhook-signature"], signature);
    }
    const [delivery] = await metadata.read.selectFrom("alert_delivery").selectAll().execute();
    assert.deepEqual([delivery?.state, delivery?.attempts, delivery?.last_status], ["delivered", 2, 204]);
    assert.deepEqual(await metadata.read.selectFrom("s3_delivery").select("id").execute(), []);
  });

  test("after a rotation both secrets sign until the overlap ends; without an overlap only the new one signs", () => {
    const { clock } = ground;
    const deps = { envelope, clock };
    const place = { table: "webhook_destination", id: "dest_2" } as const;
    const none = { secret_version: 1, previous_secret: null, previous_secret_until: null };
    const row = { id: "dest_2", secret: sealSecret(envelope, place, "whsec_first"), ...none };
    const signs = (columns: typeof row, atMs: number) => signingSecrets(envelope, place.table, columns, atMs);
    const { secret, formerUntilMs, columns } = rotatedSecret(deps, place.table, row, 1000);
    assert.equal(formerUntilMs, clock.nowMs() + 1000);
    const changed = { ...row, ...columns } as typeof row;
    assert.deepEqual(signs(changed, clock.nowMs()), [secret, "whsec_first"]);
    assert.deepEqual(signs(changed, clock.nowMs() + 1000), [secret]);
    const again = rotatedSecret(deps, place.table, changed, 0);
    assert.deepEqual(signs({ ...row, ...again.columns } as typeof row, clock.nowMs()), [again.secret]);
    assert.throws(() => signingSecrets(envelope, "alert", row, 0), "a secret is bound to its table");
  });
});
