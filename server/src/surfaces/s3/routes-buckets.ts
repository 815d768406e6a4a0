import type { FastifyInstance } from "fastify";
import { BUCKET_ROUTES } from "@mooring/contract";
import { mountRoutes } from "#http/index.ts";
import { CONTENT_PATH, targetIn } from "./bucket-content.ts";
import type { BucketsSurfaceDeps } from "./deps.ts";
import * as bucketObjects from "./operations/bucket-objects.ts";

/** Every row of the contract, and the target of presigned URLs. */
export function mountBuckets(app: FastifyInstance, deps: BucketsSurfaceDeps): void {
  mountRoutes(app, deps, BUCKET_ROUTES, bucketObjects);
  // A separate context, because it must not parse the body.
  void app.register(async (scope) => mountContent(scope, deps));
}

/** Mounts the target of presigned URLs at this origin. It is not part of the documented API, so it has no row. */
function mountContent(app: FastifyInstance, { gateway }: BucketsSurfaceDeps): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
  app.route({
    method: "PUT",
    url: CONTENT_PATH,
    config: { operationId: "uploadObjectContent", streamsBody: true, surface: "s3" },
    handler: (request, reply) => {
      request.raw.url = targetIn(request.query as Record<string, unknown>);
      gateway.handle(request, reply);
    },
  });
}
