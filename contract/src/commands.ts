import { ALERT_ROUTES } from "./alerts.ts";
import { BUCKET_ROUTES } from "./buckets.ts";
import { FILE_ROUTES } from "./files.ts";
import { ORGANIZATION_ROUTES } from "./organization/index.ts";
import { DISCOVERY_ROUTES } from "./portal/index.ts";
import { QUERY_ROUTES } from "./query.ts";
import { REGISTRY_API_ROUTES } from "./registry.ts";
import type { Route } from "./route.ts";
import { RUNNING_QUERY_ROUTES } from "./running-queries.ts";
import { SAVED_QUERY_ROUTES } from "./saved-queries.ts";
import { TELEMETRY_ROUTES } from "./telemetry.ts";
import { TELEMETRY_SETTINGS_ROUTES } from "./telemetry-settings.ts";
import { USAGE_ROUTES } from "./usage.ts";
import { WEBHOOK_ROUTES } from "./webhooks/index.ts";

/** Every operation of the public contract. The operations of the portal's pages are not among them. */
export const PUBLIC_OPERATIONS: readonly Route[] = [
  ORGANIZATION_ROUTES,
  DISCOVERY_ROUTES,
  TELEMETRY_ROUTES,
  TELEMETRY_SETTINGS_ROUTES,
  QUERY_ROUTES,
  RUNNING_QUERY_ROUTES,
  SAVED_QUERY_ROUTES,
  ALERT_ROUTES,
  FILE_ROUTES,
  BUCKET_ROUTES,
  REGISTRY_API_ROUTES,
  USAGE_ROUTES,
  WEBHOOK_ROUTES,
].flatMap((rows) => Object.values(rows as Readonly<Record<string, Route>>));

/** The command of an operation, where the default does not fit. */
export interface CommandForm {
  /** `noun verb`, or the name of a command that is written by hand. */
  readonly name?: string;
  /** A command that is written by hand does it. Then no command is generated. */
  readonly byHand?: boolean;
  /** The words after the name, for the help. */
  readonly examples?: readonly string[];
  /** The columns of its table. */
  readonly columns?: readonly string[];
  /** Whether a person has to confirm it. Default: for DELETE. */
  readonly confirm?: boolean;
}

const byHand = (name: string): CommandForm => ({ name, byHand: true });

