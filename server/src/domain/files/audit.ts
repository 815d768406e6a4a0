import { appendAudit, type AuditDeps } from "#domain/audit/index.ts";
import { auditOrigin, type Caller } from "#domain/organizations/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { FileRow } from "./store.ts";

interface FileChange {
  readonly action: "file.copy" | "file.delete" | "file.purge" | "file.restore";
  readonly file: Pick<FileRow, "id" | "org_id" | "project_id" | "filename" | "size" | "sha256">;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Appends a file event to the audit log. Call it last in its transaction. */
export async function auditFile(
  deps: AuditDeps,
  tx: Writer,
  caller: Caller,
  { action, file, more = {} }: FileChange,
): Promise<void> {
  const { id, org_id: orgId, project_id: project, filename, size, sha256 } = file;
  await appendAudit(deps, tx, {
    ...auditOrigin(caller),
    orgId,
    action,
    target: { kind: "file", id },
    detail: { filename, size_bytes: size, sha256, project, ...more },
  });
}
