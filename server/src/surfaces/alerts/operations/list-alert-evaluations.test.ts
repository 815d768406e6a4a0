import { ALERT_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { alertPairs, newAlert, PATH, WITH_ALERTS } from "../testing/alerts.ts";

testOperation(
  ALERT_ROUTES.listAlertEvaluations,
  {
    ask: async (world) => ({ path: `${PATH}/${await newAlert(world)}/evaluations?limit=10` }),
    hidden: (world) => alertPairs(world, (id) => ({ path: `${PATH}/${id}/evaluations?limit=10` })),
  },
  WITH_ALERTS,
);
