import { ALERT_ROUTES } from "@mooring/contract";
import { projectPairs } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { newSavedQuery } from "../../query/testing/saved.ts";
import { newAlert, PATH, WITH_ALERTS } from "../testing/alerts.ts";

testOperation(
  ALERT_ROUTES.listAlerts,
  {
    ask: async (world) => {
      await newAlert(world, { query_id: await newSavedQuery(world, { project: "open" }) });
      return { path: `${PATH}?limit=10&project=open` };
    },
    hidden: (world) => projectPairs(world, (name) => ({ path: `${PATH}?project=${name}` })),
  },
  WITH_ALERTS,
);
