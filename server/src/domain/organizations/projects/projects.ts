import { kept } from "#domain/idempotency/index.ts";
import { appendAudit } from "#domain/audit/index.ts";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import { heldScopes, PROJECT_ROLE_SCOPES, requireHeld, type Reach, absent } from "#domain/identity/index.ts";
import { moveToTrash, type TrashDeps } from "#domain/trash/index.ts";
import {
  holderOfSlug,
  insertProject,
  listProjectRows,
  newProject,
  projectByName,
  projectVersion,
  refuseIfLocked,
  requireLabelKept,
  setProject,
  trashProject,
  type Project,
  type ProjectFilter,
} from "#domain/projects/index.ts";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import { auditOrigin, endOfGiver, grantorOf, scopesInProject, type Caller, type OrganizationsDeps } from "../caller.ts";
import { announceAccessChange, changeOrganization } from "../change.ts";
import { listPage, type Page, type PageQuery } from "../pages.ts";
import { requireWithinEnd } from "../members/ends.ts";
import { personPrincipal } from "../members/person.ts";
import { beyond } from "../members/rules.ts";
import { findMember } from "../members/store.ts";
import { freeSlugs, lockedBucketOf } from "../apps/trash/store.ts";
import { requireNoObjectLock } from "../apps/object-lock.ts";
import { maintainersOf, putProjectRole } from "./store.ts";

export interface NewProject {
  slug: string;
  name?: string | undefined;
  visibility?: Project["visibility"] | undefined;
  environment?: string | undefined;
  /** The user id of the first maintainer. Default for a private project: the person responsible for the caller. */
  maintainer?: string | undefined;
}

/** Lists projects, newest first. @throws Problem `invalid_parameter` for a foreign cursor */
export async function listProjects(
  deps: Pick<OrganizationsDeps, "metadata">,
  orgId: string,
  reach: Reach,
  page: PageQuery & ProjectFilter,
): Promise<Page<Project>> {
  const { environment, archived } = page;
  return listPage(
    page,
    (wanted) => listProjectRows(deps.metadata.read, orgId, reach, { ...wanted, environment, archived }),
    (row) => row.id,
  );
}

/**
 * Creates a project.
 * @throws Problem `duplicate_slug`, `invalid_body` (a private project without a maintainer, or the maintainer is not a
 * member)
 */
export async function createProject(
  deps: OrganizationsDeps,
  caller: Caller,
  orgId: string,
  input: NewProject,
): Promise<Project> {
  return changeOrganization(deps, orgId, async (tx) =>
    kept(tx, await createProjectIn(deps, tx, caller, { orgId, input })),
  );
}

/** Creates a project in the caller's transaction, under the organization's lock. */
export async function createProjectIn(
  deps: OrganizationsDeps,
  tx: Writer,
  caller: Caller,
  options: { orgId: string; input: NewProject },
): Promise<Project> {
  const { orgId, input } = options;
  const at = deps.clock.nowMs();
  const visibility = input.visibility ?? "organization";
  const row = newProject({
    id: newId("proj", at),
    org_id: orgId,
    slug: input.slug,
    name: input.name ?? input.slug,
    visibility,
    environment: input.environment ?? null,
    created_at: at,
  });
  const maintainer = await firstMaintainer(deps, tx, caller, row, input.maintainer);
  await enforceRecordLimit(deps.metadata, tx, "projects_max", orgId);
  if (!(await insertProject(tx, row))) throw duplicateSlug("/slug", input.slug);
  if (maintainer !== undefined) {
    await putProjectRole(tx, {
      org_id: orgId,
      project_id: row.id,
      user_id: maintainer,
      role: "maintainer",
      created_at: at,
      expires_at: null,
    });
    await announceAccessChange(deps, tx, orgId);
  }
  await appendAudit(deps, tx, {
    ...auditOrigin(caller),
    orgId,
    action: "project.create",
    target: { kind: "project", id: row.id },
    detail: { slug: row.slug, visibility, environment: row.environment, maintainer: maintainer ?? null },
  });
  return row;
}

/**
 * Returns the maintainer: the named one. If none is named and the project needs one, the person responsible for the
 * caller.
 */
async function firstMaintainer(
  { clock }: Pick<OrganizationsDeps, "clock">,
  db: Reader,
  caller: Caller,
  project: Project,
  named: string | undefined,
): Promise<string | undefined> {
  if (named === undefined && project.visibility === "organization") return undefined;
  const userId = named ?? (await grantorOf(db, caller, project.org_id, clock.nowMs())).userId;
  const detail =
    named === undefined
      ? "is required, because a private project needs a maintainer"
      : "is not a member of the organization";
  if (userId !== undefined && (await findMember(db, project.org_id, userId)) !== undefined) return userId;
  throw new Problem("invalid_body", "The project needs a member of the organization as its maintainer.", {
    errors: [{ pointer: "/maintainer", detail }],
  });
}

/**
 * Changes a project.
 * @throws Problem `not_found`, `concurrent_update`, `duplicate_slug`, `conflict` (private without a maintainer)
 */
