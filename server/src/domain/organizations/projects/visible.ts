import type { Principal } from "#domain/identity/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { VisibleRows } from "#stores/telemetry/index.ts";
import { everyProject } from "./store.ts";

/** Which projects' rows a principal may see: rows of a private project, also a deleted one, only from inside it. */
export async function visibleProjects(
  metadata: Pick<MetadataStore, "read">,
  principal: Principal,
): Promise<VisibleRows> {
  if (principal.kind === "credential" && principal.projectId !== null) {
    return { projectIds: [principal.projectId], unassigned: false };
  }
  const projects = await everyProject(metadata.read, principal.orgId);
  const mine = principal.kind === "person" ? principal.projects : new Map<string, never>();
  const visible = projects.filter((project) => project.visibility === "organization" || mine.has(project.id));
  if (visible.length === projects.length) return "all";
  return { projectIds: visible.map((project) => project.id), unassigned: true };
}
