import type { Report } from "../parser.ts";

/** Answers are rendered where the body is read, in a thread if it is large: they have an object for each action. */
export interface ElasticsearchReport extends Report {
  readonly status: number;
  readonly body: string;
}

export interface BulkItem {
  readonly action: string;
  readonly index: string;
  readonly id: string;
  /** The fault; absent when the document is taken. */
  readonly fault?: string;
}

const FAULT_TYPE = "document_parsing_exception";

/** The answer to a bulk request: an object for each action, in order (Elasticsearch, "Bulk API"). */
export function bulkAnswer(items: readonly BulkItem[]): ElasticsearchReport {
  const errors = items.some(({ fault }) => fault !== undefined);
  const results = items.map((item) => ({ [item.action]: resultOf(item) }));
  return { status: 200, body: JSON.stringify({ took: 0, errors, items: results }) };
}

/** The answer to one document ("Index API"). */
export function documentAnswer(item: BulkItem): ElasticsearchReport {
  if (item.fault === undefined) return { status: 201, body: JSON.stringify(resultOf(item)) };
  return { status: 400, body: JSON.stringify(errorOf(400, FAULT_TYPE, item.fault)) };
}

export function errorOf(status: number, type: string, reason: string): object {
  return { error: { root_cause: [{ type, reason }], type, reason }, status };
}

function resultOf({ index, id, fault }: BulkItem): object {
  if (fault !== undefined) return { _index: index, _id: id, status: 400, error: { type: FAULT_TYPE, reason: fault } };
  const shards = { total: 1, successful: 1, failed: 0 };
  const stored = { _version: 1, result: "created", _shards: shards, _seq_no: 0, _primary_term: 1 };
  return { _index: index, _id: id, ...stored, status: 201 };
}