const FORMS: Readonly<Record<string, CommandForm>> = {
  ingest: byHand("ingest"),
  query: byHand("query"),
  listQueries: {
    examples: ["", "--json"],
    columns: ["state", "running_ms", "waited_ms", "bytes_planned", "id", "statement"],
  },
  cancelQuery: { examples: ["stmt_01k…"], confirm: false },
  cancelQueries: { name: "query cancel-all", examples: ["--actor cred_01k…"], confirm: false },
  tailLogs: byHand("tail"),
  createUpload: byHand("files put"),
  getFileDownload: byHand("files get"),
  listFiles: byHand("files ls"),
  deleteFile: byHand("files rm"),
  restoreFile: byHand("files restore"),
  createCredential: byHand("credential create"),
  listCredentials: byHand("credential list"),
  rotateCredential: byHand("credential rotate"),
  revokeCredential: byHand("credential revoke"),
  createIngestKey: byHand("ingest-key create"),
  createS3Key: byHand("s3 keys create"),
  listS3Keys: byHand("s3 keys list"),
  revokeS3Key: byHand("s3 keys revoke"),
  verifyAudit: byHand("audit verify"),
  createWebhook: byHand("webhooks create"),
  listWebhooks: byHand("webhooks list"),
  deleteWebhook: byHand("webhooks delete"),
  rotateWebhookUrl: byHand("webhooks rotate"),
  revealWebhookUrl: byHand("webhooks url"),
  listWebhookEvents: byHand("webhooks events"),
  replayWebhookEvent: byHand("webhooks replay"),
  streamWebhookEvents: byHand("webhooks listen"),
  getWebhook: { name: "webhooks get" },
  updateWebhook: { name: "webhooks update" },
  copyFile: { name: "files copy" },
  purgeFile: { name: "trash purge" },
  getMe: { name: "me show" },
  deleteMe: { examples: ["", "--yes"] },
  getAccess: { name: "access show", examples: ["--permission files:write --project web"] },
  getAddresses: { name: "addresses show" },
  getUsage: { name: "usage show" },
  listQuotas: {
    name: "quotas list",
    examples: ["", "--json"],
    columns: ["scope", "name", "used_bytes", "max_bytes", "state", "target_id"],
  },
  getQuota: { name: "quotas show", examples: ["project proj_01k…"] },
  updateQuota: { name: "quotas set", examples: ["project proj_01k… --max-bytes 1000000000"] },
  listDailyUsage: {
    name: "usage daily",
    examples: ["", "--group-by project --from 2026-11-01", "--group-by service --json"],
  },
  getTelemetryUsage: { name: "telemetry-usage show" },
  getOrganization: { name: "organization show" },
  deleteOrganization: { name: "organization delete", examples: ["--slug acme", "--slug acme --yes"] },
  keepOrganization: { name: "organization keep", examples: [""] },
  listAudit: { examples: ["--action project.create --limit 20", "--from 2026-11-01T00:00:00Z --json"] },
  getRequest: { name: "request show", examples: ["req_01k…", "req_01k… --json"] },
  listRequests: {
    examples: ["", "--limit 20 --json"],
    columns: ["at", "status", "code", "method", "operation", "request_id"],
  },
  createProject: { examples: ["--slug web --name 'Web shop' --visibility private"] },
  updateProject: { examples: ["web --name 'Web shop'"] },
  listTrashItems: {
    examples: ["", "--kind project", "--project web --json"],
    columns: ["deleted_at", "kind", "name", "purge_at", "id"],
  },
  restoreTrashItem: { examples: ["trash_01k…"] },
  purgeTrashItem: { examples: ["trash_01k… --yes"] },
  lockProject: { name: "project lock", examples: ["web"] },
  unlockProject: { name: "project unlock", examples: ["web"] },
  deleteProject: { examples: ["web", "web --yes"] },
  getProjectSize: { name: "project size", examples: ["web"] },
  enterProject: { examples: ["web --reason 'The team has left'"] },
  listProjects: {
    examples: ["", "--environment production --json"],
    columns: ["slug", "name", "visibility", "environment", "archived_at", "id"],
  },
  createApp: { examples: ["--project web --slug web-api"] },
  listApps: { columns: ["slug", "name", "project_slug", "repository", "bucket", "id"] },
  listMembers: { columns: ["email", "name", "role", "second_factor", "last_seen_at", "user_id"] },
  endMemberAccess: { name: "member end-access", examples: ["user_01k…"], confirm: true },
  findLeak: byHand("leak find"),
  updateCredential: {
    examples: [
      "cred_01k… --name shipper",
      "cred_01k… --scopes registry:pull,registry:push --repository shop --repository shop-worker",
      "cred_01k… --bucket shop/uploads/ --service checkout",
      "cred_01k… --resources null",
    ],
  },
  updateQueryLogSettings: { examples: ["--mode off", "--retention-days 90"] },
  updateAccessLogSettings: { examples: ["--mode all", "--mode sampled --sample-rate 100 --retention-days 90"] },
  updateIngestKey: {
    examples: ["cred_01k… --requests-per-second 50", "cred_01k… --service checkout", "cred_01k… --origins null"],
  },
  rotateIngestKey: { examples: ["cred_01k… --overlap-seconds 3600"] },
  listIngestKeys: { columns: ["name", "state", "project_id", "expires_at", "last_used_at", "id"] },
  updateS3Key: { examples: ["key_01k… --bucket shop/uploads/ --bucket reports", "key_01k… --resources null"] },
  rotateS3Key: byHand("s3 keys rotate"),
  createInvitation: {
    examples: [
      "--email ada@example.com --role developer",
      "--email ada@example.com --role viewer --membership-expires-at 2026-12-04T18:00:00Z",
    ],
  },
  updateMember: {
    examples: [
      "user_01k… --role viewer --dry-run",
      "user_01k… --role viewer --orphans adopt",
      "user_01k… --expires-at 2026-12-04T18:00:00Z",
    ],
  },
  deleteMember: { examples: ["user_01k… --dry-run", "user_01k… --orphans revoke --yes"] },
  putProjectMember: { examples: ["web user_01k… --role writer", "web user_01k… --role reader --dry-run"] },
  deleteProjectMember: { examples: ["web user_01k… --dry-run"] },
  createGroup: { examples: ["--slug backend --name 'Backend team'", "--slug backend --claim /teams/backend"] },
  putGroupMember: { examples: ["backend user_01k…", "backend user_01k… --expires-at 2026-12-04T18:00:00Z"] },
  putProjectGroup: { examples: ["web backend --role writer"] },
  createRole: { examples: ["--slug auditor --kind organization --scopes audit:read,org:read,projects:read"] },
  updateRole: { examples: ["auditor --scopes audit:read,org:read"] },
  listRoles: { columns: ["slug", "name", "kind", "uses", "id"] },
  listGroups: { columns: ["slug", "name", "members", "claim", "id"] },
  listGroupMembers: { columns: ["email", "name", "source", "expires_at", "user_id"] },
  listEndings: {
    examples: ["", "--before 2026-12-31T00:00:00Z"],
    columns: ["expires_at", "kind", "email", "role", "ended"],
  },
  createAlert: {
    examples: [
      `--name errors --query-id query_01k… --target-url https://example.com/hook --every-s 60 --condition '{"column": "n", "operator": ">", "threshold": 10}'`,
      "--input alert.json",
    ],
  },
  listAlerts: { columns: ["name", "state", "enabled", "query_id", "every_s", "id"] },
};

export interface ApiCommand {
  readonly row: Route;
  readonly noun: string;
  readonly verb: string;
  readonly form: CommandForm;
}

/** Plural nouns that have no singular, or name a list of settings. */
const KEPT: ReadonlySet<string> = new Set(["access", "addresses", "settings", "usage", "files", "webhooks"]);

/** Returns the words of `listProjectMembers`: `list`, `project`, `member`. */
function wordsOf(operationId: string): readonly string[] {
  return operationId
    .replaceAll(/S3/g, "S3_")
    .split(/(?=[A-Z])/)
    .map((word) => word.toLowerCase().replace("s3_", "s3"));
}

function singular(word: string): string {
  if (KEPT.has(word)) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.endsWith("s") && !word.endsWith("ss") && word !== "s3" ? word.slice(0, -1) : word;
}

/** Returns the default name: the noun in the singular, and the verb of the operation. */
function defaultName(operationId: string): string {
  const [verb = "", ...rest] = wordsOf(operationId);
  const noun = rest.map((word, i) => (i === rest.length - 1 ? singular(word) : word)).join("-");
  return `${noun} ${verb}`;
}

/** Returns the command of an operation. For a command that is written by hand, `verb` has the rest of its name. */
export function commandOf(row: Route): ApiCommand {
  const form = FORMS[row.operationId] ?? {};
  const [noun = "", ...rest] = (form.name ?? defaultName(row.operationId)).split(" ");
  return { row, noun, verb: rest.join(" "), form };
}

/** The commands that are generated from the contract. */
export const API_COMMANDS: readonly ApiCommand[] = PUBLIC_OPERATIONS.map(commandOf).filter(
  ({ form }) => form.byHand !== true,
);
