import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { appPairs, fresh, newApp, newProject, projectPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.listApps, {
  ask: () => ({ path: "/v1/apps?project=open" }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/apps?project=${name}` })),
});

testOperation(ORGANIZATION_ROUTES.createApp, {
  ask: () => ({ path: "/v1/apps", body: { project: "open", slug: fresh("made-app") } }),
  hidden: (world) => projectPairs(world, (name) => ({ path: "/v1/apps", body: { project: name, slug: fresh("app") } })),
  problems: { duplicate_slug: async () => ({ path: "/v1/apps", body: { project: "open", slug: "acme-closed" } }) },
});

testOperation(ORGANIZATION_ROUTES.getApp, {
  ask: (world) => ({ path: `/v1/apps/${world.acme.openApp.id}` }),
  hidden: (world) => appPairs(world, (name) => ({ path: `/v1/apps/${name}` })),
});

testOperation(ORGANIZATION_ROUTES.updateApp, {
  ask: () => ({ path: "/v1/apps/acme-open", body: { name: "Open app" } }),
  hidden: (world) => appPairs(world, (name) => ({ path: `/v1/apps/${name}`, body: { name: "x" } })),
});

testOperation(ORGANIZATION_ROUTES.moveApp, {
  ask: async (world) => ({ path: `/v1/apps/${await newApp(world)}/move`, body: { project: await newProject(world) } }),
  hidden: async (world) => {
    const app = await newApp(world);
    return [
      ...(await appPairs(world, (name) => ({ path: `/v1/apps/${name}/move`, body: { project: "open" } }))),
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

testOperation(ORGANIZATION_ROUTES.deleteApp, {
  ask: async (world) => ({ path: `/v1/apps/${await newApp(world)}` }),
  hidden: (world) => appPairs(world, (name) => ({ path: `/v1/apps/${name}` })),
  problems: {
    conflict: async (world) => {
      // A bucket with an object lock is not deleted as a whole.
      const app = await newApp(world);
      const blob = {
        id: fresh("blob"),
        org_id: world.acme.id,
        place: "inline",
        store_id: "",
        state: "live",
        size: 1,
        refs: 1,
        idle_since: null,
        digests: "{}",
        created_at: 1,
      } as const;
      const object = {
        bucket: app,
        key: Buffer.from("a"),
        seq: 1,
        version_id: "null",
        org_id: world.acme.id,
        size: 1,
        etag: "e",
        modified_at: 1,
        owner: "",
        tags: "",
        detail: "{}",
        parts: null,
        blob_id: blob.id,
      };
      const bucket = {
        id: app,
        org_id: world.acme.id,
        versioning: "enabled",
        config: '{"objectLock":{}}',
        revision: 1,
      };
      const upload = { id: fresh("upl"), bucket: app, org_id: world.acme.id, key: Buffer.from("a"), created_at: 1 };
      const open = { ...upload, owner: "", detail: "{}", completed_at: null, result: null };
      await world.metadata.write(async (tx) => {
        await tx.insertInto("blob").values(blob).execute();
        await tx.insertInto("s3_object").values(object).execute();
        await tx
          .insertInto("s3_bucket")
          .values(bucket as never)
          .execute();
        await tx.insertInto("s3_upload").values(open).execute();
      });
      return { path: `/v1/apps/${app}` };
    },
  },
});
