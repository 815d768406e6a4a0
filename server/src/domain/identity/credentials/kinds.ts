import { RESOURCE_KINDS, S3_KEY_SCOPES, SCOPES, type ResourceKind, type Scope } from "@mooring/contract";
import { isId } from "#kernel/ids.ts";
import type { RecordLimit } from "#kernel/record-limits.ts";
import type { SecretPrefix } from "#kernel/secrets.ts";
import type { Tables } from "#stores/metadata/index.ts";

/** The differences between the kinds of credentials, as two tables. The common code of this folder reads them. */

export interface Kind {
  readonly table: Table;
  /** The permissions that it can have. */
  readonly scopes: readonly Scope[];
  /** `person`: the token of one person. Only they may use it. It has their permissions, and ends when they leave. */
  readonly ownedBy: "organization" | "person";
  /** The kinds of resources to which it can be limited. */
  readonly resources: readonly ResourceKind[];
  readonly limit: RecordLimit;
  /** The prefix of its secrets, which are stored as keyed hashes. Null: its only secret is stored sealed in the row. */
  readonly secretPrefix: SecretPrefix | null;
  /** Clients send the secret alone, so its hash finds the credential. Otherwise they send a public identifier with it. */
  readonly isFoundBySecret: boolean;
}

export const KINDS = {
  app: {
    table: "credential",
    scopes: SCOPES,
    ownedBy: "organization",
    resources: RESOURCE_KINDS,
    limit: "credentials_max",
    secretPrefix: "mrcs",
    isFoundBySecret: false,
  },
  personal: {
    table: "credential",
    scopes: SCOPES,
    ownedBy: "person",
    resources: RESOURCE_KINDS,
    limit: "personal_tokens_max",
    secretPrefix: "mrpat",
    isFoundBySecret: true,
  },
  ingest: {
    table: "credential",
    scopes: ["telemetry:write"],
    ownedBy: "organization",
    resources: ["services"],
    limit: "ingest_keys_max",
    secretPrefix: "mrik",
    isFoundBySecret: true,
  },
  s3: {
    table: "s3_key",
    scopes: S3_KEY_SCOPES,
    ownedBy: "organization",
    resources: ["buckets"],
    limit: "s3_keys_max",
    secretPrefix: null,
    isFoundBySecret: false,
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type KindName = keyof typeof KINDS;

/** The rules of one table of the database. */
interface TableRule<R> {
  readonly idPrefix: "cred" | "key";
  /** Used in messages. */
  readonly noun: string;
  /** The first word of its actions in the audit log, and the kind of their target. */
  readonly auditName: "credential" | "s3_key";
  /** The columns that entries of the audit log contain. */
  readonly audited: {
    readonly create: readonly (keyof R & string)[];
    readonly approve: readonly (keyof R & string)[];
    readonly revoke: readonly (keyof R & string)[];
  };
  /** The public identifier that clients send with the secret. */
  readonly publicId: keyof R & string;
  /** Its operations accept the public identifier, too. */
  readonly isNamedByPublicId: boolean;
  /** The columns that lists are ordered by, newest first. The table has an index in this order. */
  readonly order: readonly ("created_at" | "id")[];
  /**
   * It gets access tokens, which nodes keep in memory. A change ends them, and waits until every node has applied it.
   */
  readonly hasTokens: boolean;
  /** It expires and is revoked with the credential that created it. Otherwise it only loses its permissions. */
  readonly endsWithParent: boolean;
  /** It is revoked with its project. Otherwise it only loses its permissions. */
  readonly endsWithProject: boolean;
}

export const TABLES = {
  credential: {
    idPrefix: "cred",
    noun: "credential",
    auditName: "credential",
    audited: {
      create: ["name", "scopes", "project_id", "expires_at", "allowed_addresses", "resources"],
      approve: ["name", "scopes", "allowed_addresses", "resources"],
      revoke: ["name"],
    },
    publicId: "client_id",
    isNamedByPublicId: false,
    order: ["created_at", "id"],
    hasTokens: true,
    endsWithParent: true,
    endsWithProject: true,
  },
  s3_key: {
    idPrefix: "key",
    noun: "access key",
    auditName: "s3_key",
    audited: {
      create: ["access_key", "project_id", "name", "scopes", "buckets", "prefix", "allowed_addresses", "resources"],
      approve: ["name", "access_key", "scopes", "buckets", "prefix", "allowed_addresses", "resources"],
      revoke: ["access_key"],
    },
    publicId: "access_key",
    isNamedByPublicId: true,
    order: ["id"],
    hasTokens: false,
    endsWithParent: false,
    endsWithProject: false,
  },
} as const satisfies { readonly [T in Table]: TableRule<Rows[T]> };

export type Table = "credential" | "s3_key";
export type Rows = Pick<Tables, Table>;

/** The columns of every kind. */
export interface AnyRow extends Omit<Rows["s3_key"], "access_key" | "buckets" | "prefix" | "secret"> {
  readonly kind?: Rows["credential"]["kind"];
  /** Set if it gets access tokens. It grows with every change that ends them. */
  readonly epoch?: number;
  readonly origins?: Rows["credential"]["origins"];
  readonly rate?: Rows["credential"]["rate"];
}

export function kindOf({ kind }: Pick<AnyRow, "kind">): KindName {
  return kind ?? "s3";
}

export function tableRuleOf(row: Pick<AnyRow, "kind">): (typeof TABLES)[Table] {
  return TABLES[KINDS[kindOf(row)].table];
}

export function tableOf(id: string): Table {
  return isId(TABLES.s3_key.idPrefix, id) ? "s3_key" : "credential";
}
