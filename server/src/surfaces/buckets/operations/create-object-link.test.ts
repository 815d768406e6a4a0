import { BUCKET_ROUTES } from "@mooring/contract";
import { appPairs } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { putObject, WITH_BUCKETS } from "../testing/buckets.ts";

const askOf = (app: string) => ({ path: `/v1/buckets/${app}/links`, body: { key: "a" } });

testOperation(
  BUCKET_ROUTES.createObjectLink,
  {
    ask: async (world) => {
      await putObject(world, "a");
      return askOf(world.acme.openApp.id);
    },
    hidden: (world) => appPairs(world, askOf),
  },
  WITH_BUCKETS,
);
