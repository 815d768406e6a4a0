import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.getMe, { ask: () => ({ path: "/v1/me" }) });
