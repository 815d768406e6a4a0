import { zstdCompressSync } from "node:zlib";
import { DuckDBTypeId } from "@duckdb/node-api";
import { Failure } from "../../failure.ts";
import { Batch } from "../columns/batch.ts";
import type { ResultColumn, ResultWriter } from "../writer.ts";
import { fillLeaves, leavesOf, type Leaf } from "./leaves.ts";
import { physicalOf, schemaElements } from "./schema.ts";
import { i32, i64, list, struct, text, thrift, type Struct } from "./thrift.ts";
import { pageContent } from "./values.ts";

/** The bytes of rows in one row group, before compression. */
const GROUP_BYTES = 8 * 1024 * 1024;
/** The most column chunks in one file. The footer describes each of them, and stays in memory until the end. */
const CHUNKS_MAX = 100_000;
/** Parquet's interval has only milliseconds. */
const AS_TEXT: ReadonlySet<DuckDBTypeId> = new Set([DuckDBTypeId.INTERVAL]);

const MAGIC = Buffer.from("PAR1");
const VERSION = 2;
const ZSTD = 6;
const PLAIN = 0;
const RLE = 3;
const DATA_PAGE = 0;

/**
 * Writes a Parquet file: row groups with one page for each column, zstd, and the footer. After an error the footer is
 * missing.
 */
export function parquetWriter(columns: readonly ResultColumn[]): ResultWriter {
  const batch = new Batch(columns, AS_TEXT);
  const file = new File(batch);
  return {
    head: () => {
      file.offset += MAGIC.length;
      return MAGIC;
    },
    row: (vectors, index) => {
      batch.add(vectors, index);
      return batch.bytes < GROUP_BYTES ? "" : file.takeGroup();
    },
    tail: ({ error }) => {
      if (error !== undefined) return undefined;
      const last = batch.rows > 0 ? [file.takeGroup()] : [];
      return Buffer.concat([...last, file.footer()]);
    },
  };
}

/** The data for the footer. */
class File {
  readonly #batch: Batch;
  readonly #leaves: readonly Leaf[];
  readonly #groups: Struct[] = [];
  #rows = 0;
  offset = 0;

  constructor(batch: Batch) {
    this.#batch = batch;
    this.#leaves = leavesOf(batch.fields);
  }

  /** Returns the rows of the batch as a row group, and empties the batch. */
  takeGroup(): Buffer {
    if ((this.#groups.length + 1) * this.#leaves.length > CHUNKS_MAX) throw tooManyChunks();
    const { fields, columns, rows } = this.#batch;
    const parts: Buffer[] = [];
    const chunks: Struct[] = [];
    let bytes = 0;
    for (const filled of fillLeaves(this.#leaves, fields, columns, rows)) {
      const content = pageContent(filled);
      const compressed = zstdCompressSync(content);
      const header = thrift(pageHeader(filled.levels.index.length, content.length, compressed.length));
      const sizes = [header.length + content.length, header.length + compressed.length] as const;
      chunks.push(chunkOf(filled.leaf, filled.levels.index.length, sizes, this.offset));
      parts.push(header, compressed);
      this.offset += sizes[1];
      bytes += sizes[0];
    }
    this.#groups.push(struct({ 1: list("struct", chunks), 2: i64(bytes), 3: i64(rows) }));
    this.#rows += rows;
    this.#batch.clear();
    return Buffer.concat(parts);
  }

  footer(): Buffer {
    const metadata = thrift(
      struct({
        1: i32(VERSION),
        2: list("struct", schemaElements(this.#batch.fields)),
        3: i64(this.#rows),
        4: list("struct", this.#groups),
        6: text("mooring"),
      }),
    );
    const length = Buffer.alloc(4);
    length.writeUInt32LE(metadata.length);
    return Buffer.concat([metadata, length, MAGIC]);
  }
}

function pageHeader(values: number, bytes: number, compressedBytes: number): Struct {
  const data = struct({ 1: i32(values), 2: i32(PLAIN), 3: i32(RLE), 4: i32(RLE) });
  return struct({ 1: i32(DATA_PAGE), 2: i32(bytes), 3: i32(compressedBytes), 5: data });
}

function chunkOf(leaf: Leaf, values: number, [bytes, compressedBytes]: readonly [number, number], at: number): Struct {
  const metadata = struct({
    1: i32(physicalOf(leaf.type).type),
    2: list("i32", [i32(PLAIN), i32(RLE)]),
    3: list("text", leaf.path.map(text)),
    4: i32(ZSTD),
    5: i64(values),
    6: i64(bytes),
    7: i64(compressedBytes),
    9: i64(at),
  });
  return struct({ 2: i64(0), 3: metadata });
}

function tooManyChunks(): Failure {
  const detail = "one Parquet file can't hold this many rows with this many columns; select less, or use Arrow";
  return new Failure("query_too_large", detail);
}
