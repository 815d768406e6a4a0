import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { WEBHOOK_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.rotateWebhookUrl,
  {
    ask: async (world) => ({ path: `${PATH}/${(await newWebhook(world)).id}/rotate-url`, body: { grace_s: 3600 } }),
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/rotate-url`, body: { grace_s: 3600 } })),
  },
  WITH_WEBHOOKS,
);

describe("the address that is replaced", () => {
  let world: World;
  before(async () => (world = await createWorld(WITH_WEBHOOKS)));
  after(() => world.close());

  for (const [what, body, status] of [
    ["ends at once unless a grace is asked for", {}, 404],
    ["goes on for the grace that is asked for", { grace_s: 60 }, 202],
  ] as const) {
    test(what, async () => {
      const { id, hook } = await newWebhook(world);
      const send = async (path: string): Promise<number> => (await world.call("POST", path, { body: { a: 1 } })).status;
      assert.equal(await send(hook), 202);
      const answer = await world.call("POST", `${PATH}/${id}/rotate-url`, { token: await world.token(), body });
      assert.equal(answer.status, 201, answer.text);
      assert.deepEqual(
        [await send(hook), await send(new URL(String(answer.json["webhook_url"])).pathname)],
        [status, 202],
      );
    });
  }
});
