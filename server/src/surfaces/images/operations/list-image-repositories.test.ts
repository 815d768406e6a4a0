import { REGISTRY_API_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { WITH_IMAGES } from "../testing/images.ts";

testOperation(
  REGISTRY_API_ROUTES.listImageRepositories,
  { ask: () => ({ path: "/v1/registry/repositories" }) },
  WITH_IMAGES,
);
