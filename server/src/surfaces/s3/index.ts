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

/** S3's API on a separate listener: buckets have every path of it. */
export function createS3Surface(gateway: S3Gateway): Surface {
  return {
    name: "s3",
    takesAll: true,
    errors: { covers: () => true, methodsOf: () => [], send: refuse, render: renderError },
    mount: (app) => {
      app.route({
        method: app.supportedMethods,
        url: "/",
        // Not the handler: the framework judges the fields of a body before it.
        onRequest: (request, reply, _done) => gateway.handle(request, reply),
        handler: () => undefined,
      });
    },
  };
}

/** What the gateway did not get to answer itself. */
function refuse(request: Request, reply: Reply, error: unknown): Reply {
  clearHead(reply);
  return sendError(request, reply, error);
}

/** The objects of buckets as people see them, as JSON; content goes by the gateway. */
export function createBucketsSurface(deps: BucketsSurfaceDeps): Surface {
  return { name: "buckets", mount: (app) => mountBuckets(app, deps) };
}
