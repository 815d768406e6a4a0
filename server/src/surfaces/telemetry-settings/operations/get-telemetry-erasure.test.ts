import { TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { boundToken, pair } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import type { Tenant, World } from "../../organization/testing/world.ts";
import { withTelemetry } from "../testing/surface.ts";

const pathOf = (id: string): string => `/v1/telemetry/erasures/${id}`;

async function newErasure(world: World, tenant: Tenant): Promise<string> {
  const body = { types: ["logs"], match: { service: "shop" } };
  const token = await world.token({ tenant });
  return (await world.call("POST", "/v1/telemetry/erasures", { token, body })).json["id"] as string;
}

testOperation(
  TELEMETRY_SETTINGS_ROUTES.getTelemetryErasure,
  {
    ask: async (world) => ({ path: pathOf(await newErasure(world, world.acme)) }),
    hidden: async (world) => [pair(await newErasure(world, world.rival), (id) => ({ path: pathOf(id) }))],
    problems: {
      forbidden: async (world) => ({
        path: pathOf(await newErasure(world, world.acme)),
        token: await boundToken(world),
      }),
    },
  },
  withTelemetry(),
);
