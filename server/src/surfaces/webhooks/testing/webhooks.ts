import { trustedClock } from "#kernel/testing.ts";
import { SYSTEM } from "#domain/organizations/index.ts";
import { createWebhook, EventFeed, Receiver } from "#domain/webhooks/index.ts";
import { newId } from "#kernel/ids.ts";
import { systemClock } from "#kernel/time.ts";
import { Schedule, createJobs } from "#stores/jobs/index.ts";
import { openObjects, type ObjectStore } from "#stores/objects/index.ts";
import { createOutbound } from "#stores/outbound/index.ts";
import { boundToken, fresh, pair } from "../../organization/testing/requests.ts";
import type { Ask, Pair } from "../../organization/testing/suite.ts";
import type { Tenant, World, WorldOptions } from "../../organization/testing/world.ts";
import { createStreams, createWebhooksSurface } from "../index.ts";

/** Helpers for tests of webhooks: the world with this surface, and requests. */

const SETTINGS = { ratePerSecond: 1000, rateBurst: 1000, storedBytesMax: null, retentionDays: 30 };
export const ORIGIN = "https://hooks.example";

/** Nothing is forwarded, so that events stay as the test created them. */
export const WITH_WEBHOOKS: WorldOptions = { ...withWebhooks(() => undefined), isShared: true };

/** Returns options for that world, and gives its object store to `given`. */
export function withWebhooks(given: (objects: ObjectStore) => void): WorldOptions {
  return {
    surfaces: async ({ host, identity, metadata, dataDir, onClose }) => {
      const clock = systemClock;
      const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
      const objects = await openObjects({ dataDir, metadata, clock: trustedClock(clock), log });
      given(objects);
      const feed = new EventFeed();
      const jobs = createJobs({ schedule: new Schedule(clock), metadata, clock, log });
      const outbound = createOutbound({ privateAddresses: false, clock, userAgent: "Test" });
      const shared = { metadata, objects, envelope: identity.envelope, clock, jobs, outbound };
      const receiver = new Receiver({ schedule: new Schedule(clock), ...shared, feed, settings: SETTINGS, log });
      const streams = createStreams({ metadata, feed, log, organizationMax: 1 });
      onClose(async () => {
        streams.stop();
        await receiver.stop();
        await jobs.stop();
        await objects.close();
      });
      const rate = { perSecond: SETTINGS.ratePerSecond, burst: SETTINGS.rateBurst };
      const deps = {
        ...shared,
        trash: { days: 7 },
        host,
        receiver,
        feed,
        streams,
        webhooksUrl: ORIGIN,
        rate,
        retentionDays: 30,
      };
      return [createWebhooksSurface(deps)];
    },
  };
}

export const PATH = "/v1/webhooks";

export interface MadeWebhook {
  readonly id: string;
  /** Path of its address. */
  readonly hook: string;
}

/** Creates a webhook in the tenant's open project, or in a named project. */
export async function newWebhook(
  world: World,
  tenant: Tenant = world.acme,
  project: Pick<Tenant["open"], "id" | "org_id"> = tenant.open,
): Promise<MadeWebhook> {
  const deps = { metadata: world.metadata, clock: systemClock, envelope: world.identity.envelope };
  const { webhook, token } = await createWebhook(deps, SYSTEM, project, { name: fresh("webhook") });
  return { id: webhook.id, hook: `/hooks/${token}` };
}

/** Sends an event to a webhook. Returns its ID. */
export async function newEvent(world: World, webhook: MadeWebhook, body: unknown = { type: "test" }): Promise<string> {
  const answer = await world.call("POST", webhook.hook, { body });
  if (answer.status !== 202) throw new Error(answer.text);
  return String(answer.json["id"]);
}

export async function newDestination(world: World, webhookId: string, change: object = {}): Promise<string> {
  const body = { name: fresh("destination"), url: "https://receiver.example/hook", ...change };
  const token = await world.token();
  const answer = await world.call("POST", `${PATH}/${webhookId}/destinations`, { token, body });
  if (answer.status !== 201) throw new Error(answer.text);
  return String(answer.json["id"]);
}

export async function newConsumer(world: World, webhookId: string): Promise<string> {
  const name = fresh("consumer");
  const body = { name, from: "oldest" };
  const answer = await world.call("POST", `${PATH}/${webhookId}/consumers`, { token: await world.token(), body });
  if (answer.status !== 201) throw new Error(answer.text);
  return name;
}

/**
 * Returns hidden webhooks: one of another organization, one of a private project, and for a credential of a project one
 * of another project.
 */
export async function webhookPairs(world: World, askOf: (id: string) => Ask): Promise<Pair[]> {
  const absent = newId("hook", 1);
  const bound = await boundToken(world);
  const inside = await newWebhook(world, world.acme, world.acme.closed);
  return [
    pair((await newWebhook(world, world.rival)).id, askOf, absent),
    pair(inside.id, askOf, absent),
    pair(inside.id, (id) => ({ ...askOf(id), token: bound }), absent),
  ];
}
