import { ALERT_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { alertPairs, newAlert, PATH, WITH_ALERTS } from "../testing/alerts.ts";

testOperation(
  ALERT_ROUTES.getAlert,
  {
    ask: async (world) => ({ path: `${PATH}/${await newAlert(world)}` }),
    hidden: (world) => alertPairs(world, (id) => ({ path: `${PATH}/${id}` })),
  },
  WITH_ALERTS,
);
