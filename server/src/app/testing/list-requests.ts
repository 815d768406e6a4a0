/** Builds requests for every list of every interface, for a test with many rows: each filter alone, and with ranges of times. */
import assert from "node:assert/strict";
import * as contract from "@mooring/contract";
import type { Route } from "@mooring/contract";
import { REGISTRY_ROUTES } from "#surfaces/registry/index.ts";
import { S3_ROUTES } from "#surfaces/s3/index.ts";
import { FIRST_AT, MANY_VERSIONS, MANY_UPLOADS, MILLION, OLD_NAMES, SUBJECT, type Ids } from "./many-rows.ts";

export type Way = "token" | "session" | "registry" | "s3";

export interface ListRequest {
  readonly way: Way;
  /** The name of the request in reports. */
  readonly name: string;
  /** A path with its query; for S3 the SDK's command. */
  readonly path: string;
  readonly input?: Readonly<Record<string, unknown>>;
  /** Why no index can bound the request. A timeout bounds it instead. */
  readonly exception?: string;
}

/** Values of each filter: one that many rows or none have, and one that few have. The test fails for a filter that is missing here. */
const FILTERS: Readonly<Record<string, readonly string[]>> = {
  hours: ["1", "72"],
  sender: ["cred_rare", "nobody"],
  reason: ["too_old", "quota"],
  unverified: ["true"],
  before: ["2000-01-01T00:00:00Z", "2100-01-01T00:00:00Z"],
  project: ["PROJECT"],
  environment: ["rare", "nothing"],
  archived: ["true", "false"],
  include_revoked: ["true"],
  credential: ["CREDENTIAL"],
  actor: ["cred_rare", "nobody"],
  action: ["rare.thing", "rare.", "file.", "nothing.here"],
  target: ["file_rare", "nothing"],
  result: ["failure", "denied", "success"],
  request_id: ["req_rare", "nothing"],
  type: ["rare", "nothing"],
  verified: ["yes", "no", "stripe", "github"],
  status: ["dead", "pending", "delivered"],
  prefix: ["rare", "nothing", "common", "name_", "name_0000000000000000000009", OLD_NAMES],
  delimiter: ["/", "0", "9"],
  slow: ["true"],
  kind: ["webhook", "project"],
  service: ["query", "oauth"],
  group_by: ["project", "credential", "service", "all"],
  total: ["true"],
  key: ["k_00000000000000000000000005", MANY_VERSIONS],
};

/**
 * Parameters that are not filters, or that are matched row by row on purpose: one request reads 5,000 rows and returns
 * a cursor.
 */
const NOT_BY_INDEX = new Set(["limit", "cursor", "offset", "after", "wait_s", "from", "to", "header", "pointer", "q"]);

/** Reads of one object, or of data in memory, whose answer has a list. */
const NOT_LISTS = new Set([
  "getMe",
  "getAccess",
  "getCredential",
  "getCredentialActivity",
  "getIngestKey",
  "getS3Key",
  "getS3KeyActivity",
  "getS3Destination",
  "verifyAudit",
  "getQuerySchema",
  "getImageManifest",
  "getSavedQuery",
  "getIngestRule",
  "getTelemetryErasure",
  "getRequest",
  "getTrashItem",
  "getUsage",
  "getWebhook",
]);
/** Lists that read no records. */
export const WITHOUT_RECORDS = new Set(["listBackups", "listRestores"]);

const BY_TIME_WITHIN_A_PREFIX =
  "the list has a prefix of names but is sorted by time; no index can serve both, so old names take longest";
const NO_BOUND_OF_OFFSET = "the reference sets no maximum of offset; skipped rows are counted in an index";

const iso = (ms: number): string => new Date(ms).toISOString();
const RANGES: readonly Readonly<Record<string, string>>[] = [
  { to: iso(FIRST_AT - 1000) },
  { to: iso(FIRST_AT + 10_000) },
  { from: iso(FIRST_AT + 400_000_000), to: iso(FIRST_AT + 400_060_000) },
  { from: iso(FIRST_AT + 4_000_000_000) },
];

const GETS = Object.entries(contract)
  .filter(([name]) => name.endsWith("_ROUTES"))
  .flatMap(([, rows]) => Object.values(rows as Readonly<Record<string, Route>>))
  .filter(({ method }) => method === "GET");

function isList({ operationId, query, result }: Route): boolean {
  if (NOT_LISTS.has(operationId)) return false;
  return operationId.startsWith("list") || (query !== undefined && "limit" in query.properties) || holdsObjects(result);
}

/** Returns whether an answer has a list of objects somewhere. */
function holdsObjects(schema: unknown): boolean {
  const {
    type,
    items,
    properties = {},
    anyOf = [],
  } = (schema ?? {}) as {
    type?: string;
    items?: { type?: string };
    properties?: Record<string, unknown>;
    anyOf?: unknown[];
  };
  if (type === "array") return items?.type === "object";
  return [...Object.values(properties), ...anyOf].some(holdsObjects);
}

export function listRequests(ids: Ids): ListRequest[] {
  return [
    ...GETS.filter(isList).flatMap((route) => requestsOf(route, ids)),
    ...registryRequests(ids),
    ...s3Requests(ids),
  ];
}

