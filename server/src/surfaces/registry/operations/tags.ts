import { tagNames } from "#domain/registry/index.ts";
import { sendJson, type Reply } from "../exchange.ts";
import type { RegistrySurfaceDeps } from "../deps.ts";
import { nextLink, pageSize, pathOf, type Exchange } from "../model.ts";

const PAGE_MAX = 1000;

/** `GET …/tags/list`: lists tags in the order of their bytes, after `last`. */
export async function listTags(deps: RegistrySurfaceDeps, exchange: Exchange<"tags">): Promise<Reply> {
  const { query, repository, reply, name } = exchange;
  const limit = pageSize(query, PAGE_MAX);
  const names =
    limit === 0 ? [] : await tagNames(deps.metadata.read, repository.id, query.get("last") ?? "", limit + 1);
  const tags = names.slice(0, limit);
  const last = tags.at(-1);
  if (names.length > limit && last !== undefined)
    void reply.header("link", nextLink(pathOf(repository, "tags/list"), { n: String(limit), last }));
  return sendJson(reply.header("cache-control", "private, no-cache"), { name, tags });
}
