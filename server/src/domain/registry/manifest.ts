import { parseJson } from "#kernel/json-names.ts";
import { digestOf, parseDigest, type ContentDigest, type ContentAlgorithm } from "./digest.ts";
import { RegistryError } from "./errors.ts";
import { exceeds } from "#kernel/json-size.ts";
import { faultOf } from "#kernel/strict-json.ts";

export interface ManifestRequest {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string | undefined;
  readonly algorithm: ContentAlgorithm;
  /** The digest in the request's URL, if it names the manifest by digest. */
  readonly expected: string | undefined;
}

/** The distribution specification requires at least this. Clients accept no more. */
export const MANIFEST_BYTES_MAX = 4 * 1024 * 1024;
const DESCRIPTORS_MAX = 10_000;
const DEPTH_MAX = 64;
/** The most names, numbers and texts. The largest number of descriptors with all their members has fewer. */
const VALUES_MAX = 250_000;
const MEDIA_TYPE_CHARS_MAX = 255;

const OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json";
export const OCI_INDEX = "application/vnd.oci.image.index.v1+json";
const DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";
const DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json";
/** From drafts of the image specification 1.1. Tools of that time pushed it. */
const OCI_ARTIFACT = "application/vnd.oci.artifact.manifest.v1+json";

type Kind = "image" | "index" | "artifact";

const KINDS: Readonly<Record<string, Kind>> = {
  [OCI_MANIFEST]: "image",
  [DOCKER_MANIFEST]: "image",
  [OCI_INDEX]: "index",
  [DOCKER_LIST]: "index",
  [OCI_ARTIFACT]: "artifact",
};

/** Names with a meaning at the top of a manifest. Other names are stored, but have no meaning. */
const KNOWN_NAMES = [
  "schemaVersion",
  "mediaType",
  "artifactType",
  "config",
  "layers",
  "blobs",
  "manifests",
  "subject",
  "annotations",
];
const KNOWN_LOWER: ReadonlyMap<string, string> = new Map(KNOWN_NAMES.map((name) => [name.toLowerCase(), name]));

/** A descriptor in a manifest. */
export interface Reference {
  readonly kind: "config" | "layer" | "foreign" | "manifest";
  readonly digest: string;
  readonly mediaType: string;
  readonly size: number;
  readonly platform: Readonly<Record<string, unknown>> | null;
}

/** The content of a manifest that the registry needs. */
export interface Manifest {
  readonly mediaType: string;
  readonly artifactType: string | null;
  readonly subject: string | null;
  readonly annotations: Readonly<Record<string, string>>;
  /** In the order of the manifest, without duplicates. */
  readonly references: readonly Reference[];
}

/**
 * The same for the records, as UTF-8 in memory that threads share, so that nothing is copied on the way to the records.
 */
export interface PackedManifest extends Pick<Manifest, "mediaType" | "artifactType" | "subject"> {
  /** A JSON object. */
  readonly annotations: Uint8Array;
  readonly config: Reference | null;
  /** A JSON list of `PackedReference`, in the same order. */
  readonly references: Uint8Array;
}

/** A reference as it is stored in its row. */
export interface PackedReference extends Pick<Reference, "kind" | "size"> {
  readonly target: string;
  readonly media_type: string;
  /** A JSON object, or null. */
  readonly platform: string | null;
}

export interface ReadManifest {
  /** The original bytes, which were transferred to the reader. */
  readonly content: Uint8Array<ArrayBuffer>;
  readonly digest: ContentDigest;
  /** In hexadecimal, even if the digest has another algorithm. */
  readonly sha256: string;
  readonly manifest: PackedManifest;
}

type Json = Readonly<Record<string, unknown>>;

