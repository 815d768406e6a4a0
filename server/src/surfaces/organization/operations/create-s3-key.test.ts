import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { projectPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.createS3Key, {
  ask: () => ({ path: "/v1/s3/keys", body: { name: "made", buckets: ["shop"], prefix: "a/", read_only: true } }),
  hidden: (world) => projectPairs(world, (name) => ({ path: "/v1/s3/keys", body: { name: "x", project: name } })),
  problems: {
    forbidden: async (world) => {
      const strict = await world.tenant("strict");
      const owner = world.person(strict, strict.people.owner);
      const policy = { allowed_scopes: ["s3:read"] };
      await world.call("PATCH", "/v1/organization", { token: owner, body: { policy } });
      return { path: "/v1/s3/keys", body: { name: "x", scopes: ["s3:write"] }, token: owner };
    },
  },
});
