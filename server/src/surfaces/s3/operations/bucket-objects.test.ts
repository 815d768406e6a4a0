import { describe } from "node:test";
import { BUCKET_ROUTES } from "@mooring/contract";
import { appPairs } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { putObject, WITH_BUCKETS } from "../testing/buckets.ts";

describe("getBucket", () => {
  const askOf = (app: string) => ({ path: `/v1/buckets/${app}` });

  testOperation(
    BUCKET_ROUTES.getBucket,
    {
      ask: async (world) => {
        await putObject(world, "a");
        return askOf(world.acme.openApp.id);
      },
      hidden: (world) => appPairs(world, askOf),
    },
    WITH_BUCKETS,
  );
});

describe("listObjects", () => {
  const askOf = (app: string) => ({ path: `/v1/buckets/${app}/objects?delimiter=/` });

  testOperation(
    BUCKET_ROUTES.listObjects,
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
});

describe("listObjectVersions", () => {
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
});

describe("getObject", () => {
  const askOf = (app: string) => ({ path: `/v1/buckets/${app}/object?key=a` });

  testOperation(
    BUCKET_ROUTES.getObject,
    {
      ask: async (world) => {
        await putObject(world, "a");
        return askOf(world.acme.openApp.id);
      },
      hidden: (world) => appPairs(world, askOf),
    },
    WITH_BUCKETS,
  );
});

describe("createObjectLink", () => {
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
});

describe("createObjectUpload", () => {
  const askOf = (app: string) => ({
    path: `/v1/buckets/${app}/uploads`,
    body: { key: "a", content_type: "text/plain" },
  });

  testOperation(
    BUCKET_ROUTES.createObjectUpload,
    {
      ask: (world) => askOf(world.acme.openApp.id),
      hidden: (world) => appPairs(world, askOf),
    },
    WITH_BUCKETS,
  );
});

describe("deleteObjects", () => {
  const askOf = (app: string) => ({ path: `/v1/buckets/${app}/delete`, body: { objects: [{ key: "a" }] } });

  testOperation(
    BUCKET_ROUTES.deleteObjects,
    {
      ask: async (world) => {
        await putObject(world, "a");
        return askOf(world.acme.openApp.id);
      },
      hidden: (world) => appPairs(world, askOf),
    },
    WITH_BUCKETS,
  );
});
