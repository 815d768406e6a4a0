import { BUCKET_ROUTES } from "@mooring/contract";
import { appPairs } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { putObject, WITH_BUCKETS } from "../testing/buckets.ts";

const askOf = (app: string) => ({ path: `/v1/buckets/${app}/versions?delimiter=/` });

testOperation(
  BUCKET_ROUTES.listObjectVersions,
  {
    ask: async (world) => {
      await putObject(world, "a/b");
      await putObject(world, "c");
      return askOf(world.acme.openApp.id);
    },
    hidden: (world) => appPairs(world, askOf),
  },
  WITH_BUCKETS,
);