export async function updateProject(
  deps: OrganizationsDeps,
  caller: Caller,
  project: Pick<Project, "id" | "org_id">,
  options: {
    change: { slug?: string; name?: string; visibility?: Project["visibility"]; environment?: string | null };
    ifMatch: string | undefined;
  },
): Promise<Project> {
  const expected = await expectedOf(options.ifMatch, async () =>
    projectVersion(await found(deps.metadata.read, project)),
  );
  return changeOrganization(deps, project.org_id, async (tx) => {
    const before = await found(tx, project);
    requireMatch(expected, projectVersion(before));
    const after: Project = { ...before, ...options.change };
    const holder = await holderOfSlug(tx, before.org_id, after.slug);
    if (holder !== undefined && holder !== before.id) throw duplicateSlug("/slug", after.slug);
    requireLabelKept(before, after);
    await requireMayOpen(deps, tx, caller, { before, after });
    if (after.visibility === "private" && before.visibility !== "private")
      await ensureMaintainer(deps, tx, caller, before);
    await setProject(tx, after);
    // Nodes keep the visibility, and the slugs that senders name.
    if (after.visibility !== before.visibility || after.slug !== before.slug)
      await announceAccessChange(deps, tx, after.org_id);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId: after.org_id,
      action: "project.update",
      target: { kind: "project", id: after.id },
      detail: { before: settingsOf(before), after: settingsOf(after) },
    });
    return after;
  });
}

/**
 * Checks that the caller has all permissions of a maintainer, without an end. An opened project is visible to every
 * credential of the organization.
 */
async function requireMayOpen(
  { clock }: Pick<OrganizationsDeps, "clock">,
  tx: Writer,
  caller: Caller,
  { before, after }: { readonly before: Project; readonly after: Project },
): Promise<void> {
  const isWider = before.visibility === "private" && after.visibility !== "private";
  const given = PROJECT_ROLE_SCOPES.maintainer;
  requireHeld(scopesInProject(caller, before.id), isWider ? given : []);
  if (isWider) requireWithinEnd(await endOfGiver(tx, caller, before, { given, nowMs: clock.nowMs() }), null);
}

async function ensureMaintainer(deps: OrganizationsDeps, tx: Writer, caller: Caller, project: Project): Promise<void> {
  if ((await maintainersOf(tx, project)).length > 0) return;
  const nowMs = deps.clock.nowMs();
  const { userId } = await grantorOf(tx, caller, project.org_id, nowMs);
  // A custom role may allow this change with fewer permissions than a maintainer has.
  const person = userId === undefined ? undefined : await personPrincipal(tx, project.org_id, userId, nowMs);
  const held = person === undefined ? undefined : heldScopes(person, { orgId: project.org_id, project });
  if (userId === undefined || beyond(PROJECT_ROLE_SCOPES.maintainer, held ?? new Set()).length > 0) {
    throw new Problem(
      "conflict",
      "A private project needs a maintainer. Give a member this role in the project first.",
    );
  }
  await putProjectRole(tx, {
    org_id: project.org_id,
    project_id: project.id,
    user_id: userId,
    role: "maintainer",
    created_at: nowMs,
    expires_at: null,
  });
}

/**
 * Puts a project into the trash, with everything in it. Its credentials can do nothing until it is restored. Its slug and
 * those of its apps are free at once.
 * @throws Problem `not_found`, `conflict` (its deletion lock, or the object lock of a bucket)
 */
export async function deleteProject(
  deps: OrganizationsDeps & TrashDeps,
  caller: Caller,
  project: Pick<Project, "id" | "org_id">,
): Promise<void> {
  const orgId = project.org_id;
  await changeOrganization(deps, orgId, async (tx) => {
    const row = await found(tx, project);
    refuseIfLocked(row);
    requireNoObjectLock(await lockedBucketOf(tx, { column: "project_id", value: row.id }));
    // Changes that are under way commit before it, or find no project.
    for (const lock of ["saved_query", "file", "webhook", "registry"]) await deps.metadata.lock(tx, `${lock}:${orgId}`);
    const { id: projectId, slug: name } = row;
    await trashProject(tx, row, deps.clock.nowMs());
    await freeSlugs(tx, { orgId, projectId });
    await moveToTrash(deps, tx, caller, { kind: "project", orgId, projectId, objectId: projectId, name });
    await announceAccessChange(deps, tx, orgId);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId,
      action: "project.delete",
      target: { kind: "project", id: row.id },
      detail: { slug: row.slug },
    });
  });
}

export function duplicateSlug(pointer: string, slug: string): Problem {
  return new Problem("duplicate_slug", `The slug ${slug} is taken in this organization. Choose another one.`, {
    errors: [{ pointer, detail: "is taken" }],
  });
}

function settingsOf(project: Project): Record<string, unknown> {
  const { slug, name, visibility, environment } = project;
  return { slug, name, visibility, environment };
}

/** Returns the current project, under the organization's lock. */
export async function found(db: Reader, project: Pick<Project, "id" | "org_id">): Promise<Project> {
  const row = await projectByName(db, project.org_id, project.id);
  if (row === undefined) throw absent();
  return row;
}
