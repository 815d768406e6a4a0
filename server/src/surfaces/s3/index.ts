import type { Surface } from "#http/index.ts";
import type { BucketsSurfaceDeps } from "./deps.ts";
import { clearHead, renderError, sendError } from "./errors.ts";
import type { S3Gateway } from "./gateway.ts";
import { mountBuckets } from "./routes-buckets.ts";
import type { Reply, Request } from "./wire/request.ts";

export { presignedTarget, type Presigning } from "./auth/presign.ts";
export { createDocumentReader, type DocumentReader } from "./wire/documents.ts";
export type { GatewayLink } from "./deps.ts";
export { ROWS as S3_ROUTES } from "./routes.ts";
export { createS3Gateway, type S3Gateway } from "./gateway.ts";

/** S3's API on a separate listener, where every path belongs to a bucket. */
export function createS3Surface(gateway: S3Gateway): Surface {
  return {
    name: "s3",
    takesAll: true,
    errors: { covers: () => true, methodsOf: () => [], send: refuse, render: renderError },
    mount: (app) => {
      app.route({
        method: app.supportedMethods,
        url: "/",
        // Runs before the framework's handler, because the framework checks the header fields of a body before that.
        onRequest: (request, reply, _done) => gateway.handle(request, reply),
        handler: () => undefined,
      });
    },
  };
}

/** Answers requests that fail before the gateway gets them. */
function refuse(request: Request, reply: Reply, error: unknown): Reply {
  clearHead(reply);
  return sendError(request, reply, error);
}

/** The JSON API for people over the objects of buckets. Content goes through the gateway. */
export function createBucketsSurface(deps: BucketsSurfaceDeps): Surface {
  return { name: "buckets", mount: (app) => mountBuckets(app, deps) };
}