/** @throws RegistryError `DIGEST_INVALID`, `MANIFEST_INVALID` */
export function readManifest({ bytes, contentType, algorithm, expected }: ManifestRequest): ReadManifest {
  const digest = digestOf(algorithm, bytes);
  if (expected !== undefined && digest.text !== expected)
    throw new RegistryError("DIGEST_INVALID", `the manifest's digest is ${digest.text}`);
  const sha256 = algorithm === "sha256" ? digest.hex : digestOf("sha256", bytes).hex;
  return { content: bytes, digest, sha256, manifest: packManifest(parseManifest(bytes, contentType)) };
}

export function packManifest({ mediaType, artifactType, subject, annotations, references }: Manifest): PackedManifest {
  const packed = references.map(({ kind, size, digest, mediaType: type, platform }): PackedReference => ({
    target: digest,
    kind,
    media_type: type,
    size,
    // The platform of an image is in its config, which is read when the manifest is stored.
    platform: platform === null || kind === "config" ? null : JSON.stringify(platform),
  }));
  return {
    mediaType,
    artifactType,
    subject,
    annotations: bytesOf(annotations),
    config: references.find(({ kind }) => kind === "config") ?? null,
    references: bytesOf(packed),
  };
}

function bytesOf(value: unknown): Uint8Array {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

/**
 * Parses a manifest. Refuses a document that clients could read in different ways: with members of both kinds, with
 * another type than announced, or with a name twice or in another case (CVE-2021-41190).
 * @throws RegistryError `MANIFEST_INVALID`
 */
export function parseManifest(content: Uint8Array, contentType: string | undefined): Manifest {
  const document = documentOf(content);
  const mediaType = mediaTypeOf(document, contentType);
  const kind = KINDS[mediaType];
  if (kind === undefined) throw invalid(`manifests of the type ${shown(mediaType)} are not accepted here`);
  requireOnly(document, kind);
  const references = kind === "index" ? childrenOf(document) : contentsOf(document, kind);
  return {
    mediaType,
    artifactType: artifactTypeOf(document),
    subject: document["subject"] === undefined ? null : referenceOf(document["subject"], "manifest", "subject").digest,
    annotations: annotationsOf(document["annotations"]),
    references: distinct(references),
  };
}

function documentOf(content: Uint8Array): Json {
  let text: string;
  let document: unknown;
  const excess = exceeds(content, { depthMax: DEPTH_MAX, valuesMax: VALUES_MAX });
  if (excess === "depth") throw invalid(`it has more than ${DEPTH_MAX} levels`);
  if (excess === "values") throw invalid(`it has more than ${VALUES_MAX} values`);
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
    document = parseJson(text);
  } catch {
    throw invalid("it is not JSON");
  }
  const fault = faultOf(text, DEPTH_MAX);
  if (fault === "duplicate") throw invalid("an object has the same name twice");
  if (fault === "deep") throw invalid(`it has more than ${DEPTH_MAX} levels`);
  if (!isObject(document)) throw invalid("it is not a JSON object");
  for (const name of Object.keys(document)) {
    const known = KNOWN_LOWER.get(name.toLowerCase());
    if (known !== undefined && known !== name) throw invalid(`${shown(name)} must be written as ${known}`);
  }
  return document;
}

/**
 * Returns the media type from Content-Type without its parameters, which the specification tells registries to ignore.
 */
function mediaTypeOf(document: Json, contentType: string | undefined): string {
  const own = document["mediaType"];
  const announced = contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (own !== undefined && typeof own !== "string") throw invalid("mediaType must be a string");
  if (own === undefined || own === "") {
    if (announced !== "") return announced;
    throw invalid("neither Content-Type nor mediaType gives its type");
  }
  if (announced !== "" && announced !== own.toLowerCase())
    throw invalid(`its mediaType is ${shown(own)}, but Content-Type says ${shown(announced)}`);
  return own;
}

function requireOnly(document: Json, kind: Kind): void {
  if (document["schemaVersion"] !== undefined && document["schemaVersion"] !== 2 && kind !== "artifact")
    throw invalid("schemaVersion must be 2");
  const foreign = { image: ["manifests"], index: ["config", "layers", "blobs"], artifact: ["manifests", "layers"] };
  for (const name of foreign[kind])
    if (document[name] !== undefined) throw invalid(`a manifest of its type has no ${name}`);
}

