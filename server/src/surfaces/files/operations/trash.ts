import {
  emptyTrash as empty,
  findFile,
  listTrash as list,
  purgeFile as purge,
  restoreFile as restore,
  trashDaysOf,
} from "#domain/files/index.ts";
import { requireSeen } from "#domain/identity/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { callerOf } from "#http/index.ts";
import type { FileOperation } from "../deps.ts";
import { fileBody, trashedBody } from "../model.ts";
import { placeFor, trashedFor } from "../resources.ts";

export const listTrash: FileOperation<"listTrash"> = async (
  deps,
  { query: { limit = 50, offset = 0, project } },
  { principal },
) => {
  const named = project === undefined ? null : await placeFor(deps, principal, project, "files:read");
  const { files, total, bytes } = await list(deps, principal, { limit, offset, projectId: named ?? undefined });
  const days = await trashDaysOf(deps, deps.metadata.read, principal.orgId);
  return { data: { files: files.map(trashedBody), total, bytes, trash_days: days } };
};

export const restoreFile: FileOperation<"restoreFile"> = async (deps, { params }, context) => {
  const { principal } = context;
  const file = await findFile(deps, principal.orgId, params.file_id);
  if (file !== undefined) {
    requireSeen(principal, "files:write", resourceOf(file));
    return { data: fileBody(file) };
  }
  const { id } = await trashedFor(deps, principal, params.file_id, "files:write");
  return { data: fileBody(await restore(deps, callerOf(context), principal.orgId, id)) };
};

export const purgeFile: FileOperation<"purgeFile"> = async (deps, { params }, context) => {
  const { principal } = context;
  const { id } = await trashedFor(deps, principal, params.file_id, "files:delete");
  await purge(deps, callerOf(context), principal.orgId, id);
  return undefined;
};

export const emptyTrash: FileOperation<"emptyTrash"> = async (deps, { query: { project } }, context) => {
  const { principal, signal } = context;
  const named = project === undefined ? null : await placeFor(deps, principal, project, "files:delete");
  return { data: await empty(deps, callerOf(context), named ?? undefined, signal) };
};
