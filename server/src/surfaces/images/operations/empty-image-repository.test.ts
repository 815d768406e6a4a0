import { REGISTRY_API_ROUTES } from "@mooring/contract";
import { appPairs, newApp } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { pushImage, WITH_IMAGES } from "../testing/images.ts";

const path = (app: string): string => `/v1/registry/repositories/${app}`;

testOperation(
  REGISTRY_API_ROUTES.emptyImageRepository,
  {
    ask: async (world) => {
      await pushImage(world, world.acme.openApp, "v1");
      return { path: path(world.acme.openApp.id) };
    },
    hidden: (world) => appPairs(world, (name) => ({ path: path(name) })),
    problems: {
      conflict: async (world) => {
        const id = await newApp(world);
        const token = await world.token();
        const { slug } = (await world.call("GET", `/v1/apps/${id}`, { token })).json as { slug: string };
        await pushImage(world, { slug, project_id: world.acme.open.id }, "v1");
        await world.call("PATCH", path(id), { token, body: { immutable_tags: ["v*"] } });
        return { path: path(id) };
      },
    },
  },
  WITH_IMAGES,
);
