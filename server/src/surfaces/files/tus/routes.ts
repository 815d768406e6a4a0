import type { Mounted } from "../content/exchange.ts";
import type { FilesSurfaceDeps } from "../deps.ts";
import { Active } from "./active.ts";
import { TUS_VERSION } from "./protocol.ts";
import { admitTus, append, create, describe, offset, terminate, TUS_PATH } from "./uploads.ts";
import { pageOrigins } from "#domain/files/index.ts";
import { HttpProblem, openToPages } from "#http/index.ts";

/** How to allow a page. */
export const ADVICE = "Add it to allowed_origins with PATCH /v1/files/settings.";
const METHODS = ["POST", "HEAD", "PATCH", "DELETE", "OPTIONS"];
const ALLOWED = "HEAD, PATCH, DELETE, OPTIONS";

/** Mounts resumable uploads by tus 1.0.0. That specification defines them, so they have no rows. */
export function mountTus(app: Mounted, filesDeps: FilesSurfaceDeps): void {
  const deps = { ...filesDeps, active: new Active() };
  const url = `${TUS_PATH}/:upload_id`;
  const onRequest = admitTus(deps);
  const handlers = { HEAD: offset(deps), PATCH: append(deps), DELETE: terminate(deps) };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
  openToPages(app, { host: deps.host, origins: pageOrigins(deps), methods: METHODS, advice: ADVICE });
  app.addHook("onRequest", async (_request, reply) => {
    void reply.headers({ "tus-resumable": TUS_VERSION, "cache-control": "no-store" });
  });
  const streamed = (operationId: string) => ({ config: { operationId, streamsBody: true }, onRequest });
  app.route({ method: "POST", url: TUS_PATH, ...streamed("createResumableUpload"), handler: create(deps) });
  app.route({ method: "HEAD", url, ...streamed("getResumableUpload"), handler: handlers.HEAD });
  app.route({ method: "PATCH", url, ...streamed("appendResumableUpload"), handler: handlers.PATCH });
  app.route({ method: "DELETE", url, ...streamed("deleteResumableUpload"), handler: handlers.DELETE });
  // The protocol requires this for clients that can send only GET and POST.
  app.route({
    method: "POST",
    url,
    ...streamed("overrideResumableUpload"),
    handler: async (request, reply) => {
      const name = String(request.headers["x-http-method-override"]).toUpperCase();
      if (name !== "PATCH" && name !== "DELETE" && name !== "HEAD")
        throw new HttpProblem("method_not_allowed", `This address takes ${ALLOWED}.`, { allow: ALLOWED });
      return handlers[name](request, reply);
    },
  });
  for (const path of [TUS_PATH, url])
    app.route({ method: "OPTIONS", url: path, config: { operationId: "describeUploads" }, handler: describe(deps) });
}
