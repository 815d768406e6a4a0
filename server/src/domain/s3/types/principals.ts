import type { Scope } from "@mooring/contract";
import type { AuditEvent } from "#domain/audit/index.ts";
import type { AddressTest, Withheld } from "#domain/identity/index.ts";

/** Who makes a request. */
export type S3Principal = S3KeyPrincipal | S3Anonymous;

export interface S3KeyPrincipal {
  readonly kind: "key";
  /** `key_…`; for a presigned URL that the server created, and for a call of the JSON API, the id of the actor. */
  readonly id: string;
  /** For the audit log, when it is no key. */
  readonly actor?: AuditEvent["actor"];
  readonly accessKeyId: string;
  readonly orgId: string;
  readonly orgSlug: string;
  /** Null: reaches every project of the organization that all of it may see. */
  readonly projectId: string | null;
  /** Cut to what the key's creator holds at this moment; of a key for reading, what reads. */
  readonly scopes: ReadonlySet<Scope>;
  /** Scopes that it was given and does not have now, and why; absent where nobody needs it. */
  readonly withheld?: ReadonlyMap<Scope, Withheld>;
  /** The only buckets that it reaches; null: no such limit. */
  readonly buckets: readonly string[] | null;
  /** Keys that it reaches begin with this; empty: all of them. */
  readonly prefix: string;
  readonly owner: S3Owner;
}

/** Without a signature: reaches what a bucket policy or an access control list opens to everybody. */
export interface S3Anonymous {
  readonly kind: "anonymous";
  /** The organization of the buckets; null: none. */
  readonly orgId: string | null;
}

/** S3's canonical user: a project, or for keys of the organization the organization. */
export interface S3Owner {
  /** `proj_…` or `org_…`. */
  readonly id: string;
  /** Its slug. */
  readonly displayName: string;
}

export interface S3Caller {
  readonly principal: S3Principal;
  readonly ip: string | null;
  readonly requestId: string | null;
}

/** An access key that may be used at this moment. */
export interface AdmittedKey {
  readonly principal: S3KeyPrincipal;
  /** Never changes for an access key id, so that derived keys may be cached. */
  readonly secret: string;
  /** Nobody has approved it yet. */
  readonly isPending: boolean;
  /** From where it may be used; null: from anywhere. */
  readonly allows: AddressTest | null;
}

export interface S3Keys {
  /**
   * The present state of the key; undefined when it is unknown, revoked or expired. Call it for every request: cached
   * state is read again after any change.
   */
  admit(accessKeyId: string): Promise<AdmittedKey | undefined>;
  /** Says that a request was made; kept at intervals. */
  used(principal: S3KeyPrincipal): void;
  /**
   * The principal of a request without a signature. `orgSlug` where the address of the request names an organization.
   */
  anonymous(orgSlug?: string): Promise<S3Anonymous>;
}
