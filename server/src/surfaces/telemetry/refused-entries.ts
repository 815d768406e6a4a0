import type { EntryRefusal } from "@mooring/contract";
import type { Principal } from "#domain/identity/index.ts";
import type { RefusedEntries, RefusedReason } from "#domain/refused-entries/index.ts";
import { Problem, type ProblemCode } from "#kernel/problem.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import { EntriesRefused } from "./wire/entry.ts";

/** The request whose refused entries are counted. */
export interface SentEntries {
  readonly principal: Pick<Principal, "orgId" | "kind" | "id">;
  readonly protocol: string;
  readonly type: TelemetryType;
  /** The project of the request; its entries may name others. */
  readonly projectId: string | null;
}

/** Reasons of requests that are refused as a whole. Other problems are not refusals of entries. */
const REASONS: Readonly<Partial<Record<ProblemCode, EntryRefusal>>> = {
  invalid_body: "unreadable",
  unsupported_media_type: "unreadable",
  body_too_large: "too_large",
  quota_exceeded: "quota",
  disk_full: "busy",
  unavailable: "busy",
};

/**
 * Runs a request of a sender and counts the entries that it refuses. For a request that is refused as a whole, the
 * number of its entries is not known, so it counts as one request with no entry.
 */
export async function countingRefused<T extends { readonly refused?: readonly RefusedReason[] | undefined }>(
  counter: Pick<RefusedEntries, "add"> | undefined,
  sent: SentEntries,
  run: () => Promise<T>,
): Promise<T> {
  try {
    const encoded = await run();
    if (encoded.refused !== undefined) counter?.add(batchOf(sent, encoded.refused));
    return encoded;
  } catch (error) {
    const refused = refusedBy(error);
    if (refused.length > 0) counter?.add(batchOf(sent, refused));
    throw error;
  }
}

export function batchOf({ principal, ...sent }: SentEntries, refused: readonly RefusedReason[]) {
  const { orgId, kind, id } = principal;
  return { orgId, sender: { kind, id }, ...sent, refused };
}

function refusedBy(error: unknown): readonly RefusedReason[] {
  if (error instanceof EntriesRefused) return error.refused;
  const reason = error instanceof Problem ? REASONS[error.code] : undefined;
  if (reason === undefined) return [];
  const { message } = error as Problem;
  return [{ reason, entries: 0, samples: [{ pointer: "", detail: message, entry: null }] }];
}