function childrenOf(document: Json): Reference[] {
  return listOf(document["manifests"], "manifests").map((entry) => referenceOf(entry, "manifest", "manifests"));
}

function contentsOf(document: Json, kind: Kind): Reference[] {
  if (kind === "artifact")
    return listOf(document["blobs"] ?? [], "blobs").map((entry) => referenceOf(entry, "layer", "blobs"));
  const layers = listOf(document["layers"] ?? [], "layers").map((entry) => {
    const layer = referenceOf(entry, "layer", "layers");
    return isForeign(layer, entry) ? { ...layer, kind: "foreign" as const } : layer;
  });
  return [referenceOf(document["config"], "config", "config"), ...layers];
}

/**
 * Whether it is a foreign layer. Its licence forbids registries to store it, so it may be absent. Its URLs are never
 * requested.
 */
function isForeign({ mediaType }: Reference, entry: unknown): boolean {
  if (/^application\/vnd\.oci\.image\.layer\.nondistributable\.v1\.tar(?:[+.](?:gzip|zstd))?$/.test(mediaType))
    return true;
  if (mediaType !== "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip") return false;
  return isObject(entry) && Array.isArray(entry["urls"]);
}

function referenceOf(entry: unknown, kind: Reference["kind"], name: string): Reference {
  if (!isObject(entry)) throw invalid(`${name} must contain descriptors`);
  const { digest, size, mediaType, platform } = entry;
  if (typeof digest !== "string" || parseDigest(digest) === undefined)
    throw invalid(`a descriptor in ${name} has no sha256 or sha512 digest`);
  if (!Number.isSafeInteger(size) || Number(size) < 0) throw invalid(`a descriptor in ${name} has no size in bytes`);
  if (typeof mediaType !== "string" || mediaType === "" || mediaType.length > MEDIA_TYPE_CHARS_MAX)
    throw invalid(`a descriptor in ${name} has no media type`);
  return { kind, digest, mediaType, size: Number(size), platform: isObject(platform) ? platform : null };
}

function listOf(value: unknown, name: string): unknown[] {
  if (!Array.isArray(value)) throw invalid(`${name} must be a list`);
  if (value.length > DESCRIPTORS_MAX) throw invalid(`${name} has more than ${DESCRIPTORS_MAX} entries`);
  return value as unknown[];
}

/** Returns the type of an artifact: its own, or its config's (image specification, "Guidelines for artifact usage"). */
function artifactTypeOf(document: Json): string | null {
  const { artifactType, config } = document;
  if (artifactType !== undefined && typeof artifactType !== "string") throw invalid("artifactType must be a string");
  if (typeof artifactType === "string" && artifactType !== "") return artifactType;
  return isObject(config) && typeof config["mediaType"] === "string" ? config["mediaType"] : null;
}

function annotationsOf(value: unknown): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (!isObject(value) || Object.values(value).some((text) => typeof text !== "string"))
    throw invalid("annotations must be an object with string values");
  return value as Record<string, string>;
}

/**
 * Removes duplicates. An image may have the same layer more than once. The stronger reference stays: a config or layer
 * must exist, a foreign layer need not.
 */
function distinct(references: readonly Reference[]): Reference[] {
  const byDigest = new Map<string, Reference>();
  for (const reference of references) {
    const known = byDigest.get(reference.digest);
    if (known === undefined || known.kind === "foreign") byDigest.set(reference.digest, reference);
    if (known !== undefined && known.size !== reference.size)
      throw invalid("two descriptors give the same digest different sizes");
  }
  return [...byDigest.values()];
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(why: string): RegistryError {
  return new RegistryError("MANIFEST_INVALID", `the manifest is not valid: ${why}`);
}

/** Shortens text of the caller, which may contain anything. */
function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
