import { REGISTRY_API_ROUTES } from "@mooring/contract";
import { appPairs } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { pushImage, WITH_IMAGES } from "../testing/images.ts";

const path = (app: string): string => `/v1/registry/repositories/${app}/tags`;

testOperation(
  REGISTRY_API_ROUTES.listImageTags,
  {
    ask: async (world) => {
      await pushImage(world, world.acme.openApp, "v1");
      return { path: path(world.acme.openApp.id) };
    },
    hidden: (world) => appPairs(world, (name) => ({ path: path(name) })),
  },
  WITH_IMAGES,
);
