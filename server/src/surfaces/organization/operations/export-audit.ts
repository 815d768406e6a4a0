import { Readable } from "node:stream";
import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { exportAudit as rowsOf, type AuditRow } from "#domain/audit/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { auditBody } from "../model.ts";
import { filtersOf } from "../query.ts";
import { requireOrganization } from "../resources.ts";

export function exportAudit(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.exportAudit> {
  return async ({ query }, { principal, reply, signal }) => {
    requireOrganization(principal, "audit:read");
    const lines = linesOf(rowsOf(deps, principal.orgId, filtersOf(query), signal));
    await reply
      .header("content-type", "application/x-ndjson; charset=utf-8")
      .header("content-disposition", 'attachment; filename="audit.ndjson"')
      .header("cache-control", "no-store")
      .send(Readable.from(lines));
    return undefined;
  };
}

async function* linesOf(rows: AsyncIterable<AuditRow>): AsyncGenerator<string, void, void> {
  for await (const row of rows) yield `${JSON.stringify(auditBody(row))}\n`;
}
