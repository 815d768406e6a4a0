import { parseJson } from "#kernel/json-names.ts";
import { absent } from "#domain/identity/index.ts";
import {
  deleteReference,
  findManifest,
  imageOf,
  isImmutable,
  isTag,
  outlinesOf,
  parseDigest,
  readImageConfig,
  referrerRows,
  RegistryError,
  tagPage,
  tagsOfManifest,
  type Image,
  type ImageConfig,
  type ManifestRow,
} from "#domain/registry/index.ts";
import { callerOf } from "#http/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { ImageOperation } from "../deps.ts";
import { isoOrNull, platformBody, repositoryFor } from "../model-images.ts";

export const listImageTags: ImageOperation<"listImageTags"> = async (deps, { params, query }, { principal }) => {
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

const REFERRERS_MAX = 100;

export const getImageManifest: ImageOperation<"getImageManifest"> = async (deps, { params }, { principal }) => {
  const repository = await repositoryFor(deps, principal, params.app_id, "registry:pull");
  const { read } = deps.metadata;
  const manifest = await findManifest(deps, repository, params.reference).catch(() => {
    throw absent();
  });
  const image = await imageOf(deps, manifest);
  const config = image.references.find(({ kind }) => kind === "config");
  const page = { artifactType: undefined, after: "", limit: REFERRERS_MAX };
  const referrers = await referrerRows(read, repository.id, manifest.digest, page);
  const tags = await tagsOfManifest(read, repository.id, manifest.digest);
  return {
    ...manifestBody(manifest),
    total_size_bytes: image.totalBytes,
    tags: tags.map(({ name }) => name),
    ...contentBody(image),
    image_config: config === undefined ? null : configBody(await readImageConfig(deps, config)),
    referrers: referrers.map(referrerBody),
  };
};

function manifestBody(row: ManifestRow) {
  return {
    digest: row.digest,
    media_type: row.media_type,
    artifact_type: row.artifact_type,
    size_bytes: row.size,
    annotations: annotationsOf(row),
    subject: row.subject,
    pulls: row.pulls,
    last_pull_at: isoOrNull(row.last_pull_at),
    created_by: row.created_by,
    created_at: isoFromMs(row.created_at),
  };
}

function contentBody({ references, childBytes }: Image) {
  const blob = ({ target, media_type, size }: Image["references"][number]) => ({
    digest: target,
    media_type,
    size_bytes: size,
  });
  const config = references.find(({ kind }) => kind === "config");
  const layers = references.filter(({ kind }) => kind === "layer" || kind === "foreign");
  const children = references.filter(({ kind }) => kind === "manifest");
  return {
    config: config === undefined ? null : blob(config),
    layers: layers.map((layer) => ({ ...blob(layer), foreign: layer.kind === "foreign" })),
    platforms: children.map(({ target, media_type, size, platform }) => ({
      digest: target,
      media_type,
      ...platformBody(platform),
      total_size_bytes: childBytes.get(target) ?? size,
    })),
  };
}

function configBody(config: ImageConfig | null) {
  if (config === null) return null;
  const { workingDir, exposedPorts, labels, env, entrypoint, cmd, history, ...texts } = config;
  return {
    ...texts,
    labels: { ...labels },
    env: [...env],
    entrypoint: entrypoint === null ? null : [...entrypoint],
    cmd: cmd === null ? null : [...cmd],
    working_dir: workingDir,
    exposed_ports: [...exposedPorts],
    history: history.map(({ created, createdBy, emptyLayer }) => ({
      created,
      created_by: createdBy,
      empty_layer: emptyLayer,
    })),
  };
}

function referrerBody(row: ManifestRow) {
  return {
    digest: row.digest,
    media_type: row.media_type,
    artifact_type: row.artifact_type,
    kind: kindOf(row.artifact_type ?? ""),
    size_bytes: row.size,
    annotations: annotationsOf(row),
    created_at: isoFromMs(row.created_at),
  };
}

/** Returns the kind of an artifact, by the types of cosign, notation, the bill-of-materials formats and in-toto. */
function kindOf(artifactType: string): "signature" | "sbom" | "attestation" | "other" {
  if (/cosign.*(?:sig|bundle)|sigstore|notary\.signature|notaryproject\.signature/.test(artifactType))
    return "signature";
  if (/spdx|cyclonedx|syft|sbom/.test(artifactType)) return "sbom";
  if (/in-toto|attestation|dsse|provenance/.test(artifactType)) return "attestation";
  return "other";
}

function annotationsOf({ annotations }: ManifestRow): Record<string, string> {
  return parseJson(annotations) as Record<string, string>;
}

export const deleteImageManifest: ImageOperation<"deleteImageManifest"> = async (deps, { params }, context) => {
  const { app_id, reference } = params;
  const repository = await repositoryFor(deps, context.principal, app_id, "registry:delete");
  if (!isTag(reference) && parseDigest(reference) === undefined) throw absent();
  await deleteReference(deps, callerOf(context), repository, reference).catch((error: unknown) => {
    throw error instanceof RegistryError ? problemOf(error, reference) : error;
  });
  return undefined;
};

/** Converts the registry's refusals to problems of this API. */
function problemOf(error: RegistryError, reference: string): Problem | RegistryError {
  if (error.code === "MANIFEST_UNKNOWN") return absent();
  if (error.code === "DENIED") {
    const what = isTag(reference) ? `The tag ${reference}` : "A tag of this image";
    return new Problem("conflict", `${what} is immutable; change the repository's immutable_tags first.`);
  }
  if (error.code !== "UNSUPPORTED") return error;
  return new Problem("conflict", "An index of this repository needs the image; delete the index first.");
}
