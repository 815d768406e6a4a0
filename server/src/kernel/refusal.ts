/** Facts about a decision, for the record of refused requests. Its caller never gets them. */
export interface RefusalFacts {
  /** A name of `REFUSAL_RULES`. Absent: the code of the problem decides. */
  readonly rule?: string;
  /** The permission that was checked. */
  readonly permission?: string;
  readonly resource?: RefusedResource;
  readonly policy?: { readonly bucket: string; readonly statement: string | null };
  readonly limit?: RefusedLimit;
  /** The permissions that the caller had there. */
  readonly held?: readonly string[];
  readonly lostAt?: "token" | "credential" | "maker" | "role";
  /** All of these together would have allowed it. Absent: the rule decides. */
  readonly wouldAllow?: readonly AllowingStep[];
  /** The caller, if the refusal came before the request had a principal. */
  readonly actor?: RefusedActor;
  /** The credential that the request names, without a proof. Its organization may read the record. */
  readonly named?: { readonly orgId: string; readonly credentialId: string };
}

export interface RefusedResource {
  readonly kind: string;
  readonly id: string | null;
  readonly projectId: string | null;
  /** Whether the caller may not know that it exists. Only readers who see the project get it. */
  readonly isHidden: boolean;
}

export interface RefusedLimit {
  readonly name: string;
  readonly max: number | null;
  readonly value: number | null;
  readonly untilMs: number | null;
}

export interface AllowingStep {
  /** A name of `ALLOWING_ACTS`. */
  readonly act: string;
  readonly to: string | null;
  readonly value: string | null;
  readonly by: readonly string[];
}

export interface RefusedActor {
  readonly kind: "credential" | "key" | "person" | "webhook";
  readonly id: string;
  /** Null: a person outside of any organization. */
  readonly orgId: string | null;
  readonly tokenId?: string | null;
}

/** What the error of a surface says about a refusal. The surface puts it on the request. */
export interface Refusal {
  /** The code in the form of the surface. */
  readonly code: string;
  readonly detail: string;
  readonly options: RefusalOptions;
}

/** The parts of an error that explain it. */
export interface RefusalOptions {
  readonly facts?: (() => RefusalFacts) | undefined;
  readonly scope?: string | undefined;
  readonly decidedBy?: string | undefined;
  readonly retryAfterS?: number | undefined;
  readonly allowance?: { readonly name: string; readonly most: number; readonly windowS: number } | undefined;
  readonly cause?: unknown;
}

/** A request that was refused, as its listener saw it. */
export interface RefusedRequest {
  /** The server's own id. */
  readonly id: string;
  /** The caller's id; null: it sent none. */
  readonly clientId: string | null;
  readonly atMs: number;
  readonly surface: string;
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  readonly refusal: Refusal | null;
  /** Null: nobody is known. */
  readonly actor: RefusedActor | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
}
