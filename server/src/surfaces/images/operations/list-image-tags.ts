import type { REGISTRY_API_ROUTES } from "@mooring/contract";
import { isImmutable, outlinesOf, tagPage } from "#domain/registry/index.ts";
import type { Operation } from "#http/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { ImagesSurfaceDeps } from "../deps.ts";
import { isoOrNull, platformBody, repositoryFor } from "../model.ts";

export function listImageTags(deps: ImagesSurfaceDeps): Operation<typeof REGISTRY_API_ROUTES.listImageTags> {
  return async ({ params, query }, { principal }) => {
    const repository = await repositoryFor(deps, principal, params.app_id, "registry:pull");
    const { limit = 50, cursor } = query;
    const after = cursor === undefined ? "" : decodeCursor(cursor, ["string"])[0];
    const rows = await tagPage(deps.metadata.read, repository.id, { after, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    const outlines = await outlinesOf(deps, repository.id, shown);
    const items = shown.map((row) => ({
      name: row.name,
      digest: row.digest,
      media_type: row.media_type,
      artifact_type: row.artifact_type,
      platforms: (outlines.get(row.digest)?.platforms ?? []).map(platformBody),
      size_bytes: outlines.get(row.digest)?.totalBytes ?? null,
      immutable: isImmutable(repository, row.name),
      pulls: row.pulls,
      last_pull_at: isoOrNull(row.last_pull_at),
      created_at: isoFromMs(row.created_at),
      updated_at: isoFromMs(row.updated_at),
    }));
    const last = items.at(-1);
    return { items, next_cursor: rows.length > limit && last !== undefined ? encodeCursor([last.name]) : null };
  };
}
