import { createHash } from "node:crypto";
import type { ByteSource } from "../driver.ts";
import { BlobDamaged } from "../errors.ts";
import { inlineData } from "../records.ts";
import { partRows, type ScrubRow } from "./store.ts";
import type { Finding, ScrubOptions } from "./types.ts";

type Found = Omit<Finding, "orgId">;

const BUFFER_BYTES = 1024 * 1024;

/** Returns the fault in the bytes of one blob, or undefined. */
export async function checkBlob(options: ScrubOptions, row: ScrubRow): Promise<Found | undefined> {
  if (row.place === "inline") return checkInline(options, row);
  if (row.place === "parts") return checkParts(options, row);
  if (row.store_id !== options.driver.storeId) return checkElsewhere(options, row);
  return options.quick ? checkSize(options, row) : checkStored(options, row);
}

async function checkInline({ metadata }: ScrubOptions, row: ScrubRow): Promise<Found | undefined> {
  const data = await inlineData(metadata.read, row.id);
  if (data === undefined) return { kind: "missing", what: row.id, detail: "its bytes are not in the metadata store" };
  if (data.length !== row.size)
    return { kind: "missing", what: row.id, detail: `it has ${data.length} bytes, not ${row.size}` };
  return compare(row, createHash("sha256").update(data).digest("hex"));
}

/**
 * Checks a blob in another directory. Servers with separate directories may share one PostgreSQL; SQLite has one
 * directory.
 */
function checkElsewhere({ metadata }: ScrubOptions, row: ScrubRow): Found | undefined {
  if (metadata.dialect !== "sqlite") return undefined;
  return { kind: "elsewhere", what: row.id, detail: `it is stored in ${row.store_id}, which this server does not use` };
}

async function checkSize({ driver }: ScrubOptions, row: ScrubRow): Promise<Found | undefined> {
  const found = await driver.sizeOf(row.id);
  if (found === row.size) return undefined;
  const detail = found === undefined ? "it is missing" : `it has ${found} bytes, not ${row.size}`;
  return { kind: "missing", what: row.id, detail };
}

async function checkStored({ driver, signal }: ScrubOptions, row: ScrubRow): Promise<Found | undefined> {
  let source: ByteSource | undefined;
  try {
    source = await driver.open(row.id, { size: row.size, start: 0, length: row.size });
    const hash = createHash("sha256");
    const buffer = Buffer.allocUnsafe(Math.min(BUFFER_BYTES, Math.max(row.size, 1)));
    for (let bytes = await source.read(buffer); bytes > 0; bytes = await source.read(buffer)) {
      signal?.throwIfAborted();
      hash.update(buffer.subarray(0, bytes));
    }
    return compare(row, hash.digest("hex"));
  } catch (error) {
    if (!(error instanceof BlobDamaged)) throw error;
    return { kind: "missing", what: row.id, detail: error.message };
  } finally {
    await source?.close();
  }
}

function compare(row: ScrubRow, sha256: string): Found | undefined {
  if (row.sha256 === sha256) return undefined;
  return { kind: "altered", what: row.id, detail: `its sha256 is ${sha256}, not ${row.sha256 ?? "known"}` };
}

async function checkParts({ metadata }: ScrubOptions, row: ScrubRow): Promise<Found | undefined> {
  let position = 0;
  for await (const part of partRows(metadata.read, row.id)) {
    const name = `its part ${part.part_id} at ${part.position}`;
    if (part.position !== position)
      return { kind: "parts", what: row.id, detail: `${name} should start at ${position}` };
    if (part.state !== "live" || part.org_id !== row.org_id)
      return { kind: "parts", what: row.id, detail: `${name} is missing, or belongs to another organization` };
    if (part.start + part.length > part.size)
      return { kind: "parts", what: row.id, detail: `${name} ends after the ${part.size} bytes of its blob` };
    position += part.length;
  }
  if (position === row.size) return undefined;
  return { kind: "parts", what: row.id, detail: `its parts have ${position} bytes, not ${row.size}` };
}
