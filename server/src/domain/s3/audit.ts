import type { AuditEvent } from "#domain/audit/index.ts";
import type { Bucket, S3Caller } from "./types/index.ts";

/** The actor of a change to a bucket, and its address. */
export function auditOf(
  { principal, ip, requestId }: S3Caller,
  bucket: Pick<Bucket, "id" | "orgId">,
): Pick<AuditEvent, "orgId" | "actor" | "ip" | "requestId" | "result" | "target"> {
  const actor =
    principal.kind === "key"
      ? (principal.actor ?? { kind: "credential" as const, id: principal.id })
      : { kind: "anonymous" as const, id: null };
  return { orgId: bucket.orgId, actor, ip, requestId, result: "success", target: { kind: "app", id: bucket.id } };
}
