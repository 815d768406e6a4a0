import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { boundToken } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.listAudit, {
  ask: () => ({ path: "/v1/audit?limit=5&action=project.&result=success&request_id=req_1" }),
  problems: {
    forbidden: async (world) => ({ path: "/v1/audit", token: await boundToken(world) }),
  },
});
