import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { WEBHOOK_ROUTES } from "@mooring/contract";
import { createProject, setDeletionLock, SYSTEM } from "#domain/organizations/index.ts";
import { fresh, projectPairs } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { sharedWorld, type World } from "../../organization/testing/world.ts";
import { newWebhook, PATH, webhookPairs, WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.listWebhooks,
  {
    ask: async (world) => {
      await newWebhook(world);
      return { path: PATH };
    },
    hidden: (world) => projectPairs(world, (project) => ({ path: `${PATH}?project=${project}` })),
  },
  WITH_WEBHOOKS,
);

testOperation(
  WEBHOOK_ROUTES.createWebhook,
  {
    ask: (world) => ({ path: PATH, body: { name: "orders", project: world.acme.open.id } }),
    hidden: (world) => projectPairs(world, (project) => ({ path: PATH, body: { name: "orders", project } })),
  },
  WITH_WEBHOOKS,
);

testOperation(
  WEBHOOK_ROUTES.getWebhook,
  {
    ask: async (world) => ({ path: `${PATH}/${(await newWebhook(world)).id}` }),
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}` })),
  },
  WITH_WEBHOOKS,
);

testOperation(
  WEBHOOK_ROUTES.updateWebhook,
  {
    ask: async (world) => ({ path: `${PATH}/${(await newWebhook(world)).id}`, body: { name: "Other" } }),
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}`, body: { name: "Other" } })),
  },
  WITH_WEBHOOKS,
);

testOperation(
  WEBHOOK_ROUTES.deleteWebhook,
  {
    ask: async (world) => ({ path: `${PATH}/${(await newWebhook(world)).id}` }),
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}` })),
    problems: {
      conflict: async (world) => {
        const deps = { metadata: world.metadata, clock: world.clock };
        const input = { slug: fresh("locked"), environment: "production" };
        const project = await createProject(deps, SYSTEM, world.acme.id, input);
        const { id } = await newWebhook(world, world.acme, project);
        await setDeletionLock(deps, SYSTEM, project, true);
        return { path: `${PATH}/${id}` };
      },
    },
  },
  WITH_WEBHOOKS,
);

testOperation(
  WEBHOOK_ROUTES.rotateWebhookUrl,
  {
    ask: async (world) => ({ path: `${PATH}/${(await newWebhook(world)).id}/rotate-url`, body: { grace_s: 3600 } }),
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/rotate-url`, body: { grace_s: 3600 } })),
  },
  WITH_WEBHOOKS,
);

describe("the replaced address", () => {
  let world: World;
  before(async () => (world = await sharedWorld(WITH_WEBHOOKS)));
  after(() => world.close());

  for (const [what, body, status] of [
    ["ends at once without a grace period", {}, 404],
    ["works until the end of its grace period", { grace_s: 60 }, 202],
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

testOperation(
  WEBHOOK_ROUTES.revealWebhookUrl,
  {
    ask: async (world) => ({ path: `${PATH}/${(await newWebhook(world)).id}/reveal-url` }),
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/reveal-url` })),
  },
  WITH_WEBHOOKS,
);

testOperation(
  WEBHOOK_ROUTES.rotateWebhookSecret,
  {
    ask: async (world) => {
      const { id } = await newWebhook(world);
      const body = { verification: { scheme: "github" }, secret: "the one before" };
      await world.call("PATCH", `${PATH}/${id}`, { token: await world.token(), body });
      return { path: `${PATH}/${id}/rotate-secret`, body: { overlap_s: 60 } };
    },
    hidden: (world) =>
      webhookPairs(world, (id) => ({
        path: `${PATH}/${id}/rotate-secret`,
        body: { overlap_s: 60 },
      })),
  },
  WITH_WEBHOOKS,
);

testOperation(
  WEBHOOK_ROUTES.listWebhookRejections,
  {
    ask: async (world) => ({ path: `${PATH}/${(await newWebhook(world)).id}/rejections` }),
    hidden: (world) => webhookPairs(world, (id) => ({ path: `${PATH}/${id}/rejections` })),
  },
  WITH_WEBHOOKS,
);
