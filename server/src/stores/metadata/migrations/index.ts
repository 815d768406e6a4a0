import { afterLeak } from "./0059-after-leak.ts";
import { organizationStates } from "./0064-organization-states.ts";
import { organizationDeletions } from "./0069-organization-deletions.ts";
import { operatorTokens } from "./0067-operator-tokens.ts";
import { telemetryNodes } from "./0029-telemetry-nodes.ts";
import { sealedAnswers } from "./0028-sealed-answers.ts";
import type { MetadataStore, Writer } from "../types.ts";
import { foundation } from "./0001-foundation.ts";
import { auditHead } from "./0002-audit-head.ts";
import { deletedProject } from "./0003-deleted-project.ts";
import { telemetryFiles } from "./0004-telemetry-files.ts";
import { telemetryRetention } from "./0005-telemetry-retention.ts";
import { savedQueries } from "./0006-saved-queries.ts";
import { objects } from "./0008-objects.ts";
import { files } from "./0009-files.ts";
import { resumableUploads } from "./0010-resumable-uploads.ts";
import { s3 } from "./0011-s3.ts";
import { s3Notifications } from "./0012-s3-notifications.ts";
import { registry } from "./0014-registry.ts";
import { webhooks } from "./0017-webhooks.ts";
import { registryContent } from "./0018-registry-content.ts";
import { personalAccessTokens } from "./0019-personal-access-tokens.ts";
import { people } from "./0020-people.ts";
import { activity } from "./0021-activity.ts";
import { projects } from "./0024-projects.ts";
import { trusts } from "./0022-trusts.ts";
import { fileTrash } from "./0025-file-trash.ts";
import { buckets } from "./0026-buckets.ts";
import { credentialResources } from "./0060-credential-resources.ts";
import { credentialPolicy } from "./0023-credential-policy.ts";
import { instance } from "./0027-instance.ts";
import { accounts } from "./0030-accounts.ts";
import { spellings } from "./0039-spellings.ts";
import { jobClaims } from "./0040-job-claims.ts";
import { trustProjects } from "./0047-trust-projects.ts";
import { fileNames } from "./0047-file-names.ts";
import { registryContents } from "./0048-registry-contents.ts";
import { moreListIndexes } from "./0049-more-list-indexes.ts";
import { noOutbox } from "./0052-no-outbox.ts";
import { projectStates } from "./0053-project-states.ts";
import { fileOrigins } from "./0054-file-origins.ts";
import { logins } from "./0057-logins.ts";
import { credentialOwnership } from "./0055-credential-ownership.ts";
import { groups } from "./0061-groups.ts";
import { projectEntries } from "./0068-project-entries.ts";
import { customRoles } from "./0070-custom-roles.ts";
import { keyRing } from "./0056-key-ring.ts";
import { membershipEnds } from "./0058-membership-ends.ts";
import { jobRuns } from "./0050-job-runs.ts";
import { leaving } from "./0066-leaving.ts";
import { trash } from "./0071-trash.ts";
import { ingestKeys } from "./0072-ingest-keys.ts";
import { operatorIndex } from "./0073-operator-index.ts";
import { listIndexes } from "./0037-list-indexes.ts";

export interface Migration {
  /** Never changes after a release. Migrations run in the order of the list below. */
  name: string;
  /** Runs inside one transaction, which also records the name. */
  up(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void>;
}

export const MIGRATIONS: readonly Migration[] = [
  { name: "0001-foundation", up: foundation },
  { name: "0002-audit-head", up: auditHead },
  { name: "0003-deleted-project", up: deletedProject },
  { name: "0004-telemetry-files", up: telemetryFiles },
  { name: "0005-telemetry-retention", up: telemetryRetention },
  { name: "0006-saved-queries", up: savedQueries },
  { name: "0008-objects", up: objects },
  { name: "0009-files", up: files },
  { name: "0010-resumable-uploads", up: resumableUploads },
  { name: "0011-s3", up: s3 },
  { name: "0012-s3-notifications", up: s3Notifications },
  { name: "0014-registry", up: registry },
  { name: "0017-webhooks", up: webhooks },
  { name: "0018-registry-content", up: registryContent },
  { name: "0019-personal-access-tokens", up: personalAccessTokens },
  { name: "0020-people", up: people },
  { name: "0021-activity", up: activity },
  { name: "0024-projects", up: projects },
  { name: "0022-trusts", up: trusts },
  { name: "0025-file-trash", up: fileTrash },
  { name: "0026-buckets", up: buckets },
  { name: "0023-credential-policy", up: credentialPolicy },
  { name: "0027-instance", up: instance },
  { name: "0028-sealed-answers", up: sealedAnswers },
  { name: "0029-telemetry-nodes", up: telemetryNodes },
  { name: "0030-accounts", up: accounts },
  { name: "0039-spellings", up: spellings },
  { name: "0040-job-claims", up: jobClaims },
  { name: "0037-list-indexes", up: listIndexes },
  { name: "0047-trust-projects", up: trustProjects },
  { name: "0047-file-names", up: fileNames },
  { name: "0048-registry-contents", up: registryContents },
  { name: "0049-more-list-indexes", up: moreListIndexes },
  { name: "0052-no-outbox", up: noOutbox },
  { name: "0050-job-runs", up: jobRuns },
  { name: "0053-project-states", up: projectStates },
  { name: "0054-file-origins", up: fileOrigins },
  { name: "0055-credential-ownership", up: credentialOwnership },
  { name: "0056-key-ring", up: keyRing },
  { name: "0057-logins", up: logins },
  { name: "0058-membership-ends", up: membershipEnds },
  { name: "0059-after-leak", up: afterLeak },
  { name: "0061-groups", up: groups },
  { name: "0060-credential-resources", up: credentialResources },
  { name: "0066-leaving", up: leaving },
  { name: "0064-organization-states", up: organizationStates },
  { name: "0067-operator-tokens", up: operatorTokens },
  { name: "0068-project-entries", up: projectEntries },
  { name: "0069-organization-deletions", up: organizationDeletions },
  { name: "0070-custom-roles", up: customRoles },
  { name: "0071-trash", up: trash },
  { name: "0072-ingest-keys", up: ingestKeys },
  { name: "0073-operator-index", up: operatorIndex },
];
