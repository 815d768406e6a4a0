import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { WEBHOOK_ROUTES } from "@mooring/contract";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { sharedWorld, type World } from "../../organization/testing/world.ts";
import { newDestination, newEvent, newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

describe("listWebhookEvents", () => {
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
    world = await sharedWorld(WITH_WEBHOOKS);
  });
  after(() => world.close());

  test("events are found by their verification, page after page", async () => {
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
});

testOperation(
  WEBHOOK_ROUTES.getWebhookEvent,
  {
    ask: async (world) => {
      const webhook = await newWebhook(world);
      return { path: `${PATH}/${webhook.id}/events/${await newEvent(world, webhook)}` };
    },
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/events/evt_0` })),
  },
  WITH_WEBHOOKS,
);

describe("getWebhookEventBody", () => {
  let world: World;
  before(async () => {
    world = await sharedWorld(WITH_WEBHOOKS);
  });
  after(() => world.close());

  test("returns the bytes unchanged, and never as a page", async () => {
    const webhook = await newWebhook(world);
    const path = `${PATH}/${webhook.id}/events/${await newEvent(world, webhook, { a: [1, "é"] })}/body`;
    const answer = await world.call("GET", path, { token: await world.token() });
    assert.equal(answer.text, '{"a":[1,"é"]}');
    assert.equal(answer.headers.get("content-type"), "application/octet-stream");
    assert.match(answer.headers.get("content-security-policy") ?? "", /sandbox/);
  });

  test("a large body, which is not in a row, is returned completely", async () => {
    const webhook = await newWebhook(world);
    const large = { text: "x".repeat(200_000) };
    const path = `${PATH}/${webhook.id}/events/${await newEvent(world, webhook, large)}`;
    const token = await world.token();
    assert.deepEqual((await world.call("GET", `${path}/body`, { token })).json, large);
    assert.deepEqual((await world.call("GET", path, { token })).json["json"], large);
  });

  test("is refused without the permission, with the text for an absent event", async () => {
    const webhook = await newWebhook(world, world.acme, world.acme.closed);
    const path = `${PATH}/${webhook.id}/events/${await newEvent(world, webhook)}/body`;
    assertProblem(await world.call("GET", path), "unauthorized");
    assertProblem(await world.call("GET", path, { token: await world.token() }), "not_found");
    const inside = { projectId: world.acme.closed.id };
    const blind = await world.token({ ...inside, scopes: ["webhooks:write"] });
    assertProblem(await world.call("GET", path, { token: blind }), "insufficient_scope");
    assert.equal((await world.call("GET", path, { token: await world.token(inside) })).status, 200);
  });
});

testOperation(
  WEBHOOK_ROUTES.pollWebhookEvents,
  {
    ask: async (world) => ({ path: `${PATH}/${(await newWebhook(world)).id}/poll?limit=5` }),
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/poll?limit=5` })),
  },
  WITH_WEBHOOKS,
);

describe("streamWebhookEvents", () => {
  /** tests/acceptance/webhooks.full.ts tests the content of a stream. */
  let world: World;
  before(async () => {
    world = await sharedWorld(WITH_WEBHOOKS);
  });
  after(() => world.close());

  test("is refused without the permission, and for another media type", async () => {
    const path = `${PATH}/${(await newWebhook(world)).id}/stream`;
    assertProblem(await world.call("GET", path), "unauthorized");
    const blind = await world.token({ scopes: ["webhooks:write"] });
    assertProblem(await world.call("GET", path, { token: blind }), "insufficient_scope");
    const token = await world.token();
    assertProblem(await world.call("GET", path, { token, headers: { accept: "text/html" } }), "not_acceptable");
    const bad = `${path}?last_event_id=nonsense`;
    assertProblem(await world.call("GET", bad, { token }), "invalid_parameter");
    const hidden = await newWebhook(world, world.acme, world.acme.closed);
    assertProblem(await world.call("GET", `${PATH}/${hidden.id}/stream`, { token }), "not_found");
  });
});

testOperation(
  WEBHOOK_ROUTES.replayWebhookEvent,
  {
    ask: async (world) => {
      const webhook = await newWebhook(world);
      await newDestination(world, webhook.id);
      return { path: `${PATH}/${webhook.id}/events/${await newEvent(world, webhook)}/replay`, body: {} };
    },
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/events/evt_0/replay`, body: {} })),
    problems: {
      conflict: async (world) => {
        const webhook = await newWebhook(world);
        return { path: `${PATH}/${webhook.id}/events/${await newEvent(world, webhook)}/replay`, body: {} };
      },
    },
  },
  WITH_WEBHOOKS,
);
