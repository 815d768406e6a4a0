import type { FILE_ROUTES } from "@mooring/contract";
import { ownTrashDays, trashVersion } from "#domain/files/index.ts";
import type { Operation } from "#http/index.ts";
import { etagOf as versionOf } from "#kernel/versions.ts";
import type { FilesSurfaceDeps } from "../index.ts";
import { settingsBody } from "../model.ts";

export function getFileSettings(deps: FilesSurfaceDeps): Operation<typeof FILE_ROUTES.getFileSettings> {
  return async (_input, { principal, reply }) => {
    const days = await ownTrashDays(deps.metadata.read, principal.orgId);
    void reply.header("etag", versionOf(trashVersion(days)));
    return { data: settingsBody(days, deps.settings) };
  };
}
