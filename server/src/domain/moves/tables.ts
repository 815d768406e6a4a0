import type { Tables } from "#stores/metadata/index.ts";

export type Table = keyof Tables;

/** Which rows of a table belong to an organization. */
export type Owner =
  | { readonly column: "org_id" | "id" }
  /** The rows whose parent belongs to it. */
  | { readonly column: string; readonly parent: "credential" | "s3_key" | "alert" }
  /** The keys that signed cuts of its audit log. */
  | { readonly column: "kid"; readonly signers: true }
  /** The rows of its people. */
  | { readonly column: "id" | "user_id"; readonly people: true };

/** A table whose rows move with an organization. */
export interface MovedTable {
  readonly table: Table;
  /** The primary key. Rows are read in its order. */
  readonly key: readonly string[];
  readonly owner: Owner;
  /** Columns that name a row of another moved table. An import refuses rows that name anything else. */
  readonly names?: Readonly<Record<string, Table>>;
  /** Values that mean something only on the old server. They leave and arrive as these. */
  readonly leaves?: Readonly<Record<string, string | number | null>>;
  /** Values with which the rows arrive, so that nothing is sent before a person has looked. */
  readonly arrives?: Readonly<Record<string, string | number | null>>;
  /** Columns with numbers of webhook events, which are counted over all organizations of a server. */
  readonly numbers?: readonly string[];
  /** The rows are needed for sign-ins. Without a passphrase they stay. */
  readonly secret?: true;
  /** Text columns that only an export with a passphrase has. */
  readonly sealedTexts?: readonly string[];
  /** The column with the key of a hash, and the purpose of the key. */
  readonly hash?: { readonly column: string; readonly key: string; readonly purpose: string };
  /** Rows that already exist on the new server are skipped. */
  readonly mayExist?: true;
}

const ORG = { column: "org_id" } as const;
const PROJECT = { project_id: "project" } as const;
const CUSTOM_ROLE = { custom_role: "custom_role" } as const;
const REPOSITORY = { repository: "app" } as const;

/** A table with the key `id` and the column `org_id`. */
function ofOrg(table: Table, more: Partial<MovedTable> = {}): MovedTable {
  return { table, key: ["id"], owner: ORG, ...more };
}

function ofPerson(table: Table, key: readonly string[], more: Partial<MovedTable> = {}): MovedTable {
  const owner = { column: "user_id", people: true } as const;
  return { table, key, owner, names: { user_id: "person" }, secret: true, ...more };
}

/** Every table that moves, in an order in which no row names a later one. */
export const MOVED_TABLES: readonly MovedTable[] = [
  { table: "organization", key: ["id"], owner: { column: "id" } },
  ofOrg("project"),
  ofOrg("app", { names: PROJECT }),
  {
    table: "person",
    key: ["id"],
    owner: { column: "id", people: true },
    leaves: { instance_admin: 0, last_seen_at: null },
    // Only a mail to the address proves it to this server.
    arrives: { verified_at: null },
    sealedTexts: ["password_hash"],
  },
  ofPerson("person_totp", ["user_id"]),
  ofPerson("recovery_code", ["user_id", "code_hash"], {
    hash: { column: "code_hash", key: "hash_key", purpose: "recovery-code" },
  }),
  ofPerson("passkey", ["id"], { mayExist: true }),
  ofPerson("external_identity", ["issuer", "subject"], { mayExist: true }),
  ofOrg("custom_role"),
  ofOrg("member", { key: ["org_id", "user_id"], names: { ...CUSTOM_ROLE, user_id: "person" } }),
  ofOrg("project_member", { key: ["project_id", "user_id"], names: { ...PROJECT, ...CUSTOM_ROLE, user_id: "person" } }),
  ofOrg("person_group"),
  ofOrg("group_member", {
    key: ["group_id", "user_id", "source"],
    names: { group_id: "person_group", user_id: "person" },
  }),
  ofOrg("project_group", {
    key: ["project_id", "group_id"],
    names: { ...PROJECT, ...CUSTOM_ROLE, group_id: "person_group" },
  }),
  ofOrg("deleted_project", { key: ["org_id", "id"] }),
  ofOrg("credential", { names: PROJECT }),
  {
    table: "credential_secret",
    key: ["id"],
    owner: { column: "credential_id", parent: "credential" },
    names: { credential_id: "credential" },
    secret: true,
    hash: { column: "hash", key: "hash_key", purpose: "client-secret" },
  },
  ofOrg("credential_trust", { names: { credential_id: "credential", ...PROJECT } }),
  ofOrg("s3_key", { names: PROJECT }),
  {
    table: "s3_key_former",
    key: ["id"],
    owner: { column: "key_id", parent: "s3_key" },
    names: { key_id: "s3_key" },
    secret: true,
  },
  ofOrg("file", { names: PROJECT }),
  ofOrg("trashed_file", { names: PROJECT }),
  ofOrg("file_name", { key: ["org_id", "filename", "place"] }),
  ofOrg("file_origin", { key: ["org_id", "origin"] }),
  ofOrg("file_policy", { key: ["org_id"], leaves: { stored_bytes_max: null } }),
  ofOrg("s3_bucket", { names: { id: "app" } }),
  ofOrg("s3_object", { key: ["bucket", "key"], names: { bucket: "app" } }),
  ofOrg("s3_history", { key: ["bucket", "key", "seq"], names: { bucket: "app" } }),
  ofOrg("s3_destination"),
  ofOrg("registry_repository", { names: { id: "app" } }),
  ofOrg("registry_blob", { key: ["repository", "digest"], names: REPOSITORY }),
  ofOrg("registry_manifest", { key: ["repository", "digest"], names: REPOSITORY }),
  ofOrg("registry_reference", { key: ["repository", "manifest", "target"], names: REPOSITORY }),
  ofOrg("registry_tag", { key: ["repository", "name"], names: REPOSITORY }),
  ofOrg("registry_contents", { key: ["repository"], names: REPOSITORY }),
  ofOrg("saved_query", { names: PROJECT }),
  ofOrg("ingest_rule", { names: { ...PROJECT, sender: "credential" } }),
  ofOrg("alert", { names: { query_id: "saved_query" }, arrives: { enabled: 0 } }),
  {
    table: "alert_evaluation",
    key: ["alert_id", "seq"],
    owner: { column: "alert_id", parent: "alert" },
    names: { alert_id: "alert" },
  },
  ofOrg("webhook", { names: PROJECT }),
  ofOrg("webhook_url", {
    names: { webhook_id: "webhook" },
    hash: { column: "token_hash", key: "hash_key", purpose: "webhook-token" },
  }),
  ofOrg("webhook_event", { key: ["seq"], names: { ...PROJECT, webhook_id: "webhook" }, numbers: ["seq"] }),
  ofOrg("webhook_body", { key: ["seq"], numbers: ["seq"] }),
  ofOrg("webhook_destination", {
    names: { webhook_id: "webhook" },
    numbers: ["position"],
    arrives: { state: "paused", reason: "imported: check the address, then resume" },
  }),
  ofOrg("webhook_consumer", {
    key: ["webhook_id", "name"],
    names: { webhook_id: "webhook" },
    leaves: { lease_id: null, lease_until: null, lease_position: null },
    numbers: ["position"],
  }),
  ofOrg("trash_item", { names: { ...PROJECT, keeper_id: "app" } }),
  ofOrg("webhook_policy", { key: ["project_id"], names: PROJECT }),
  ofOrg("telemetry_policy", {
    key: ["org_id"],
    leaves: { stored_bytes_max: null, ingest_bytes_per_second: null, ingest_bytes_burst: null },
  }),
  ofOrg("audit", { key: ["org_id", "seq"] }),
  ofOrg("audit_head", { key: ["org_id"] }),
  { table: "audit_key", key: ["kid"], owner: { column: "kid", signers: true }, mayExist: true },
];

