import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.listProjects, { ask: () => ({ path: "/v1/projects?limit=2" }) });
