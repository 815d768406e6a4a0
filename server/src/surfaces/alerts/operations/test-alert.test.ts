import { ALERT_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { alertPairs, newAlert, PATH, WITH_ALERTS } from "../testing/alerts.ts";

testOperation(
  ALERT_ROUTES.testAlert,
  {
    ask: async (world) => ({ path: `${PATH}/${await newAlert(world)}/test` }),
    hidden: (world) => alertPairs(world, (id) => ({ path: `${PATH}/${id}/test` })),
    problems: {
      conflict: async (world) => {
        const path = `${PATH}/${await newAlert(world)}/test`;
        const token = await world.token();
        for (let i = 0; i < 20; i++) await world.call("POST", path, { token });
        return { path };
      },
    },
  },
  WITH_ALERTS,
);
