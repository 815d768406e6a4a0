import { S3Error } from "#domain/s3/index.ts";
import type { Operation } from "./context.ts";
import type { Exchange } from "./wire/request.ts";
import { SELECTORS } from "./wire/sub-resources.ts";

export type Level = "service" | "bucket" | "object";

/** A row of the table: the requests that select an operation, and the permission that they need. */
export interface Row {
  /** S3's name of the operation. */
  readonly name: string;
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  readonly level: Level;
  /** All parameters that select the operation. */
  readonly selectors: readonly string[];
  /** True: only with the field `x-amz-copy-source`; false: only without it. */
  readonly copies?: boolean;
  /**
   * The action's name in policies. A request for a version needs `versionAction`, if it is set. Null: the operation checks
   * the permission itself, and reads no body.
   */
  readonly action: string | null;
  readonly versionAction?: string;
  /** Values for the check that only the body has. The operation checks again after it has read them. */
  readonly unread?: ReadonlySet<"key" | "tags">;
  /** Accepted instead of `action` until the body shows which of the two is needed. */
  readonly orAction?: string;
  /** True: the bucket does not exist yet. */
  readonly makesBucket?: boolean;
  readonly run: Operation;
}

/** Parameters that do not select an operation. */
const PARAMETERS = new Set(
  [
    "x-id versionId prefix delimiter marker max-keys encoding-type continuation-token start-after fetch-owner key-marker",
    "version-id-marker upload-id-marker max-uploads part-number-marker max-parts partNumber max-buckets bucket-region id",
    "AWSAccessKeyId Signature Expires allow-unordered position",
  ]
    .join(" ")
    .split(" "),
);

/**
 * Returns the row of a request. An unknown request is refused, never handled as one for the plain object or bucket.
 * @throws S3Error `NotImplemented`, `MethodNotAllowed`
 */
export function routeOf(rows: readonly Row[], exchange: Exchange): Row {
  const { method, target, fields } = exchange;
  const level: Level = exchange.bucket === "" ? "service" : exchange.key === "" ? "bucket" : "object";
  const names = [...new Set(target.query.map(({ name }) => name))];
  const selectors = names.filter((name) => SELECTORS.has(name) || (name === "partNumber" && method === "PUT"));
  refuseUnknown(method, target.query);
  const copies = fields.has("x-amz-copy-source");
  const row = rows.find(
    (candidate) =>
      candidate.method === method &&
      candidate.level === level &&
      candidate.selectors.length === selectors.length &&
      candidate.selectors.every((name) => selectors.includes(name)) &&
      (candidate.copies ?? copies) === copies,
  );
  if (row !== undefined) return row;
  if (selectors.length === 0)
    throw new S3Error("MethodNotAllowed", undefined, { fields: { Method: method, ResourceType: level.toUpperCase() } });
  throw new S3Error("NotImplemented", `${method} ?${selectors.join("&")} is not implemented.`);
}

/**
 * Refuses an unknown parameter, because it may change the meaning of a request. In a GET or HEAD it is ignored if it has
 * a value, for example `?v=1` against caches: there it does no harm.
 */
function refuseUnknown(method: string, query: Exchange["target"]["query"]): void {
  for (const { name, value } of query) {
    if (SELECTORS.has(name) || PARAMETERS.has(name) || /^(x-amz-|response-)/i.test(name)) continue;
    if ((method === "GET" || method === "HEAD") && value !== "") continue;
    throw new S3Error("NotImplemented", `${method} ?${name} is not implemented.`);
  }
}
