import { isoFromMs } from "#kernel/time.ts";
import { Problem } from "#kernel/problem.ts";
import { BlobDamaged } from "#stores/objects/index.ts";
import { blobRow } from "./blobs-store.ts";
import { CONTENT_OWNER, type RegistryDeps, type ReferenceRow } from "./types.ts";

/** The builder's data about an image. Members of another type than the image specification requires are left out. */
export interface ImageConfig {
  readonly architecture: string | null;
  readonly os: string | null;
  readonly variant: string | null;
  readonly created: string | null;
  readonly author: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly env: readonly string[];
  readonly entrypoint: readonly string[] | null;
  readonly cmd: readonly string[] | null;
  readonly user: string | null;
  readonly workingDir: string | null;
  readonly exposedPorts: readonly string[];
  readonly history: readonly HistoryEntry[];
}

interface HistoryEntry {
  readonly created: string | null;
  readonly createdBy: string | null;
  readonly emptyLayer: boolean;
}

const CONFIG_TYPES: ReadonlySet<string> = new Set([
  "application/vnd.oci.image.config.v1+json",
  "application/vnd.docker.container.image.v1+json",
]);
const CONFIG_BYTES_MAX = 1024 * 1024;
const TEXT_CHARS_MAX = 4096;
const ENTRIES_MAX = 1000;

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads the config that a manifest names. Returns null if it is not an image's config, is too large, or its content is
 * lost. The image can still be listed then.
 */
export async function readImageConfig(
  deps: Pick<RegistryDeps, "metadata" | "objects">,
  { repository, target, media_type }: Pick<ReferenceRow, "repository" | "target" | "media_type">,
): Promise<ImageConfig | null> {
  if (!CONFIG_TYPES.has(media_type)) return null;
  const blob = await blobRow(deps.metadata.read, repository, target);
  if (blob === undefined || blob.size > CONFIG_BYTES_MAX) return null;
  try {
    const reader = await deps.objects.open(CONTENT_OWNER, blob.blob_id);
    const chunks: Buffer[] = [];
    for await (const chunk of reader.chunks()) chunks.push(chunk);
    return parseImageConfig(Buffer.concat(chunks));
  } catch (error) {
    if (error instanceof BlobDamaged || (error instanceof Problem && error.code === "not_found")) return null;
    throw error;
  }
}

const PLATFORM_CHARS_MAX = 100;

/** Returns the platform from an image's config, in the form of an index. Null if the config has none. */
export async function platformOfConfig(
  deps: Pick<RegistryDeps, "metadata" | "objects">,
  config: Pick<ReferenceRow, "repository" | "target" | "media_type">,
): Promise<Readonly<Record<string, unknown>> | null> {
  const { os = null, architecture = null, variant = null } = (await readImageConfig(deps, config)) ?? {};
  const known = Object.entries({ os, architecture, variant }).filter(([, text]) => text !== null && text !== "");
  if (known.length === 0) return null;
  return Object.fromEntries(known.map(([name, text]) => [name, text?.slice(0, PLATFORM_CHARS_MAX).toWellFormed()]));
}

/**
 * Parses a config. The pusher decides its content, so members of a wrong type are left out, and everything has a limit.
 */
export function parseImageConfig(content: Uint8Array): ImageConfig | null {
  let document: unknown;
  try {
    document = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(content));
  } catch {
    return null;
  }
  if (!isObject(document)) return null;
  const run = isObject(document["config"]) ? document["config"] : {};
  return {
    architecture: textOf(document["architecture"]),
    os: textOf(document["os"]),
    variant: textOf(document["variant"]),
    created: timeOf(document["created"]),
    author: textOf(document["author"]),
    labels: labelsOf(run["Labels"]),
    env: textsOf(run["Env"]) ?? [],
    entrypoint: textsOf(run["Entrypoint"]),
    cmd: textsOf(run["Cmd"]),
    user: textOf(run["User"]),
    workingDir: textOf(run["WorkingDir"]),
    exposedPorts: isObject(run["ExposedPorts"]) ? (textsOf(Object.keys(run["ExposedPorts"])) ?? []) : [],
    history: historyOf(document["history"]),
  };
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns well-formed text. Neither the limit nor the writer may leave half a surrogate pair. */
function textOf(value: unknown): string | null {
  return typeof value === "string" ? value.slice(0, TEXT_CHARS_MAX).toWellFormed() : null;
}

function textsOf(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null;
  return (value as unknown[])
    .slice(0, ENTRIES_MAX)
    .map(textOf)
    .filter((text) => text !== null);
}

function labelsOf(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  const labels: [string, string][] = [];
  for (const [name, own] of Object.entries(value).slice(0, ENTRIES_MAX)) {
    const text = textOf(own);
    if (text !== null) labels.push([textOf(name) ?? "", text]);
  }
  return Object.fromEntries(labels);
}

function historyOf(value: unknown): HistoryEntry[] {
  if (!Array.isArray(value)) return [];
  return (value as unknown[])
    .slice(0, ENTRIES_MAX)
    .filter(isObject)
    .map((entry) => ({
      created: timeOf(entry["created"]),
      createdBy: textOf(entry["created_by"]),
      emptyLayer: entry["empty_layer"] === true,
    }));
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

/** Returns an RFC 3339 time in UTC. An offset may lead to a year before 0 or after 9999, which is refused. */
function timeOf(value: unknown): string | null {
  if (typeof value !== "string" || !DATE_TIME.test(value)) return null;
  const ms = Date.parse(value);
  if (Number.isNaN(ms)) return null;
  const text = isoFromMs(ms);
  return /^\d{4}-/.test(text) ? text : null;
}
