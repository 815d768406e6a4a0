import type { FILE_ROUTES } from "@mooring/contract";
import { ownTrashDays } from "#domain/files/index.ts";
import type { Operation } from "#http/index.ts";
import type { FilesSurfaceDeps } from "../index.ts";
import { settingsBody } from "../model.ts";

export function getFileSettings(deps: FilesSurfaceDeps): Operation<typeof FILE_ROUTES.getFileSettings> {
  return async (_input, { principal }) => ({
    data: settingsBody(await ownTrashDays(deps.metadata.read, principal.orgId), deps.settings),
  });
}
