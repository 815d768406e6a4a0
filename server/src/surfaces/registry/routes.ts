import { REGISTRY_API_ROUTES } from "@mooring/contract";
import type { FastifyInstance } from "fastify";
import { RegistryError, UploadMoved, type Action } from "#domain/registry/index.ts";
import { mountRoutes } from "#http/index.ts";
import { readFor } from "#kernel/read-for.ts";
import { noteImage } from "./access.ts";
import { admit, admitToCatalog } from "./admission.ts";
import type { ImagesSurfaceDeps, RegistrySurfaceDeps } from "./deps.ts";
import { API_VERSION, sendError } from "./errors.ts";
import type { Mounted, Reply, Request } from "./exchange.ts";
import type { Exchange, RegistryOperation } from "./model.ts";
import { base } from "./operations/base.ts";
import { deleteBlob, getBlob, headBlob } from "./operations/blob.ts";
import { listCatalog } from "./operations/catalog.ts";
import * as imageRepositories from "./operations/image-repositories.ts";
import * as images from "./operations/images.ts";
import { deleteManifest, getManifest, headManifest, putManifest } from "./operations/manifest.ts";
import { listReferrers } from "./operations/referrers.ts";
import { listTags } from "./operations/tags.ts";
import { getToken, postToken, queryOf } from "./operations/token.ts";
import { deleteUpload, getUpload, patchUpload, placed, putUpload, startUpload } from "./operations/upload.ts";
import { parseTarget, TOKEN_PATH, type Target, type TargetKind } from "./wire/target.ts";
import { RegistryRefusal } from "./refusal.ts";

/** The methods of a path with a repository's name in it. */
interface Row {
  readonly kind: TargetKind;
  readonly method: string;
  readonly action: Action;
  readonly run: RegistryOperation;
}

type Named = Extract<Target, { name: string }>;

const row = <K extends Named["kind"]>(method: string, kind: K, action: Action, run: RegistryOperation<K>): Row => ({
  kind,
  method,
  action,
  run: run as unknown as RegistryOperation,
});

/**
 * The "Endpoints" of the distribution specification, each with its permission. To cancel an upload needs the permission
 * to push.
 */
export const REGISTRY_ROUTES: readonly Row[] = [
  row("HEAD", "blob", "pull", headBlob),
  row("GET", "blob", "pull", getBlob),
  row("DELETE", "blob", "delete", deleteBlob),
  row("POST", "uploads", "push", startUpload),
  row("GET", "upload", "push", getUpload),
  row("PATCH", "upload", "push", patchUpload),
  row("PUT", "upload", "push", putUpload),
  row("DELETE", "upload", "push", deleteUpload),
  row("HEAD", "manifest", "pull", headManifest),
  row("GET", "manifest", "pull", getManifest),
  row("PUT", "manifest", "push", putManifest),
  row("DELETE", "manifest", "delete", deleteManifest),
  row("GET", "tags", "pull", listTags),
  row("GET", "referrers", "pull", listReferrers),
];

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
const FORM_BYTES_MAX = 64 * 1024;

export function mountRegistry(app: Mounted, deps: RegistrySurfaceDeps): void {
  app.setErrorHandler((error, request, reply) => sendError(request, reply, error));
  app.addHook("onRequest", async (_request, reply) => {
    void reply.headers(API_VERSION);
  });
  void app.register(async (scope) => mountToken(scope, deps));
  void app.register(async (scope) => mountContent(scope, deps));
}

function mountToken(app: Mounted, deps: RegistrySurfaceDeps): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string", bodyLimit: FORM_BYTES_MAX }, (_request, body, done) =>
    done(null, body),
  );
  const route = { url: TOKEN_PATH, bodyLimit: FORM_BYTES_MAX };
  app.route({
    ...route,
    method: "GET",
    config: { operationId: "getRegistryToken" },
    handler: (request, reply) => getToken(deps, request, reply),
  });
  app.route({
    ...route,
    method: "POST",
    config: { operationId: "postRegistryToken" },
    handler: (request, reply) => postToken(deps, request, reply),
  });
}

