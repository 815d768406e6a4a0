import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import { exactJson } from "#kernel/json-text.ts";
import { INGEST_ENTRY_BYTES_MAX } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs, isoWithMicros } from "#kernel/time.ts";
import { isObject, type JsonObject } from "../../wire/check.ts";
import { documentEntryOf } from "../document.ts";
import { jsonLineOf, linesIn } from "../json-body.ts";
import type { ParseContext } from "../parser.ts";
import { timeOfMs } from "../times.ts";
import { bulkAnswer, documentAnswer, type BulkItem, type ElasticsearchReport } from "./answers.ts";

/** An answer has an item for each action. */
const ACTIONS_MAX = 200_000;
const APPENDING = new Set(["index", "create"]);
const ACTIONS = ["index", "create", "update", "delete"] as const;
const NO_CHANGES = "rows are never changed: only index and create are supported";

/**
 * Reads a bulk request (Elasticsearch, "Bulk API"): a line with an action, and the document on the next line.
 * @throws Problem `invalid_body` when a line that must be an action is none, `body_too_large`
 */
export function parseBulk(body: Buffer, context: ParseContext): ElasticsearchReport {
  const items: BulkItem[] = [];
  const lines = linesIn(body);
  for (const { bytes, number } of lines) {
    const { action, index, id } = actionOf(bytes, number, context.settings["index"] ?? "");
    if (items.length === ACTIONS_MAX)
      throw new Problem("body_too_large", `The body has more than ${ACTIONS_MAX} actions; send fewer at a time.`);
    const document = action === "delete" ? undefined : lines.next().value?.bytes;
    const item = { action, index, id: id ?? newIdOf(document ?? bytes, number) };
    const fault = APPENDING.has(action)
      ? addDocument(document, { index, hasId: id !== undefined }, context)
      : NO_CHANGES;
    items.push(fault === undefined ? item : { ...item, fault });
  }
  return bulkAnswer(items);
}

/** Reads one document ("Index API"). @throws Problem as `parseBulk` */
export function parseDocument(body: Buffer, context: ParseContext): ElasticsearchReport {
  const index = context.settings["index"] ?? "";
  const fault = addDocument(body, { index, hasId: false }, context);
  const item = { action: "index", index, id: newIdOf(body, 1) };
  return documentAnswer(fault === undefined ? item : { ...item, fault });
}

/** The members of the action's line may have any order, and unknown ones are ignored. */
function actionOf(
  bytes: Buffer,
  number: number,
  fallback: string,
): { readonly action: string; readonly index: string; readonly id: string | undefined } {
  const line = jsonLineOf(bytes);
  const action = isObject(line) ? ACTIONS.find((name) => isObject(line[name])) : undefined;
  if (action === undefined) {
    const detail = `Malformed action/metadata line [${number}], expected one of ${ACTIONS.join(", ")}.`;
    throw new Problem("invalid_body", detail);
  }
  const { _index: index, _id: id } = (line as JsonObject)[action] as JsonObject;
  return { action, index: typeof index === "string" && index !== "" ? index : fallback, id: textOf(id) };
}

interface Place {
  readonly index: string;
  readonly hasId: boolean;
}

/** Returns the fault of a refused document. */
function addDocument(bytes: Buffer | undefined, { index, hasId }: Place, context: ParseContext): string | undefined {
  if (bytes === undefined) return "the document is missing";
  if (bytes.length > INGEST_ENTRY_BYTES_MAX) return `the document is larger than ${INGEST_ENTRY_BYTES_MAX} bytes`;
  if (!isUtf8(bytes)) return "the document is not valid UTF-8";
  const document = jsonLineOf(bytes);
  if (!isObject(document)) return "the document is not a JSON object";
  const sent = document["@timestamp"];
  const entry = documentEntryOf(
    document,
    {
      timestamp: sent === undefined ? isoFromMs(context.receivedMs) : timeOf(sent),
      fallbackService: datasetOf(index),
      attributes: index === "" ? [] : [["_index", index]],
    },
    ["@timestamp"],
  );
  const faults =
    entry["timestamp"] === undefined ? [{ pointer: "/@timestamp", detail: "must be a date or milliseconds" }] : [];
  return context.out.add({ rows: [{ entry }], faults, isTimeless: sent === undefined && !hasId });
}

/** Reads `strict_date_optional_time||epoch_millis`. A date without an offset is UTC. */
function timeOf(value: unknown): string | undefined {
  const text = textOf(value) ?? "";
  if (/^-?\d{5,}$/.test(text)) return timeOfMs(Number(text));
  const dateTime = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text;
  return isoWithMicros(dateTime) ?? isoWithMicros(`${dateTime}Z`);
}

/** The dataset of a data stream `logs-<dataset>-<namespace>`. */
function datasetOf(index: string): string | undefined {
  return /^logs-(.+)-[^-]+$/.exec(index)?.[1];
}

/** An identifier that depends only on the body, so that a repeat gets the first answer. */
function newIdOf(bytes: Buffer, number: number): string {
  return `${number.toString(36)}-${crc32(bytes).toString(36)}`;
}

function textOf(value: unknown): string | undefined {
  if (exactJson.isRawJSON(value)) return value.rawJSON;
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
