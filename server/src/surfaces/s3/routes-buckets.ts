import type { FastifyInstance } from "fastify";
import { BUCKET_ROUTES as rows } from "@mooring/contract";
import { mountRoute } from "#http/index.ts";
import { CONTENT_PATH, targetIn } from "./bucket-content.ts";
import type { BucketsSurfaceDeps } from "./deps.ts";
import {
  createObjectLink,
  createObjectUpload,
  deleteObjects,
  getBucket,
  getObject,
  listObjects,
  listObjectVersions,
} from "./operations/bucket-objects.ts";

/** Row → operation. The contract's row has method, path and permission. */
export function mountBuckets(app: FastifyInstance, deps: BucketsSurfaceDeps): void {
  const { host } = deps;
  mountRoute(app, host, rows.getBucket, getBucket(deps));
  mountRoute(app, host, rows.listObjects, listObjects(deps));
  mountRoute(app, host, rows.listObjectVersions, listObjectVersions(deps));
  mountRoute(app, host, rows.getObject, getObject(deps));
  mountRoute(app, host, rows.createObjectLink, createObjectLink(deps));
  mountRoute(app, host, rows.createObjectUpload, createObjectUpload(deps));
  mountRoute(app, host, rows.deleteObjects, deleteObjects(deps));
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
