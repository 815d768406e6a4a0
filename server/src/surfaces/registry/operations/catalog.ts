import { reachOf } from "#domain/identity/index.ts";
import { repositoryNames } from "#domain/registry/index.ts";
import type { ToCatalog } from "../admission.ts";
import { sendJson, type Reply, type Request } from "../exchange.ts";
import type { RegistrySurfaceDeps } from "../deps.ts";
import { nextLink, pageSize } from "../model.ts";
import { queryOf } from "./token.ts";

const PAGE_MAX = 1000;

/** `GET /v2/_catalog` (Docker's registry interface): the repositories with images that the caller may pull. */
export async function listCatalog(
  deps: RegistrySurfaceDeps,
  request: Request,
  reply: Reply,
  { principal, isGranted }: ToCatalog,
): Promise<Reply> {
  const query = new URLSearchParams(queryOf(request));
  const limit = pageSize(query, PAGE_MAX);
  const reach = reachOf(principal, "registry:pull");
  const page = { after: query.get("last") ?? "", limit: limit + 1 };
  const names = isGranted ? await repositoryNames(deps.metadata.read, principal, reach, page) : [];
  const repositories = names.slice(0, limit);
  const last = repositories.at(-1);
  if (names.length > limit && last !== undefined)
    void reply.header("link", nextLink("/v2/_catalog", { n: String(limit), last }));
  return sendJson(reply.header("cache-control", "private, no-cache"), { repositories });
}
