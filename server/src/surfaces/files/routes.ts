import type { FastifyInstance, FastifyReply } from "fastify";
import { FILE_ROUTES } from "@mooring/contract";
import { CONTENT_PATH, pageOrigins } from "#domain/files/index.ts";
import { mountRoute, mountRoutes, openToPages } from "#http/index.ts";
import { allowOtherOrigins, answerPreflight } from "./content/cors.ts";
import { admitDownload, download } from "./content/download.ts";
import { admitUpload, upload } from "./content/upload.ts";
import type { FilesSurfaceDeps } from "./deps.ts";
import * as files from "./operations/files.ts";
import { createUpload, renewUpload } from "./operations/uploads.ts";
import * as trash from "./operations/trash.ts";
import * as settings from "./operations/settings.ts";
import * as versions from "./operations/versions.ts";
import { ADVICE, mountTus } from "./tus/routes.ts";

/** Every row of the contract, and content at presigned URLs. */
export function mountFiles(app: FastifyInstance, deps: FilesSurfaceDeps): void {
  const { createUpload: _, ...rows } = FILE_ROUTES;
  mountRoutes(app, deps, rows, { ...files, ...trash, ...settings, ...versions });
  // A separate context, because it must not parse the body, and pages of other origins may read the answers.
  void app.register(async (scope) => mountContent(scope, deps));
  void app.register(async (scope) => mountUpload(scope, deps));
  void app.register(async (scope) => mountTus(scope, deps));
}

/** Mounts the request for an upload URL, which pages of allowed origins may send. */
function mountUpload(app: FastifyInstance, deps: FilesSurfaceDeps): void {
  const { host } = deps;
  const row = FILE_ROUTES.createUpload;
  openToPages(app, { host, origins: pageOrigins(deps), methods: [row.method, "OPTIONS"], advice: ADVICE });
  mountRoute(app, host, row, (input, context) => createUpload(deps, input, context), { replayed: renewUpload(deps) });
  const handler = (_request: unknown, reply: FastifyReply) => reply.code(204).header("allow", "OPTIONS, POST").send();
  app.route({ method: "OPTIONS", url: row.path, config: { operationId: "preflightUpload" }, handler });
}

/** Mounts the targets of presigned URLs. They are not part of the documented API, so they have no row. */
function mountContent(app: FastifyInstance, deps: FilesSurfaceDeps): void {
  const url = `${CONTENT_PATH}/:file_id`;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
  app.addHook("onRequest", allowOtherOrigins);
  app.route({
    method: "PUT",
    url,
    config: { operationId: "uploadContent", streamsBody: true },
    onRequest: admitUpload(deps),
    handler: upload(deps),
  });
  app.route({
    method: ["GET", "HEAD"],
    url,
    config: { operationId: "downloadContent" },
    onRequest: admitDownload(deps),
    handler: download(deps),
  });
  app.route({ method: "OPTIONS", url, config: { operationId: "preflightContent" }, handler: answerPreflight });
}
