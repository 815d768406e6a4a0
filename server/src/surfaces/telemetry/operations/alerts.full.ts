import { ALERT_ROUTES } from "@mooring/contract";
import { newId } from "#kernel/ids.ts";
import { projectPairs } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { newSavedQuery } from "../../query/testing/saved.ts";
import { alertBody, alertPairs, newAlert, PATH, WITH_ALERTS } from "../testing/alerts.ts";

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

testOperation(
  ALERT_ROUTES.createAlert,
  {
    ask: async (world) => ({ path: PATH, body: await alertBody(world) }),
    problems: {
      not_found: async (world) => ({ path: PATH, body: await alertBody(world, { query_id: newId("query", 1) }) }),
    },
  },
  WITH_ALERTS,
);

testOperation(
  ALERT_ROUTES.getAlert,
  {
    ask: async (world) => ({ path: `${PATH}/${await newAlert(world)}` }),
    hidden: (world) => alertPairs(world, (id) => ({ path: `${PATH}/${id}` })),
  },
  WITH_ALERTS,
);

const path = (id: string): string => `${PATH}/${id}`;

testOperation(
  ALERT_ROUTES.updateAlert,
  {
    ask: async (world) => ({
      path: path(await newAlert(world)),
      body: { name: "Other", every_s: 30, window_s: 90, url: "https://other.example/", for_evaluations: 2 },
    }),
    hidden: (world) => alertPairs(world, (id) => ({ path: path(id), body: { name: "x" } })),
  },
  WITH_ALERTS,
);

testOperation(
  ALERT_ROUTES.deleteAlert,
  {
    ask: async (world) => ({ path: `${PATH}/${await newAlert(world)}` }),
    hidden: (world) => alertPairs(world, (id) => ({ path: `${PATH}/${id}` })),
  },
  WITH_ALERTS,
);

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

testOperation(
  ALERT_ROUTES.rotateAlertSecret,
  {
    ask: async (world) => ({ path: `${PATH}/${await newAlert(world)}/rotate-secret`, body: { overlap_s: 60 } }),
    hidden: (world) => alertPairs(world, (id) => ({ path: `${PATH}/${id}/rotate-secret`, body: { overlap_s: 60 } })),
  },
  WITH_ALERTS,
);

testOperation(
  ALERT_ROUTES.listAlertDeliveries,
  {
    ask: async (world) => ({ path: `${PATH}/${await newAlert(world)}/deliveries?limit=10` }),
    hidden: (world) => alertPairs(world, (id) => ({ path: `${PATH}/${id}/deliveries?limit=10` })),
  },
  WITH_ALERTS,
);

testOperation(
  ALERT_ROUTES.listAlertEvaluations,
  {
    ask: async (world) => ({ path: `${PATH}/${await newAlert(world)}/evaluations?limit=10` }),
    hidden: (world) => alertPairs(world, (id) => ({ path: `${PATH}/${id}/evaluations?limit=10` })),
  },
  WITH_ALERTS,
);
