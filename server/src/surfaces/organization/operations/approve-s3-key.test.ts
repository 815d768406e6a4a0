import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { newS3Key, pendingAt, s3KeyPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

const pathOf = (id: string): string => `/v1/s3/keys/${id}/approve`;

testOperation(ORGANIZATION_ROUTES.approveS3Key, {
  ask: async (world) => ({ path: pathOf(await pendingAt(world, "/v1/s3/keys")) }),
  hidden: (world) => s3KeyPairs(world, (name) => ({ path: pathOf(name) })),
  problems: { conflict: async (world) => ({ path: pathOf(await newS3Key(world)) }) },
});
