import type { Scope } from "@mooring/contract";
import type { AuditEvent } from "#domain/audit/index.ts";
import type { AddressTest, Limits, Withheld } from "#domain/identity/index.ts";
import type { Suspension } from "#domain/suspension/index.ts";

export type S3Principal = S3KeyPrincipal | S3Anonymous;

export interface S3KeyPrincipal {
  readonly kind: "key";
  /** `key_…`. For a presigned URL that the server created, and for a call of the JSON API, the id of the actor. */
  readonly id: string;
  /** The actor for the audit log, when it is not a key. */
  readonly actor?: AuditEvent["actor"];
  readonly accessKeyId: string;
  /** Set if the access key ID is the former one of a rotated key: the id of that one. */
  readonly formerId?: string;
  readonly orgId: string;
  readonly orgSlug: string;
  /** The state of the organization. */
  readonly organization: Suspension;
  /** Null: reaches every project that the whole organization sees. */
  readonly projectId: string | null;
  /** The scopes that the key's creator still has. A read-only key has only those for reading. */
  readonly scopes: ReadonlySet<Scope>;
  /** Scopes that the key was given but does not have now, and why. Absent when the caller does not ask for reasons. */
  readonly withheld?: ReadonlyMap<Scope, Withheld>;
  /** The only buckets that it reaches; null: no such limit. */
  readonly buckets: readonly string[] | null;
  /** The key reaches only objects whose keys begin with this; empty: all objects. */
  readonly prefix: string;
  /** By the ids of the only buckets that it reaches, the beginnings of keys there. Undefined: no such limit. */
  readonly limits?: Limits["buckets"] | undefined;
  readonly owner: S3Owner;
}

/** An unsigned request. It reaches what a bucket policy or an access control list opens to everybody. */
export interface S3Anonymous {
  readonly kind: "anonymous";
  /** The organization of the buckets; null: none. */
  readonly orgId: string | null;
  /** Its state. */
  readonly organization: Suspension;
}

/** S3's canonical user: a project, or the organization for keys of the organization. */
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

/** An access key that is valid now. */
export interface AdmittedKey {
  readonly principal: S3KeyPrincipal;
  /** The secret of an access key ID never changes, so derived keys may be cached. */
  readonly secret: string;
  /** The state of the organization. */
  readonly organization: Suspension;
  /** The key still waits for approval. */
  readonly isPending: boolean;
  /** The addresses that may use the key; null: all. */
  readonly allows: AddressTest | null;
}

export interface S3Keys {
  /**
   * Returns the current state of the key; undefined when it is unknown, revoked or expired. Call it for every request:
   * after any change, cached state is read again.
   */
  admit(accessKeyId: string): Promise<AdmittedKey | undefined>;
  /** Records that a key was used. Writes happen at intervals. */
  used(principal: S3KeyPrincipal): void;
  /**
   * Returns the principal of an unsigned request. `orgSlug`: the organization that the address names, if it names one.
   */
  anonymous(orgSlug?: string): Promise<S3Anonymous>;
}
