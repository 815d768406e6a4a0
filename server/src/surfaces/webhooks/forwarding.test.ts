import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { forwardingHandler } from "#domain/delivery/index.ts";
import { systemClock, type Clock } from "#kernel/time.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import { createOutbound, type OutboundOptions } from "#stores/outbound/index.ts";
import { createWorld, type World } from "../organization/testing/world.ts";
import { newDestination, newEvent, newWebhook, PATH, withWebhooks, type MadeWebhook } from "./testing/webhooks.ts";

const HOUR_MS = 3_600_000;
let world: World;
let objects: ObjectStore;

before(async () => {
  world = await createWorld(withWebhooks((given) => (objects = given)));
});
after(() => world.close());

function movable(): Clock & { advance(ms: number): void } {
  let aheadMs = 0;
  return { nowMs: () => systemClock.nowMs() + aheadMs, advance: (ms) => void (aheadMs += ms) };
}

/** Returns a destination. Its runs follow one after the other, as a node's jobs make them. */
async function destinationOf(webhook: MadeWebhook, options: Partial<OutboundOptions> & { clock: Clock }) {
  const { metadata, identity } = world;
  const { clock } = options;
  const id = await newDestination(world, webhook.id);
  const outbound = createOutbound({ privateAddresses: false, userAgent: "Test", ...options });
  const { envelope } = identity;
  const handler = forwardingHandler({ metadata, objects, envelope, clock, outbound, random: () => 0.5 });
  return {
    id,
    run: async (): Promise<void> => {
      const query = metadata.read.selectFrom("job").selectAll().where("key", "=", id);
      const { kind, key, fence } = await query.executeTakeFirstOrThrow();
      const job = { kind, key, fence, group: "", payload: null, dueAtMs: 0, attempts: 0 };
      const outcome = await handler.run({ ...job, signal: new AbortController().signal });
      await metadata.write(async (tx) => outcome.commit?.(tx));
    },
    row: () =>
      metadata.read.selectFrom("webhook_destination").selectAll().where("id", "=", id).executeTakeFirstOrThrow(),
    deliveries: () =>
      metadata.read.selectFrom("webhook_delivery").selectAll().where("destination_id", "=", id).execute(),
  };
}

async function closedPort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

test("a destination that accepts nothing for a day is stopped, and the audit log has that", async () => {
  const clock = movable();
  const webhook = await newWebhook(world);
  const destination = await destinationOf(webhook, { privateAddresses: true, clock });
  const url = `http://127.0.0.1:${await closedPort()}/`;
  await world.metadata.write((tx) =>
    tx.updateTable("webhook_destination").set({ url }).where("id", "=", destination.id).execute(),
  );
  await newEvent(world, webhook);
  await destination.run();
  const [delivery] = await destination.deliveries();
  assert.deepEqual([delivery?.state, delivery?.attempts], ["pending", 1]);
  assert.match(delivery?.last_error ?? "", /connection_failed: the destination can't be reached \(ECONNREFUSED\)/);
  clock.advance(23 * HOUR_MS);
  await destination.run();
  assert.equal((await destination.row()).state, "active");
  clock.advance(2 * HOUR_MS);
  await destination.run();
  const { state, reason } = await destination.row();
  assert.deepEqual([state, reason], ["stopped", "it has accepted nothing for a day"]);
  const { read } = world.metadata;
  const audit = read
    .selectFrom("audit")
    .select("action")
    .where("target_id", "=", destination.id)
    .orderBy("seq", "desc");
  assert.equal((await audit.executeTakeFirst())?.action, "webhook.destination.stop");
});

test("a name that leads to an internal address when an event is sent is refused then, though it was fine before", async () => {
  const answers = [["93.184.215.14", "10.0.0.1"], ["::ffff:127.0.0.1"], ["169.254.169.254"], ["fd00::1"]];
  for (const addresses of answers) {
    const webhook = await newWebhook(world);
    const resolve = (): Promise<string[]> => Promise.resolve(addresses);
    const destination = await destinationOf(webhook, { clock: systemClock, resolve });
    await newEvent(world, webhook);
    await destination.run();
    const [delivery] = await destination.deliveries();
    assert.match(delivery?.last_error ?? "", /^destination_refused: .* not public$/, addresses.join());
  }
});

/** Spellings of internal addresses. The parser of URLs normalizes each. */
const INSIDE = `
  127.0.0.1 127.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001
  0 127.0.0.1. ①②⑦.0.0.1 127。0。0。1 %31%32%37.0.0.1 10.0.0.1 172.31.255.255
  192.168.1.1 169.254.169.254 100.64.0.1 [::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1]
  [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b:1::1] [2002:7f00:1::] [fe80::1] [fd00::1]
  [ff02::1]
`;

test("no spelling of an internal address can be a destination", async () => {
  const { id } = await newWebhook(world);
  const token = await world.token();
  for (const host of INSIDE.trim().split(/\s+/)) {
    const body = { name: "inside", url: `https://${host}/` };
    const answer = await world.call("POST", `${PATH}/${id}/destinations`, { token, body });
    assert.equal(answer.status, 400, host);
    const [error] = answer.json["errors"] as { pointer: string; detail: string }[];
    assert.equal(error?.pointer, "/url", host);
    assert.match(error?.detail ?? "", /the destination resolves to an address that is not public/, host);
  }
});
