import Type from "typebox";
import { Id, IdOrSlug, nullable } from "./organization/shapes.ts";
import { route } from "./route.ts";
import { Timestamp } from "./shared.ts";

/** The reasons for which entries of telemetry are refused: for the API, the metrics and the documentation. */
export const ENTRY_REFUSALS = {
  too_old: "The time is before the accepted times, which the retention or the organization sets.",
  in_future: "The time is after the accepted times. The clock of the sender may be wrong.",
  bad_timestamp: "The time is not a date-time with its offset from UTC.",
  missing_member: "A required member is missing.",
  unknown_member: "The entry has a member that entries of its type do not have.",
  bad_value: "A value has the wrong type or is too long.",
  too_many_attributes: "The entry has too many keys.",
  too_large: "The entry, or the whole request, is too large.",
  unreadable: "The text is not valid JSON or UTF-8, or is not in the format of the protocol.",
  other_service: "The sender is limited to other services.",
  project: "The entry names no project, or one to which the sender may not write.",
  quota: "A quota of the organization is used up.",
  busy: "The server could not store it at that time. Agents send it again.",
} as const;

export type EntryRefusal = keyof typeof ENTRY_REFUSALS;

export const ENTRY_REFUSAL_NAMES = Object.keys(ENTRY_REFUSALS) as EntryRefusal[];

/** How long the counts of refused entries are kept, in hours. */
export const REFUSED_ENTRIES_HOURS = 72;

const Reason = Type.Enum([...ENTRY_REFUSAL_NAMES]);

const Sample = Type.Object({
  at: Timestamp,
  pointer: Type.String({ description: "the place of the fault in the request; empty for the request as a whole" }),
  detail: Type.String(),
  entry: nullable(Type.String({ description: "the beginning of the entry as JSON, with long values cut" })),
});

const RefusedEntries = Type.Object({
  sender: Type.Object({
    kind: Type.String({ description: "credential, ingest key or person" }),
    id: Id,
    name: nullable(Type.String({ description: "null for a person, and for a deleted sender" })),
  }),
  project_id: nullable(Type.String({ description: "the project that the request named, or the sender's" })),
  protocol: Type.String(),
  type: Type.Enum(["logs", "metrics", "traces"]),
  reason: Reason,
  entries: Type.Integer({ minimum: 0, description: "refused entries" }),
  requests: Type.Integer({ minimum: 1, description: "requests with such entries, or that were refused as a whole" }),
  last_at: Timestamp,
  samples: Type.Array(Sample, { description: "the newest of one server, at most ten for an hour" }),
});

/** Mounted with the settings of telemetry. */
export const REFUSED_ENTRIES_ROWS = {
  listRefusedEntries: route({
    operationId: "listRefusedEntries",
    method: "GET",
    path: "/v1/telemetry/refused",
    tag: "telemetry",
    summary: "Show which entries were refused, by sender and reason",
    description:
      "Counts of the last hours, most entries first. The counts of the last seconds may be missing. Shows the senders of projects that the caller may read.",
    permission: "telemetry:read",
    resource: "unlimited",
    query: Type.Object({
      hours: Type.Optional(
        Type.Integer({ minimum: 1, maximum: REFUSED_ENTRIES_HOURS, default: 24, description: "the last hours" }),
      ),
      project: Type.Optional(IdOrSlug),
      sender: Type.Optional(Type.String({ maxLength: 64, description: "the id of a credential or ingest key" })),
      reason: Type.Optional(Reason),
    }),
    result: Type.Object({
      items: Type.Array(RefusedEntries, { description: "at most 200" }),
      entries: Type.Integer({ minimum: 0, description: "refused entries of all items that match" }),
    }),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
} as const;
