import type { Scope } from "@mooring/contract";
import { authorize, type Principal, requireAnywhere, requireOrganization } from "#domain/identity/index.ts";
import { seenByBoth, visibleProjects } from "#domain/organizations/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { isSpoolTable, type RecordTable, type SpoolTable, type VisibleRows } from "#stores/telemetry/index.ts";

/** A table whose rows are not telemetry. */
export type OwnTable = RecordTable | SpoolTable;

/**
 * The scope that a token needs, in addition to `telemetry:read`, to query a table of records: the scope of the
 * operation that lists them.
 */
export const RECORD_SCOPES: Readonly<Record<OwnTable, Scope>> = {
  audit_log: "audit:read",
  webhook_events: "webhooks:read",
  images: "registry:pull",
  files: "files:read",
  objects: "s3:read",
  access_log: "audit:read",
  usage_daily: "org:read",
  // Its rows are those of the caller, see `seesAllQueries` of the request.
  query_log: "telemetry:read",
};

/** The tables for those who may read the whole organization. */
const OF_ORGANIZATION: ReadonlySet<OwnTable> = new Set(["audit_log", "usage_daily"]);

/**
 * Refuses a statement that reads tables of records without the principal's permission.
 * @throws Problem `forbidden`, `insufficient_scope`
 */
function requireRecords(principal: Principal): (table: OwnTable) => void {
  return (table) => {
    const scope = RECORD_SCOPES[table];
    if (OF_ORGANIZATION.has(table)) requireOrganization(principal, scope);
    // The project of a row decides who sees it. Every role that can read telemetry in a project can also read its
    // webhooks, files and objects and pull images.
    else requireAnywhere(principal, scope);
  };
}

/** As `requireRecords`, but returns the result. */
export function mayReadRecords(principal: Principal, table: OwnTable): boolean {
  const resource = OF_ORGANIZATION.has(table) ? { orgId: principal.orgId } : undefined;
  return authorize(principal, RECORD_SCOPES[table], resource) === "allowed";
}

/** The rows that a principal sees of a statement's tables. Create one for each statement. */
export function rightsOf(
  metadata: Pick<MetadataStore, "read">,
  principal: Principal,
): { readonly records: (table: OwnTable) => void; readonly visible: () => Promise<VisibleRows> } {
  const require = requireRecords(principal);
  const tables: OwnTable[] = [];
  return {
    records: (table) => {
      tables.push(table);
      require(table);
    },
    // Rows of the spool are for those who may read them in their project, also if they may read telemetry in more of them.
    visible: async () => {
      const telemetry = await visibleProjects(metadata, principal, "telemetry:read");
      const scopes = new Set(tables.filter((table) => isSpoolTable(table)).map((table) => RECORD_SCOPES[table]));
      const others = await Promise.all([...scopes].map((scope) => visibleProjects(metadata, principal, scope)));
      return others.reduce(seenByBoth, telemetry);
    },
  };
}
