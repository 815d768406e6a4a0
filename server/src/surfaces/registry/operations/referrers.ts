import { parseJson } from "#kernel/json-names.ts";
import { OCI_INDEX, referrerRows, type ManifestRow } from "#domain/registry/index.ts";
import { sendJson, type Reply } from "../exchange.ts";
import type { RegistrySurfaceDeps } from "../deps.ts";
import { nextLink, pathOf, requireDigest, type Exchange } from "../model.ts";

const PAGE_MAX = 200;
/** Clients accept 4 MiB. The annotations of one manifest may have nearly as much. */
const ANSWER_CHARS_MAX = 3 * 1024 * 1024;

/** `GET …/referrers/{digest}`: signatures, bills of materials and other artifacts that refer to the digest. */
export async function listReferrers(deps: RegistrySurfaceDeps, exchange: Exchange<"referrers">): Promise<Reply> {
  const { query, repository, reply, target } = exchange;
  const { text } = requireDigest(target.digest);
  const artifactType = query.get("artifactType") ?? undefined;
  const page = { artifactType, after: query.get("last") ?? "", limit: PAGE_MAX + 1 };
  const rows = await referrerRows(deps.metadata.read, repository.id, text, page);
  const { manifests, last } = fitting(rows);
  if (last !== undefined) {
    const filter = artifactType === undefined ? {} : { artifactType };
    void reply.header("link", nextLink(pathOf(repository, `referrers/${text}`), { ...filter, last }));
  }
  if (artifactType !== undefined) void reply.header("oci-filters-applied", "artifactType");
  const index = { schemaVersion: 2, mediaType: OCI_INDEX, manifests };
  return sendJson(reply.header("cache-control", "private, no-cache"), index, OCI_INDEX);
}

/** Returns as many rows as fit in an answer, at least one. `last` is set if there are more. */
function fitting(rows: readonly ManifestRow[]): { manifests: object[]; last: string | undefined } {
  const manifests: object[] = [];
  let chars = 0;
  for (const [i, row] of rows.entries()) {
    const isFull = i === PAGE_MAX || (i > 0 && chars + row.annotations.length > ANSWER_CHARS_MAX);
    if (isFull) return { manifests, last: rows[i - 1]?.digest };
    manifests.push(descriptorOf(row));
    chars += row.annotations.length;
  }
  return { manifests, last: undefined };
}

function descriptorOf(row: ManifestRow): object {
  const annotations = parseJson(row.annotations) as Record<string, string>;
  return {
    mediaType: row.media_type,
    digest: row.digest,
    size: row.size,
    ...(row.artifact_type === null ? {} : { artifactType: row.artifact_type }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}
