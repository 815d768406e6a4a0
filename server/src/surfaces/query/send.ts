import { noteBroken, type Compression, type OperationContext } from "#http/index.ts";
import type { QueryRun, QueryStatistics } from "#stores/telemetry/index.ts";

/** The field with a query's statistics, for formats that can't contain them. */
const STATISTICS_FIELD = "Query-Statistics";

/** Formats that are compressed already, or whose readers expect them as they are. */
const PACKED = new Set(["application/vnd.apache.arrow.stream", "application/vnd.apache.parquet"]);

interface SendOptions extends Pick<OperationContext, "request" | "reply"> {
  readonly trailer: boolean;
  readonly compression: Compression;
}

/**
 * Streams a result. With `trailer` the statistics follow as a trailer field (RFC 9110 section 6.5). Only HTTP/1.1 with
 * chunks can have trailers.
 */
export async function sendRun(run: QueryRun, { request, reply, trailer, compression }: SendOptions): Promise<void> {
  reply.header("content-type", run.contentType).header("cache-control", "no-store");
  if (trailer && request.raw.httpVersion === "1.1") {
    reply.trailer(STATISTICS_FIELD, async () => {
      const statistics = await run.statistics;
      return statistics === undefined ? "" : dictionaryOf(statistics);
    });
  }
  // Before `send`, whose own listener cuts the connection.
  run.body.once("error", (error) => {
    if (reply.raw.headersSent) noteBroken(request, error);
  });
  const type = run.contentType.split(";")[0] ?? "";
  const isPlain = PACKED.has(type) || isForBrowser(request.headers);
  await reply.send(isPlain ? run.body : compression.stream(request, reply, run.body));
}

/**
 * The portal shows rows as they arrive. A compressed result of many rows needed twice the time there, so browsers get it
 * plain. They send `Sec-Fetch-Mode` (Fetch Metadata Request Headers, section 2.2).
 */
function isForBrowser(headers: OperationContext["request"]["headers"]): boolean {
  return headers["sec-fetch-mode"] !== undefined;
}

/** Formats a dictionary of RFC 9651. */
function dictionaryOf(statistics: QueryStatistics): string {
  const {
    rows,
    truncated,
    elapsedMs,
    rowsScanned,
    bytesScanned,
    filesScanned,
    filesTotal,
    unreadable = 0,
  } = statistics;
  const members = {
    row_count: rows,
    truncated: truncated ? "?1" : "?0",
    elapsed_ms: elapsedMs.toFixed(1),
    rows_scanned: rowsScanned,
    bytes_scanned: bytesScanned,
    files_scanned: filesScanned,
    files_total: filesTotal,
    ...(unreadable === 0 ? {} : { rows_unreadable: unreadable }),
  };
  return Object.entries(members)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
}