/** Repository names contain slashes, so one route accepts all and the table above distinguishes them. */
function mountContent(app: Mounted, deps: RegistrySurfaceDeps): void {
  const admitted = new WeakMap<object, () => Promise<Reply>>();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
  for (const url of ["/v2", "/v2/", "/v2/*"]) {
    app.route({
      method: [...METHODS],
      url,
      config: { operationId: "registry", streamsBody: true },
      // Before the body is read, and before `100 Continue` is sent.
      onRequest: async (request, reply) => {
        admitted.set(request.raw, await prepare(deps, request, reply));
      },
      handler: async (request) => {
        const run = admitted.get(request.raw);
        if (run === undefined) throw new Error("the request was not admitted");
        return run();
      },
    });
  }
}

/** The methods of each path that is not in the table. */
const UNNAMED = { base: ["GET", "HEAD"], catalog: ["GET", "HEAD"], token: ["GET", "HEAD", "POST"] } as const;

/** Returns the methods of a path; empty for an unknown path. */
export function methodsOf(path: string): readonly string[] {
  const target = parseTarget(path);
  if (target === undefined) return [];
  if (target.kind === "base" || target.kind === "catalog" || target.kind === "token") return UNNAMED[target.kind];
  return REGISTRY_ROUTES.filter(({ kind }) => kind === target.kind).map(({ method }) => method);
}

/** Returns the work of an admitted request. */
async function prepare(deps: RegistrySurfaceDeps, request: Request, reply: Reply): Promise<() => Promise<Reply>> {
  const target = parseTarget(request.url.split("?", 1)[0] ?? "");
  if (target === undefined) throw new RegistryError("NAME_UNKNOWN", "there is nothing at this address");
  if (target.kind === "token") throw wrongMethod(UNNAMED.token);
  if (target.kind === "base" || target.kind === "catalog") return prepareUnnamed(deps, request, reply, target.kind);
  const found = rowOf(target.kind, request.method);
  const allowed = await admit(deps, request, { target, action: found.action }).catch((error: unknown) => {
    noteImage(request, found, target);
    throw error;
  });
  noteImage(request, found, target, allowed);
  const { principal } = allowed.caller;
  if (principal === null) deps.host.countAddress(reply, request.ip);
  else deps.host.countRequest(reply, principal.id);
  const exchange: Exchange = { ...allowed, target, query: new URLSearchParams(queryOf(request)), request, reply };
  return () => readFor(principal?.orgId ?? "", () => runAt(deps, found, exchange));
}

async function prepareUnnamed(
  deps: RegistrySurfaceDeps,
  request: Request,
  reply: Reply,
  kind: "base" | "catalog",
): Promise<() => Promise<Reply>> {
  if (request.method !== "GET" && request.method !== "HEAD") throw wrongMethod(UNNAMED[kind]);
  if (kind === "base") return () => base(deps, request, reply);
  const admitted = await admitToCatalog(deps, request);
  deps.host.countRequest(reply, admitted.principal.id);
  return () => readFor(admitted.principal.orgId, () => listCatalog(deps, request, reply, admitted));
}

/** Answers a request with a wrong offset with the offset to continue from. */
async function runAt(deps: RegistrySurfaceDeps, { run }: Row, exchange: Exchange): Promise<Reply> {
  try {
    return await run(deps, exchange);
  } catch (error) {
    if (error instanceof UploadMoved && exchange.target.kind === "upload")
      placed(exchange.reply, exchange.repository, exchange.target.session, error.received);
    throw error;
  }
}

function rowOf(kind: TargetKind, method: string): Row {
  const rows = REGISTRY_ROUTES.filter((one) => one.kind === kind);
  const found = rows.find((one) => one.method === method);
  if (found === undefined) throw wrongMethod(rows.map((one) => one.method));
  return found;
}

function wrongMethod(allowed: readonly string[]): RegistryError {
  const list = allowed.join(", ");
  return new RegistryRefusal("UNSUPPORTED", `this address accepts ${list}`, { headers: { allow: list } });
}

export function mountImages(app: FastifyInstance, deps: ImagesSurfaceDeps): void {
  mountRoutes(app, deps, REGISTRY_API_ROUTES, { ...imageRepositories, ...images });
}
