import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { WEBHOOK_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { newEvent, newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.listWebhookEvents,
  {
    ask: async (world) => ({ path: `${PATH}/${(await newWebhook(world)).id}/events` }),
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/events` })),
  },
  WITH_WEBHOOKS,
);

let world: World;
before(async () => {
  world = await createWorld(WITH_WEBHOOKS);
});
after(() => world.close());

test("events are found by how they were verified, page after page", async () => {
  const webhook = await newWebhook(world);
  const token = await world.token();
  const path = `${PATH}/${webhook.id}`;
  const taken = async (headers = {}): Promise<string> => {
    const { status, json } = await world.call("POST", webhook.hook, { body: {}, headers });
    assert.equal(status, 202);
    return String(json["id"]);
  };
  const before = [await newEvent(world, webhook), await newEvent(world, webhook)];
  const body = { verification: { scheme: "gitlab" }, secret: "a secret of the sender" };
  assert.equal((await world.call("PATCH", path, { token, body })).status, 200);
  const gitlab = [await taken({ "x-gitlab-token": body.secret }), await taken({ "x-gitlab-token": body.secret })];

  const found = async (verified: string): Promise<unknown[]> => {
    const ids = [];
    let cursor: unknown = "";
    do {
      const from = cursor === "" ? "" : `&cursor=${String(cursor)}`;
      const { json } = await world.call("GET", `${path}/events?limit=1&verified=${verified}${from}`, { token });
      ids.push(...(json["items"] as { id: string }[]).map(({ id }) => id));
      cursor = json["next_cursor"];
    } while (cursor !== null);
    return ids;
  };
  assert.deepEqual(await found("yes"), gitlab.toReversed());
  assert.deepEqual(await found("gitlab"), gitlab.toReversed());
  assert.deepEqual(await found("no"), before.toReversed());
  assert.deepEqual(await found("stripe"), []);
  for (const wrong of ["none", "perhaps", ""])
    assert.equal((await world.call("GET", `${path}/events?verified=${wrong}`, { token })).status, 400, wrong);
});
