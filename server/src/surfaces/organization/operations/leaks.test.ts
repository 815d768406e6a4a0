import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { newSecret } from "#kernel/secrets.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.findLeak, {
  ask: () => ({ path: "/v1/leaks/find", body: { secret: newSecret("mrcs") } }),
});
