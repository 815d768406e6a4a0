import { TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { boundToken } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { withTelemetry } from "../testing/surface.ts";

const path = "/v1/telemetry/settings";

testOperation(
  TELEMETRY_SETTINGS_ROUTES.getTelemetrySettings,
  { ask: () => ({ path }), problems: { forbidden: async (world) => ({ path, token: await boundToken(world) }) } },
  withTelemetry(),
);
