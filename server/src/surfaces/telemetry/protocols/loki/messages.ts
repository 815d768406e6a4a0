import { message } from "../../wire/protobuf/schema.ts";

/** The messages of a push (grafana/loki, pkg/push/push.proto), with the fields that are kept. */

export interface PushEntry {
  readonly timestamp?: { readonly seconds?: number | bigint; readonly nanos?: number };
  readonly line?: string;
  readonly metadata?: readonly { readonly name?: string; readonly value?: string }[];
}

export interface PushRequest {
  readonly streams?: readonly { readonly labels?: string; readonly entries?: readonly PushEntry[] }[];
}

const TimestampSchema = message("Timestamp", { seconds: [1, "int64"], nanos: [2, "int32"] });
const PairSchema = message("LabelPairAdapter", { name: [1, "string"], value: [2, "string"] });
const EntrySchema = message("EntryAdapter", {
  timestamp: [1, () => TimestampSchema],
  line: [2, "string"],
  metadata: [3, () => PairSchema, "repeated"],
});
const StreamSchema = message("StreamAdapter", { labels: [1, "string"], entries: [2, () => EntrySchema, "repeated"] });

export const PUSH_REQUEST = message("PushRequest", { streams: [1, () => StreamSchema, "repeated"] });
