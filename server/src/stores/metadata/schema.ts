import type { ActivityTables } from "./schema-activity.ts";
import type { AlertTables } from "./schema-alerts.ts";
import type { AuditTables } from "./schema-audit.ts";
import type { FileTables } from "./schema-files.ts";
import type { GroupTables } from "./schema-groups.ts";
import type { PeopleTables } from "./schema-people.ts";
import type { RegistryTables } from "./schema-registry.ts";
import type { S3Tables } from "./schema-s3.ts";
import type { TelemetryTables } from "./schema-telemetry.ts";
import type { RequestTables } from "./schema-requests.ts";
import type { TrashTables } from "./schema-trash.ts";
import type { TrustTables } from "./schema-trusts.ts";
import type { UsageTables } from "./schema-usage.ts";
import type { WebhookTables } from "./schema-webhooks.ts";

/**
 * All tables, as both databases have them. Times are integers of milliseconds since the epoch, flags are 0 or 1, JSON
 * is text, binary data is bytes. PostgreSQL's `bigint` arrives as a number, since all values are below 2^53.
 */
export interface Tables
  extends
    ActivityTables,
    AlertTables,
    AuditTables,
    FileTables,
    GroupTables,
    PeopleTables,
    RegistryTables,
    S3Tables,
    TelemetryTables,
    RequestTables,
    TrashTables,
    TrustTables,
    UsageTables,
    WebhookTables {
  organization: {
    id: string;
    slug: string;
    name: string;
    token_lifetime_s: number;
    /** JSON: an `OrganizationPolicy`. Missing members mean no restriction. */
    policy: string;
    created_at: number;
    /** An `OrganizationState` of the contract. Not `active`: the operator suspended it, or it was deleted. */
    state: string;
    /** The operator's reason, which members read; null: it is active, or no reason was given. */
    state_reason: string | null;
    /** When the operator suspended it, or it was deleted; null: it is active. */
    suspended_at: number | null;
    /** When its data is deleted; null: nobody deleted it. */
    deletes_at: number | null;
    /** JSON: state, state_reason and suspended_at from before the deletion. Null: not deleted, or nobody can keep it any more. */
    before_deletion: string | null;
  };
  /** Former slugs of organizations. Nobody else can have them, because image names and addresses contain them. */
  former_slug: { slug: string; org_id: string; retired_at: number };
  project: {
    id: string;
    org_id: string;
    slug: string;
    name: string;
    visibility: "organization" | "private";
    /** Where the project's apps run, for display: `production`, `staging`, … */
    environment: string | null;
    created_at: number;
    /** A `ProjectState` of the contract, such as `active` or `archived`. */
    state: string;
    /** When the state began; null: it is active. */
    state_since: number | null;
    /** When it was put into the trash. Null: it is not there. */
    trashed_at: number | null;
    /** The slug of a project in the trash. Its own slug is then one that no project can have. */
    former_slug: string | null;
    /** 1: it and its content can't be deleted. */
    deletion_lock: number;
  };
  person: {
    id: string;
    /** Lower case; unique. */
    email: string;
    name: string;
    /** argon2id in PHC form. Null until the set-up link is used. */
    password_hash: string | null;
    /** 1: the person is an operator. */
    instance_admin: number;
    /** To the minute; null: never signed in. */
    last_seen_at: number | null;
    /** When a mailed link, a provider or the operator verified the address; null: not yet. */
    verified_at: number | null;
    created_at: number;
  };
  member: {
    org_id: string;
    user_id: string;
    role: "owner" | "admin" | "developer" | "viewer" | "guest" | "custom";
    /** The id of the custom role, with the role `custom`. */
    custom_role: string | null;
    created_at: number;
    /** The role from before it was last lowered; null: it was never lowered, or was raised since. */
    lowered_from: "owner" | "admin" | "developer" | "viewer" | "guest" | null;
    /** When the membership ends. Null: no end. */
    expires_at: number | null;
    /** Earlier sign-ins of the person are not valid in the organization. Null: all are valid. */
    valid_after: number | null;
  };
  project_member: {
    org_id: string;
    project_id: string;
    user_id: string;
    role: "maintainer" | "writer" | "reader" | "custom";
    custom_role: string | null;
    created_at: number;
    /** When the membership ends. Null: no end. */
    expires_at: number | null;
    /** When the owner entered the private project, with their reason. Null: somebody made them a member. */
    entered_at: number | null;
    entered_reason: string | null;
  };
  invitation: {
    id: string;
    org_id: string;
    email: string;
    role: "owner" | "admin" | "developer" | "viewer" | "guest" | "custom";
    custom_role: string | null;
    /** Hash of the link that the inviter sees. */
    token_hash: string;
    /** Hash of the mailed link. Using that link verifies the address. Null: no link was mailed. */
    mailed_token_hash: string | null;
    invited_by: string;
    created_at: number;
    /** When the link ends. */
    expires_at: number;
    /** When the membership of the invited person ends. Null: no end. */
    membership_expires_at: number | null;
    accepted_at: number | null;
    revoked_at: number | null;
    /** When a mail server last accepted a mail with its link. */
    email_sent_at: number | null;
    /** Why the last mail was not sent. */
    email_failure: string | null;
  };
  credential: {
    id: string;
    /** `app`: used with its client id. `personal`: of a person, used with their e-mail address. `ingest`: used alone. */
    kind: "app" | "personal" | "ingest";
    client_id: string;
    org_id: string;
    /** Null: reaches the whole organization. */
    project_id: string | null;
    name: string;
    /** Space-separated, sorted. */
    scopes: string;
    /** History: a user id, a credential id, or `system`. */
    created_by: string;
    /** The person or credential whose permissions limit it: a user id, a credential id, or `system`. */
    responsible: string;
    responsible_since: number;
    /** JSON: the limits that it kept from earlier responsible credentials (`Inherited`); null: none. */
    inherited: string | null;
    /** JSON: the resources to which it is limited, by id; null: no such limit. */
    resources: string | null;
    /** `leak`: it was revoked because its secret leaked. Null: no reason was given. */
    end_reason: string | null;
    created_at: number;
    expires_at: number | null;
    revoked_at: number | null;
    /** Grows with every change that reduces the credential's permissions. */
    epoch: number;
    last_used_at: number | null;
    last_used_ip: string | null;
    /** CIDR ranges with spaces between them; null: any address. */
    allowed_addresses: string | null;
    /** 1: waits for approval and has no permissions until then. */
    pending: number;
    /** Limits of ingest keys: origins of web pages with spaces between them, and requests a second; null: none. */
    origins: string | null;
    rate: number | null;
  };
  credential_secret: {
    id: string;
    credential_id: string;
    /** HMAC-SHA-256 under a lookup key, hexadecimal. */
    hash: string;
    /** The id of that key; null: the key that the first version of the ring has imported. */
    hash_key: string | null;
    /** Last four characters, to tell secrets apart. */
    hint: string;
    created_at: number;
    expires_at: number | null;
    last_used_at: number | null;
  };
  signing_key: {
    kid: string;
    alg: "ES256" | "RS256";
    /** JSON Web Key, public part. */
    public_jwk: string;
    /** PKCS #8, enveloped under the master key. */
    private_key: Uint8Array;
    created_at: number;
    /** Signs from this time on. It was published before. */
    active_at: number;
    /** Signs until this time; null while in use. */
    retired_at: number | null;
    /** Published until this time. */
    removed_at: number | null;
  };
  /** The ordered feed of changes that reduce access. */
  auth_change: {
    seq: number;
    kind: "credential" | "token" | "organization" | "key";
    subject: string;
    epoch: number;
    at: number;
    /** The row may be deleted after this time. */
    expires_at: number | null;
  };
  node: {
    id: string;
    applied_seq: number;
    started_at: number;
    seen_at: number;
    /** The ids of the master keys that the node can use, with spaces between them. Null: a version without key ring. */
    master_ids: string | null;
    /** A digest of the keys that the node has loaded. */
    key_ring: string | null;
  };
  /** The keys that protect stored secrets. The master key wraps these, and nothing else. */
  key: {
    /** 16 hexadecimal characters. Sealed values name their key with them. */
    id: string;
    use: "wrap" | "lookup" | "mac";
    purpose: string;
    state: "next" | "current" | "previous" | "retired";
    /** The id of the master key that wraps it. */
    master_id: string;
    wrapped: Uint8Array;
    /** The master key that it was derived from, before keys were stored. Null: it is random. */
    derived_from: string | null;
    made_at: number;
    /** When it stops verifying, or when it was retired. */
    retire_at: number | null;
  };
  /** The rotation under way, at most one of each kind. */
  key_rotation: {
    kind: "master" | "data";
    /** Random; distinguishes a rotation from its successor. */
    nonce: string;
    step: "begun" | "added" | "current" | "sealed";
    /** `master`: the new key. `data`: the key that wraps the new keys. */
    master_id: string;
    /** 1: values that the former mac keys authenticated are void at once. */
    leaked: number;
    started_at: number;
  };
  idempotency: {
    /** SHA-256 of principal, route and key. */
    key_hash: string;
    /** Random; identifies the request that last claimed the key. */
    owner: string;
    fingerprint: string;
    /** 0 while the first request runs. */
    status: number;
    headers: string;
    /** Without values that are shown once. */
    body: string;
    /** The same body with these values, until the answer was sent. */
    sealed: Uint8Array | null;
    created_at: number;
  };
  /** Immutable bytes of an organization; see `stores/objects`. */
  blob: {
    id: string;
    /** The organization's id, or `registry` for image content, which organizations share. */
    org_id: string;
    /** Where the bytes are: in `blob_data`, with a driver, or in the blobs that `blob_part` lists. */
    place: "inline" | "driver" | "parts";
    /** The directory or bucket in which a driver stores the bytes; empty for other places. */
    store_id: string;
    /** `writing`: some bytes may be missing. `live`: can be read. `dropped`: the bytes are being deleted. */
    state: "writing" | "live" | "dropped";
    size: number;
    /** Number of references: rows of other tables, and blobs that this blob is part of. */
    refs: number;
    /** Since when it has no references; null while it has some. */
    idle_since: number | null;
    /** Hexadecimal. Null during the upload, and for blobs of parts. */
    sha256: string | null;
    /** JSON object: further digests in hexadecimal, by algorithm. */
    digests: string;
    created_at: number;
  };
  /** The bytes of small blobs. */
  blob_data: { id: string; data: Uint8Array };
  /** The parts of a composed blob, ordered by `position`, then `seq`. A part is never composed itself. */
  blob_part: {
    blob_id: string;
    /** The offset of the part in the composed blob. */
    position: number;
    seq: number;
    /** The part number that the client gave. Several ranges may belong to one part. */
    number: number;
    part_id: string;
    /** The used range of the part's bytes. */
    start: number;
    length: number;
  };
  migration: { name: string; applied_at: number };
}
