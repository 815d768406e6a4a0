import { sha256Hex } from "#kernel/digest.ts";

export type AuditActorKind = "person" | "credential" | "system" | "anonymous";
export type AuditResult = "success" | "denied" | "failure";

/** An event, as the code that caused it reports it. */
export interface AuditEvent {
  /** Null: an event of no organization, in the chain of the installation. */
  orgId: string | null;
  /** `via`: the token with which a person acted. It becomes a member of `detail`. */
  actor: { kind: AuditActorKind; id: string | null; via?: string };
  /** The object and a past participle or verb, for example `project.create`. */
  action: string;
  target?: { kind: string; id: string };
  result: AuditResult;
  ip?: string | null;
  requestId?: string | null;
  /** JSON values only, and no secrets. */
  detail?: Record<string, unknown>;
}

/** One entry of a chain, as it is stored. */
export interface AuditRow {
  org_id: string;
  seq: number;
  id: string;
  at: number;
  actor_kind: AuditActorKind;
  actor_id: string | null;
  action: string;
  target_kind: string | null;
  target_id: string | null;
  result: AuditResult;
  ip: string | null;
  request_id: string | null;
  detail: string;
  prev_hash: string;
  hash: string;
  /** JSON list of the digests of the personal parts. Null: the entry has none, or an older version wrote it. */
  commitments: string | null;
  /** JSON list of the personal parts (`personal.ts`), null for erased ones. */
  personal: string | null;
}

/** `prev_hash` of the first entry. */
export const GENESIS_HASH = "0".repeat(64);
/** `org_id` of the chain of the installation. */
export const INSTANCE_CHAIN = "";

/**
 * SHA-256 over every field and the previous hash. The input is a JSON array of strings, numbers and nulls in a fixed
 * order, so two different rows never render alike. It has the commitments of the personal parts, not the parts, so these
 * can be erased.
 */
export function hashOf(row: Omit<AuditRow, "hash" | "personal">): string {
  return sha256Hex(
    JSON.stringify([
      ...(row.commitments === null ? ["mooring.audit.1"] : ["mooring.audit.2", row.commitments]),
      row.org_id,
      row.seq,
      row.id,
      row.at,
      row.actor_kind,
      row.actor_id,
      row.action,
      row.target_kind,
      row.target_id,
      row.result,
      row.ip,
      row.request_id,
      row.detail,
      row.prev_hash,
    ]),
  );
}
