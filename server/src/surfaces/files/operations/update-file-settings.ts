import type { FILE_ROUTES } from "@mooring/contract";
import { setTrashDays } from "#domain/files/index.ts";
import { requireOrganization, type Operation } from "#http/index.ts";
import type { FilesSurfaceDeps } from "../index.ts";
import { settingsBody } from "../model.ts";
import { callerOf } from "../resources.ts";

export function updateFileSettings(deps: FilesSurfaceDeps): Operation<typeof FILE_ROUTES.updateFileSettings> {
  return async ({ body }, context) => {
    const { principal } = context;
    requireOrganization(principal, "org:write");
    await setTrashDays(deps, callerOf(context), principal.orgId, body.trash_days);
    return { data: settingsBody(body.trash_days, deps.settings) };
  };
}
