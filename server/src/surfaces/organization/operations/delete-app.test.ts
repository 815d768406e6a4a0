import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { appPairs, newApp } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.deleteApp, {
  ask: async (world) => ({ path: `/v1/apps/${await newApp(world)}` }),
  hidden: (world) => appPairs(world, (name) => ({ path: `/v1/apps/${name}` })),
  problems: {
    conflict: async (world) => {
      const app = await newApp(world);
      const upload = {
        id: "upl_1",
        bucket: app,
        org_id: world.acme.id,
        key: Buffer.from("a"),
        created_at: 1,
        owner: "",
      };
      const values = { ...upload, detail: "{}", completed_at: null, result: null };
      await world.metadata.write((tx) => tx.insertInto("s3_upload").values(values).execute());
      return { path: `/v1/apps/${app}` };
    },
  },
});
