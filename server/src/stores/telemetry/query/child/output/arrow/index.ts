import type { DuckDBTypeId } from "@duckdb/node-api";
import { Batch } from "../columns/batch.ts";
import type { ResultColumn, ResultWriter } from "../writer.ts";
import { batchMessage, endOfStream, schemaMessage } from "./message.ts";

/** The bytes of rows in one record batch. */
const BATCH_BYTES = 1024 * 1024;
/** The last bytes of each batch are held back until the next one, so that a result that breaks off ends within a message. */
const WITHHELD_BYTES = 8;
const AS_TEXT: ReadonlySet<DuckDBTypeId> = new Set();

/** Writes Arrow's streaming format: the schema, record batches, the end marker. After an error the end marker is missing. */
export function arrowWriter(columns: readonly ResultColumn[]): ResultWriter {
  const batch = new Batch(columns, AS_TEXT);
  let withheld: Uint8Array = new Uint8Array();
  const send = (bytes: Uint8Array): Uint8Array => {
    const whole = Buffer.concat([withheld, bytes]);
    const cut = whole.length - WITHHELD_BYTES;
    withheld = whole.subarray(cut);
    return whole.subarray(0, cut);
  };
  const takeBatch = (): Uint8Array => {
    const message = batchMessage(batch.rows, batch.columns);
    batch.clear();
    return message;
  };
  return {
    head: () => send(schemaMessage(batch.fields)),
    row: (vectors, index) => {
      batch.add(vectors, index);
      return batch.bytes < BATCH_BYTES ? "" : send(takeBatch());
    },
    tail: ({ error }) => {
      if (error !== undefined) return undefined;
      const last = batch.rows > 0 ? [takeBatch()] : [];
      return Buffer.concat([withheld, ...last, endOfStream()]);
    },
  };
}
