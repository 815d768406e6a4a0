import { REGISTRY_API_ROUTES } from "@mooring/contract";
import { appPairs } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { WITH_IMAGES } from "../testing/images.ts";

const path = (app: string): string => `/v1/registry/repositories/${app}`;
const retention = { keep_last: 10, keep_days: null, keep_tags: ["v*"], untagged_days: 7 };
const body = { public: true, immutable_tags: ["v*", "release-*"], retention };

testOperation(
  REGISTRY_API_ROUTES.updateImageRepository,
  {
    ask: (world) => ({ path: path(world.acme.openApp.id), body }),
    hidden: (world) => appPairs(world, (name) => ({ path: path(name), body })),
  },
  WITH_IMAGES,
);
