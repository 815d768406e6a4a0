import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { after, before, describe, test } from "node:test";
import { SYSTEM } from "#domain/organizations/index.ts";
import { createOutbound } from "#stores/outbound/index.ts";
import { createDestination, deleteDestination, getDestination, listDestinations } from "../index.ts";
import { fails } from "../testing/fails.ts";
import { newBucket, ORG_ID, openS3Ground, type S3Ground } from "../testing/ground.ts";
import type { Bucket, NotificationRule, S3Caller } from "../types/index.ts";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe("events of buckets", () => {
  let g: S3Ground;
  let caller: S3Caller;
  let receiver: Server;
  let url: string;
  let secret: string;
  let failures = 0;
  const received: Received[] = [];

  before(async () => {
    receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        if (failures-- > 0) return void response.writeHead(500).end();
        received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`;
    g = await openS3Ground();
    caller = await g.key();
    ({ secret } = await createDestination(g.deps, SYSTEM, ORG_ID, { name: "receiver", url }));
    g.s3.start();
  });
  after(async () => {
    await g.close();
    receiver.close();
  });

  const RULE: NotificationRule = {
    id: "all",
    kind: "queue",
    destinationArn: "arn:mooring:webhook:::receiver",
    events: ["s3:ObjectCreated:*", "s3:ObjectRemoved:Delete"],
  };
  const notify = (bucket: Bucket, ...value: NotificationRule[]): Promise<Bucket> =>
    g.s3.buckets.configure(caller, bucket, { kind: "notification", value });
  const awaitEvents = async (count: number): Promise<Received[]> => {
    const deadline = performance.now() + 60_000;
    while (received.length < count && performance.now() < deadline) {
      g.ground.clock.advance(1000);
      await delay(20);
    }
    assert.equal(received.length, count);
    return received.splice(0);
  };

  const noneLeft = async (): Promise<void> => {
    const deadline = performance.now() + 60_000;
    const left = () => g.ground.metadata.read.selectFrom("s3_delivery").select("id").execute();
    while ((await left()).length > 0 && performance.now() < deadline) await delay(20);
    assert.deepEqual(await left(), []);
  };

  test("an event of a rule is sent after the change, signed, in S3's form", async () => {
    const bucket = await notify(await newBucket(g, caller), { ...RULE, prefix: "in/", suffix: ".jpg" });
    await g.put(caller, bucket, "out/a.jpg");
    await g.put(caller, bucket, "in/a.png");
    const { etag } = await g.put(caller, bucket, "in/ä b.jpg", "12345");
    const [event] = await awaitEvents(1);
    const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signature } = event?.headers ?? {};
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    const expected = createHmac("sha256", key)
      .update(`${String(id)}.${String(time)}.${event?.body ?? ""}`)
      .digest("base64");
    assert.equal(signature, `v1,${expected}`);
    const { Records: records } = JSON.parse(event?.body ?? "") as { Records: Record<string, unknown>[] };
    assert.deepEqual([records.length, records[0]?.["eventName"]], [1, "ObjectCreated:Put"]);
    const { object, bucket: named } = (records[0] ?? {})["s3"] as {
      object: Record<string, unknown>;
      bucket: { name: string };
    };
    assert.deepEqual(
      [named.name, object["key"], object["size"], object["eTag"]],
      [bucket.name, "in/%C3%A4+b.jpg", 5, etag],
    );
  });

  test("a failed message is sent again, and a change that was rolled back sends none", async () => {
    const bucket = await notify(await newBucket(g, caller), RULE);
    failures = 2;
    await g.put(caller, bucket, "k");
    await fails("PreconditionFailed", g.put(caller, bucket, "k", "x", { conditions: { ifNoneMatch: "*" } }));
    await g.s3.objects.delete(caller, bucket, { key: "k" });
    const names = (await awaitEvents(2)).map(
      ({ body }) => (JSON.parse(body) as { Records: { eventName: string }[] }).Records[0]?.eventName,
    );
    assert.deepEqual(new Set(names), new Set(["ObjectCreated:Put", "ObjectRemoved:Delete"]));
    await noneLeft(); // Delivered messages are deleted.
  });

  test("a rule without an existing destination or event is refused", async () => {
    const bucket = await newBucket(g, caller);
    await fails("InvalidArgument", notify(bucket, { ...RULE, destinationArn: "arn:mooring:webhook:::nowhere" }));
    await fails("InvalidArgument", notify(bucket, { ...RULE, destinationArn: "arn:aws:sqs:us-east-1:1:queue" }));
    await fails("InvalidArgument", notify(bucket, { ...RULE, events: ["s3:Replication:*"] }));
    await fails("InvalidArgument", notify(bucket, RULE, RULE));
  });

  test("destinations are listed without their secrets, and can be deleted", async () => {
    const made = await createDestination(g.deps, SYSTEM, ORG_ID, { name: "second", url });
    const [first] = await listDestinations(g.deps, ORG_ID, { beforeId: undefined, limit: 1 });
    assert.equal(first?.name, "second");
    await assert.rejects(createDestination(g.deps, SYSTEM, ORG_ID, { name: "second", url }), { code: "conflict" });
    const strict = {
      ...g.deps,
      outbound: createOutbound({ privateAddresses: false, clock: g.deps.clock, userAgent: "test" }),
    };
    await assert.rejects(createDestination(strict, SYSTEM, ORG_ID, { name: "third", url }), { code: "invalid_body" });
    const bucket = await notify(await newBucket(g, caller), {
      ...RULE,
      destinationArn: "arn:mooring:webhook:::second",
    });
    await deleteDestination(g.deps, SYSTEM, ORG_ID, made.destination.id);
    await assert.rejects(getDestination(g.deps, ORG_ID, "second"), { code: "not_found" });
    await g.put(caller, bucket, "k"); // The rule sends no message.
    assert.deepEqual(await g.ground.metadata.read.selectFrom("s3_delivery").select("id").execute(), []);
  });
});
