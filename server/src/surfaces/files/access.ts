import { noteAccess, type Accessed, type Actor, type OperationContext } from "#http/index.ts";

/** The parts of a file, or of an upload, that a row of the access log has. */
interface Named {
  readonly id: string;
  readonly org_id: string;
  readonly project_id: string | null;
  readonly filename: string;
}

export function noteFile(request: OperationContext["request"], file: Named, about: Accessed = {}): void {
  const { id: targetId, org_id: orgId, project_id: projectId, filename: targetName } = file;
  noteAccess(request, { orgId, targetKind: "file", targetId, targetName, projectId, ...about });
}

/** The user of a presigned URL is unknown; the URL names who signed it. */
export function presigned(grantBy: string): Actor {
  return { kind: "anonymous", id: null, via: "presigned", grantBy };
}
