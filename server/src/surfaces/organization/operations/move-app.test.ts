import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { appPairs, newApp, newProject, projectPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.moveApp, {
  ask: async (world) => ({ path: `/v1/apps/${await newApp(world)}/move`, body: { project: await newProject(world) } }),
  hidden: async (world) => {
    const app = await newApp(world);
    return [
      ...appPairs(world, (name) => ({ path: `/v1/apps/${name}/move`, body: { project: "open" } })),
      ...(await projectPairs(world, (project) => ({ path: `/v1/apps/${app}/move`, body: { project } }))),
    ];
  },
  problems: {
    conflict: async (world) => {
      const app = await newApp(world);
      const usage = { org_id: world.acme.id, bucket: app, shard: 0, objects: 1_000_001, bytes: 1, writes: 1 };
      await world.metadata.write((tx) => tx.insertInto("s3_usage").values(usage).execute());
      return { path: `/v1/apps/${app}/move`, body: { project: await newProject(world) } };
    },
  },
});
