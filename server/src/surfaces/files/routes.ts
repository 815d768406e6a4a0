import type { FastifyInstance, FastifyReply } from "fastify";
import { FILE_ROUTES as rows } from "@mooring/contract";
import { CONTENT_PATH, pageOrigins } from "#domain/files/index.ts";
import { mountRoute, openToPages } from "#http/index.ts";
import { allowOtherOrigins, answerPreflight } from "./content/cors.ts";
import { admitDownload, download } from "./content/download.ts";
import { admitUpload, upload } from "./content/upload.ts";
import type { FilesSurfaceDeps } from "./deps.ts";
import { copyFile, deleteFile, getFileDownload, listFileNames, listFiles } from "./operations/files.ts";
import { createUpload, renewUpload } from "./operations/uploads.ts";
import { emptyTrash, listTrash, purgeFile, restoreFile } from "./operations/trash.ts";
import { getFileSettings, updateFileSettings } from "./operations/settings.ts";
import { listFileVersions } from "./operations/versions.ts";
import { mountTus } from "./tus/routes.ts";

/** Row → operation. The contract's row has the permission. */
export function mountFiles(app: FastifyInstance, deps: FilesSurfaceDeps): void {
  const { host } = deps;
  mountRoute(app, host, rows.listFiles, listFiles(deps));
  mountRoute(app, host, rows.getFileDownload, getFileDownload(deps));
  mountRoute(app, host, rows.deleteFile, deleteFile(deps));
  mountRoute(app, host, rows.listFileNames, listFileNames(deps));
  mountRoute(app, host, rows.listFileVersions, listFileVersions(deps));
  mountRoute(app, host, rows.copyFile, copyFile(deps));
  mountRoute(app, host, rows.listTrash, listTrash(deps));
  mountRoute(app, host, rows.restoreFile, restoreFile(deps));
  mountRoute(app, host, rows.purgeFile, purgeFile(deps));
  mountRoute(app, host, rows.emptyTrash, emptyTrash(deps));
  mountRoute(app, host, rows.getFileSettings, getFileSettings(deps));
  mountRoute(app, host, rows.updateFileSettings, updateFileSettings(deps));
  // A separate context, because it must not parse the body, and pages of other origins may read the answers.
  void app.register(async (scope) => mountContent(scope, deps));
  void app.register(async (scope) => mountUpload(scope, deps));
  void app.register(async (scope) => mountTus(scope, deps));
}

/** Mounts the request for an upload URL, which pages of allowed origins may send. */
function mountUpload(app: FastifyInstance, deps: FilesSurfaceDeps): void {
  const { host } = deps;
  const row = rows.createUpload;
  openToPages(app, { host, origins: pageOrigins(deps), methods: [row.method, "OPTIONS"] });
  mountRoute(app, host, row, createUpload(deps), { replayed: renewUpload(deps) });
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