const COUNTED = "the import counts again, without uploads under way";
const LINK = "open links end: create new ones on the new server";
const SESSION = "sign-ins of people end: they sign in again";
const UPLOAD = "uploads under way end: start them again";
const DELIVERY = "the old server retries its deliveries; replay events on the new one";
const RECENT = "counts of the last days";
const REFUSED = "refused requests are explained where they were refused";
const SERVER = "belongs to the server, not to an organization";
const CONTENT = "the contents are files of the export, and get new rows";
const TELEMETRY = "the export lists its Parquet files in records/telemetry_file.ndjson";

/** Every other table, with the reason. A table is in exactly one of the two lists. */
export const LEFT_TABLES: Readonly<Partial<Record<Table, string>>> = {
  account_link: LINK,
  setup_link: LINK,
  invitation: LINK,
  mail: LINK,
  browser_session: SESSION,
  login: SESSION,
  login_request: SESSION,
  sign_in_attempt: SESSION,
  upload_grant: UPLOAD,
  upload_part: UPLOAD,
  s3_upload: UPLOAD,
  s3_part: UPLOAD,
  registry_upload: UPLOAD,
  registry_upload_part: UPLOAD,
  alert_delivery: DELIVERY,
  webhook_delivery: DELIVERY,
  s3_delivery: DELIVERY,
  credential_activity: RECENT,
  credential_minute: RECENT,
  organization_activity: RECENT,
  refused_entries: RECENT,
  usage_daily: "usage is of the server that counted it; export it as CSV before",
  webhook_rejection: RECENT,
  refused_request: REFUSED,
  refused_repeat: REFUSED,
  blob: CONTENT,
  blob_data: CONTENT,
  blob_part: CONTENT,
  telemetry_file: TELEMETRY,
  telemetry_progress: TELEMETRY,
  telemetry_holding: TELEMETRY,
  telemetry_key: "keys of requests are valid for a day, on the server that accepted them",
  telemetry_erasure: "the rows are erased; a request under way must end before the export",
  telemetry_erasure_part: "as telemetry_erasure",
  file_usage: COUNTED,
  s3_usage: COUNTED,
  registry_usage: COUNTED,
  webhook_usage: COUNTED,
  registry_policy: "the new operator sets the quotas",
  quota: "the quotas depend on the disk of the new server; set them there",
  idempotency: "answers to retries are valid for a day, on the server that gave them",
  job: "the import creates the jobs of lifecycle rules; other jobs are created when they are needed",
  webhook_head: "the new server numbers the events",
  deleted_organization: "slugs of deleted organizations, which stay reserved on their server",
  deleted_person: "a deletion is of one server; the rows that leave have nothing of the person",
  former_slug: "image names with a former slug are of the old server",
  operator_token: SERVER,
  auth_change: SERVER,
  checkpoint_key: SERVER,
  key: "lookup keys are in secrets.json; the others belong to the server",
  key_rotation: SERVER,
  signing_key: SERVER,
  migration: SERVER,
  node: SERVER,
  running_query: SERVER,
  telemetry_node: SERVER,
  telemetry_store: SERVER,
};
