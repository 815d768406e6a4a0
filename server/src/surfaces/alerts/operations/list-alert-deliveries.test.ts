import { ALERT_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { alertPairs, newAlert, PATH, WITH_ALERTS } from "../testing/alerts.ts";

testOperation(
  ALERT_ROUTES.listAlertDeliveries,
  {
    ask: async (world) => ({ path: `${PATH}/${await newAlert(world)}/deliveries?limit=10` }),
    hidden: (world) => alertPairs(world, (id) => ({ path: `${PATH}/${id}/deliveries?limit=10` })),
  },
  WITH_ALERTS,
);
