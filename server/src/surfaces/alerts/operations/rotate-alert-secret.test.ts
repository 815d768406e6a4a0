import { ALERT_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { alertPairs, newAlert, PATH, WITH_ALERTS } from "../testing/alerts.ts";

testOperation(
  ALERT_ROUTES.rotateAlertSecret,
  {
    ask: async (world) => ({ path: `${PATH}/${await newAlert(world)}/rotate-secret`, body: { overlap_s: 60 } }),
    hidden: (world) => alertPairs(world, (id) => ({ path: `${PATH}/${id}/rotate-secret`, body: { overlap_s: 60 } })),
  },
  WITH_ALERTS,
);
