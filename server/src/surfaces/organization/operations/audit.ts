import { Readable } from "node:stream";
import {
  exportAudit as rowsOf,
  findAuditEntry,
  listAudit as list,
  makeCheckpoint,
  verifyAudit as verify,
  type AuditRow,
} from "#domain/audit/index.ts";
import { absent, requireOrganization } from "#domain/identity/index.ts";
import type { OrganizationOperation } from "../deps.ts";
import { auditBody, pageBody, verificationBody } from "../model.ts";
import { filtersOf, pageOf } from "../query.ts";

export const listAudit: OrganizationOperation<"listAudit"> = async (deps, { query }, { principal }) => {
  requireOrganization(principal, "audit:read");
  return pageBody(await list(deps, principal.orgId, filtersOf(query), pageOf(query)), auditBody);
};

export const getAuditEntry: OrganizationOperation<"getAuditEntry"> = async (deps, { params }, { principal }) => {
  requireOrganization(principal, "audit:read");
  const entry = await findAuditEntry(deps, principal.orgId, params.entry_id);
  if (entry === undefined) throw absent();
  return auditBody(entry);
};

export const exportAudit: OrganizationOperation<"exportAudit"> = async (
  deps,
  { query },
  { principal, reply, signal },
) => {
  requireOrganization(principal, "audit:read");
  const lines = linesOf(rowsOf(deps, principal.orgId, filtersOf(query), signal));
  await reply
    .header("content-type", "application/x-ndjson; charset=utf-8")
    .header("content-disposition", 'attachment; filename="audit.ndjson"')
    .header("cache-control", "no-store")
    .send(Readable.from(lines));
  return undefined;
};

async function* linesOf(rows: AsyncIterable<AuditRow>): AsyncGenerator<string, void, void> {
  for await (const row of rows) yield `${JSON.stringify(auditBody(row))}\n`;
}

export const verifyAudit: OrganizationOperation<"verifyAudit"> = async (deps, _input, { principal, signal }) => {
  requireOrganization(principal, "audit:read");
  const verdict = await verify(deps, principal.orgId, signal);
  const { metadata, clock, identity, addresses } = deps;
  const { host: instance } = new URL(addresses.portal_url);
  const signing = { metadata, clock, envelope: identity.envelope, instance };
  return verificationBody(verdict, verdict.ok ? await makeCheckpoint(signing, principal.orgId) : null);
};
