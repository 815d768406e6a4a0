import { BUCKET_ROUTES } from "@mooring/contract";
import { appPairs } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { WITH_BUCKETS } from "../testing/buckets.ts";

const askOf = (app: string) => ({ path: `/v1/buckets/${app}/uploads`, body: { key: "a", content_type: "text/plain" } });

testOperation(
  BUCKET_ROUTES.createObjectUpload,
  {
    ask: (world) => askOf(world.acme.openApp.id),
    hidden: (world) => appPairs(world, askOf),
  },
  WITH_BUCKETS,
);
