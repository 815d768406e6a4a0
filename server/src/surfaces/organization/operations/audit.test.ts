import assert from "node:assert/strict";
import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { listAudit } from "#domain/audit/index.ts";
import { boundToken, newProject, pair } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";
import type { Tenant, World } from "../testing/world.ts";

testOperation(ORGANIZATION_ROUTES.listAudit, {
  ask: () => ({ path: "/v1/audit?limit=5&action=project.&result=success&request_id=req_1" }),
  problems: {
    forbidden: async (world) => ({ path: "/v1/audit", token: await boundToken(world) }),
  },
});

async function newestOf(world: World, tenant: Tenant): Promise<string> {
  const { items } = await listAudit(world, tenant.id, {}, { limit: 1 });
  assert.ok(items[0] !== undefined);
  return items[0].id;
}

testOperation(ORGANIZATION_ROUTES.getAuditEntry, {
  ask: async (world) => {
    await newProject(world);
    return { path: `/v1/audit/${await newestOf(world, world.acme)}` };
  },
  hidden: async (world) => [pair(await newestOf(world, world.rival), (id) => ({ path: `/v1/audit/${id}` }))],
  problems: {
    forbidden: async (world) => ({
      path: `/v1/audit/${await newestOf(world, world.acme)}`,
      token: await boundToken(world),
    }),
  },
});

testOperation(ORGANIZATION_ROUTES.exportAudit, {
  ask: () => ({ path: "/v1/audit/export" }),
  problems: {
    forbidden: async (world) => ({
      path: "/v1/audit/export",
      token: await boundToken(world),
    }),
  },
});

testOperation(ORGANIZATION_ROUTES.verifyAudit, {
  ask: () => ({ path: "/v1/audit/verify" }),
  problems: {
    forbidden: async (world) => ({
      path: "/v1/audit/verify",
      token: await boundToken(world),
    }),
  },
});
