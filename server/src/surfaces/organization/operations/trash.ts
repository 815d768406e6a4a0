import { APP_SLUG_PATTERN, resourceKindOf, SLUG_PATTERN, TRASH_RULES, type TrashKind } from "@mooring/contract";
import { absent, requireSeen, type Principal } from "#domain/identity/index.ts";
import { auditOrigin, listPage, projectIfNamed } from "#domain/organizations/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { findTrashItem, purgeItem, restoreItem, trashItems, type TrashItem } from "#domain/trash/index.ts";
import { callerOf } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { OrganizationOperation, OrganizationSurfaceDeps } from "../deps.ts";
import { pageBody } from "../model.ts";
import { pageOf } from "../query.ts";

export const listTrashItems: OrganizationOperation<"listTrashItems"> = async (deps, { query }, { principal }) => {
  const project = await projectIfNamed(deps, principal, query.project, "projects:read");
  const filter = { projectId: project?.id, kind: query.kind };
  const page = await listPage(
    pageOf(query),
    (wanted) => trashItems(deps, principal, { ...wanted, ...filter }),
    ({ id }) => id,
  );
  return pageBody(page, itemBody);
};

export const getTrashItem: OrganizationOperation<"getTrashItem"> = async (deps, { params }, { principal }) =>
  itemBody(await itemFor(deps, principal, params.item_id, "read"));

export const restoreTrashItem: OrganizationOperation<"restoreTrashItem"> = async (deps, { params, query }, context) => {
  const item = await itemFor(deps, context.principal, params.item_id, "restore");
  const { slug } = query;
  if (slug !== undefined) requireSlug(item.kind, slug);
  await restoreItem(deps.trash, auditOrigin(callerOf(context)), item, { slug });
  return undefined;
};

export const purgeTrashItem: OrganizationOperation<"purgeTrashItem"> = async (deps, { params }, context) => {
  const item = await itemFor(deps, context.principal, params.item_id, "purge");
  await purgeItem(deps.trash, auditOrigin(callerOf(context)), item);
  return undefined;
};

/** @throws Problem `not_found` (absent and hidden alike), `insufficient_scope`, `project_archived` */
async function itemFor(
  deps: OrganizationSurfaceDeps,
  principal: Principal,
  id: string,
  act: "read" | "restore" | "purge",
): Promise<TrashItem> {
  const item = await findTrashItem(deps, principal.orgId, id);
  if (item === undefined) throw absent();
  const kind = resourceKindOf(TRASH_RULES[item.kind].read);
  const resource = resourceOf(item);
  requireSeen(
    principal,
    TRASH_RULES[item.kind][act],
    kind === undefined ? resource : { ...resource, item: { kind, id: item.object_id } },
  );
  return item;
}

const SLUGS: Partial<Record<TrashKind, RegExp>> = {
  app: new RegExp(APP_SLUG_PATTERN),
  project: new RegExp(SLUG_PATTERN),
};

/** @throws Problem `invalid_parameter` */
function requireSlug(kind: TrashKind, slug: string): void {
  const detail = SLUGS[kind] === undefined ? "is only for apps and projects" : "is not valid for it";
  if (SLUGS[kind]?.test(slug) === true) return;
  throw new Problem("invalid_parameter", `The parameter slug ${detail}.`, { errors: [{ pointer: "slug", detail }] });
}

function itemBody(item: TrashItem) {
  const { tags = [] } = JSON.parse(item.detail) as { readonly tags?: string[] };
  return {
    id: item.id,
    kind: item.kind,
    name: item.name,
    object_id: item.object_id,
    project_id: item.project_id,
    tags,
    deleted_at: isoFromMs(item.deleted_at),
    deleted_by: item.deleted_by,
    purge_at: isoFromMs(item.purge_at),
  };
}
