import type { FILE_ROUTES } from "@mooring/contract";
import { ownTrashDays, setTrashDays, trashVersion } from "#domain/files/index.ts";
import { requireOrganization } from "#domain/identity/index.ts";
import { type Operation, callerOf } from "#http/index.ts";
import { etagOf as versionOf } from "#kernel/versions.ts";
import type { FilesSurfaceDeps } from "../deps.ts";
import { settingsBody } from "../model.ts";

export function getFileSettings(deps: FilesSurfaceDeps): Operation<typeof FILE_ROUTES.getFileSettings> {
  return async (_input, { principal, reply }) => {
    const days = await ownTrashDays(deps.metadata.read, principal.orgId);
    void reply.header("etag", versionOf(trashVersion(days)));
    return { data: settingsBody(days, deps.settings) };
  };
}

export function updateFileSettings(deps: FilesSurfaceDeps): Operation<typeof FILE_ROUTES.updateFileSettings> {
  return async ({ body }, context) => {
    const { principal, request, reply } = context;
    requireOrganization(principal, "org:write");
    const ifMatch = request.headers["if-match"];
    await setTrashDays(deps, callerOf(context), principal.orgId, { days: body.trash_days, ifMatch });
    void reply.header("etag", versionOf(trashVersion(body.trash_days)));
    return { data: settingsBody(body.trash_days, deps.settings) };
  };
}
