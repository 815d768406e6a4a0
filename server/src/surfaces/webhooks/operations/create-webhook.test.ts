import { WEBHOOK_ROUTES } from "@mooring/contract";
import { newId } from "#kernel/ids.ts";
import { WEBHOOKS_MAX } from "#kernel/limits.ts";
import { fresh } from "../../organization/testing/requests.ts";
import { projectPairs } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import type { World } from "../../organization/testing/world.ts";
import { PATH, WITH_WEBHOOKS } from "../testing/webhooks.ts";

testOperation(
  WEBHOOK_ROUTES.createWebhook,
  {
    ask: (world) => ({ path: PATH, body: { name: "orders", project: world.acme.open.id } }),
    hidden: (world) => projectPairs(world, (project) => ({ path: PATH, body: { name: "orders", project } })),
    problems: {
      conflict: async (world) => {
        const tenant = await world.tenant(fresh("full"));
        await fill(world, tenant.id, tenant.open.id);
        const token = await world.token({ tenant });
        return { path: PATH, body: { name: "one too many", project: tenant.open.id }, token };
      },
    },
  },
  WITH_WEBHOOKS,
);

/** Straight into the records: as many as there may be. */
async function fill(world: World, orgId: string, projectId: string): Promise<void> {
  const row = {
    org_id: orgId,
    project_id: projectId,
    name: "x",
    paused: 0,
    settings: "{}",
    secrets: null,
    secrets_version: 1,
    retention_days: null,
    created_by: "system",
    created_at: 1,
    updated_at: 1,
    revision: 1,
    deleted_at: null,
  };
  const rows = Array.from({ length: WEBHOOKS_MAX }, (_, i) => ({ ...row, id: newId("hook", i) }));
  await world.metadata.write(async (tx) => {
    for (let at = 0; at < rows.length; at += 250) {
      await tx
        .insertInto("webhook")
        .values(rows.slice(at, at + 250))
        .execute();
    }
  });
}