function requestsOf(route: Route, ids: Ids): ListRequest[] {
  const { path, query, operationId, permission } = route;
  const names = Object.keys(query?.properties ?? {});
  const filters = names.filter((name) => !NOT_BY_INDEX.has(name));
  for (const name of filters)
    assert.ok(FILTERS[name], `${operationId} has a filter ${name} that this test knows no value of`);
  const choices: Record<string, string>[] = [
    {},
    ...(names.includes("offset") ? [{ offset: String(MILLION / 2) }] : []),
    ...filters.flatMap((name) => (FILTERS[name] ?? []).map((value) => ({ [name]: named(value, ids) }))),
  ];
  const ranges = names.includes("from") && names.includes("to") ? [{}, ...RANGES] : [{}];
  const found = pathOf(route, ids);
  assert.ok(!found.includes("{"), `${operationId}: no value for a parameter of ${path}`);
  const way = permission === "session" || permission === "instance" ? "session" : "token";
  return choices.flatMap((choice) =>
    ranges.map((range) => {
      const search = new URLSearchParams({ ...choice, ...range } as Record<string, string>).toString();
      const exception = exceptionOf(operationId, choice);
      const request = { way, name: operationId, path: search === "" ? found : `${found}?${search}` } as const;
      return exception === undefined ? request : { ...request, exception };
    }),
  );
}

function exceptionOf(operationId: string, { offset, prefix }: Record<string, string>): string | undefined {
  if (offset !== undefined) return NO_BOUND_OF_OFFSET;
  return operationId === "listFiles" && prefix === OLD_NAMES ? BY_TIME_WITHIN_A_PREFIX : undefined;
}

function pathOf({ path }: Route, ids: Ids): string {
  return path
    .replace("{webhook_id}", ids.webhook)
    .replace("{destination_id}", ids.destination)
    .replace("{app_id}", ids.app)
    .replace("{group_id}", ids.group)
    .replace("{alert_id}", ids.alert)
    .replace("{project_id}", ids.project)
    .replace("{file_id}", `file_${String(MILLION).padStart(26, "0")}`);
}

function named(value: string, ids: Ids): string {
  return value === "PROJECT" ? ids.project : value === "CREDENTIAL" ? ids.credential : value;
}

/** For each kind of address, its path after the repository's name. */
const REGISTRY_LISTS: Readonly<Record<string, readonly string[]>> = {
  tags: ["tags/list?n=100", "tags/list?n=100&last=tag_00000000000000000000040000", "tags/list"],
  referrers: [
    `referrers/${SUBJECT}`,
    `referrers/${SUBJECT}?artifactType=rare`,
    `referrers/${SUBJECT}?artifactType=common`,
    `referrers/${SUBJECT}?artifactType=nothing`,
  ],
};
const ONE_OF_REGISTRY = new Set(["blob", "manifest", "upload"]);

function registryRequests({ repository }: Ids): ListRequest[] {
  const kinds = REGISTRY_ROUTES.filter(({ method, kind }) => method === "GET" && !ONE_OF_REGISTRY.has(kind));
  const paths = kinds.flatMap(({ kind }) => {
    const found = REGISTRY_LISTS[kind];
    assert.ok(found, `the registry has a list ${kind} that this test does not know`);
    return found.map((rest) => `/v2/${repository}/${rest}`);
  });
  // The catalog has no row in that table, because its path has no name.
  const catalog = ["/v2/_catalog", "/v2/_catalog?n=2", `/v2/_catalog?n=2&last=${repository}`];
  return [...paths, ...catalog].map((path) => ({ way: "registry", name: "registry", path }));
}

const S3_KEYS = [
  {},
  { Prefix: "k_000000000000000000000000" },
  { Prefix: "nothing" },
  { Delimiter: "/" },
  { Delimiter: "_" },
  { Delimiter: "9" },
  { Prefix: "k_0000", Delimiter: "7" },
];
const DEEP = `k_${String(MILLION - 50_000).padStart(26, "0")}`;

const S3_LISTS: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = {
  ListBuckets: [{}, { MaxBuckets: 10 }, { Prefix: "slug_000000000000000000004" }, { Prefix: "nothing" }],
  ListObjects: [...S3_KEYS, { Marker: DEEP }, { Marker: DEEP, Delimiter: "9" }],
  ListObjectsV2: [...S3_KEYS, { StartAfter: DEEP }, { StartAfter: DEEP, Delimiter: "9", FetchOwner: true }],
  ListObjectVersions: [
    ...S3_KEYS,
    { KeyMarker: DEEP },
    { KeyMarker: MANY_VERSIONS, VersionIdMarker: `v_${String(400_000).padStart(26, "0")}` },
    { KeyMarker: MANY_VERSIONS, VersionIdMarker: `v_${String(400_000).padStart(26, "0")}`, Delimiter: "/" },
  ],
  ListMultipartUploads: [
    ...S3_KEYS,
    { KeyMarker: DEEP },
    { KeyMarker: MANY_UPLOADS, UploadIdMarker: `upl_${String(700_000).padStart(26, "0")}` },
    { KeyMarker: MANY_UPLOADS, UploadIdMarker: `upl_${String(700_000).padStart(26, "0")}`, Delimiter: "/" },
  ],
  ListParts: [{}, { PartNumberMarker: "9000" }, { MaxParts: 10 }].map((input) => ({
    ...input,
    Key: `k_${String(MILLION).padStart(26, "0")}`,
    UploadId: `upl_${String(MILLION).padStart(26, "0")}`,
  })),
};

function s3Requests({ bucket }: Ids): ListRequest[] {
  const rows = S3_ROUTES.filter(({ method, name, action }) => method === "GET" && /List/.test(`${name} ${action}`));
  return rows.flatMap(({ name }) => {
    const found = S3_LISTS[name];
    assert.ok(found, `S3 has a list ${name} that this test does not know`);
    const inputs = name === "ListBuckets" ? found : found.map((input) => ({ ...input, Bucket: bucket }));
    return inputs.map((input) => ({ way: "s3", name, path: `${name} ${JSON.stringify(input)}`, input }));
  });
}
