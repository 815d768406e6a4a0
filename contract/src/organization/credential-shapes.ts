import Type, { type Static } from "typebox";
import { DisplayName, Timestamp } from "../shared.ts";
import { Resources } from "./resource-shapes.ts";
import { AllowedAddresses, DryRun, Id, OrphansName, Replayed, ScopeName, nullable } from "./shapes.ts";

export const BelongsTo = Type.Object({ kind: Type.Enum(["organization", "project"]), id: Id });

export const Responsible = Type.Object(
  {
    kind: Type.Enum(["person", "credential", "system"], { description: "system: the server's command line" }),
    id: nullable(Id),
    name: nullable(Type.String()),
  },
  { description: "its permissions limit this one; first its creator, then the actor that adopted it last" },
);

/** For the operations that rotate. */
export const OverlapSeconds = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 30 * 86_400,
    default: 86_400,
    description: "0: the old secret ends at once",
  }),
);

/** The query of the operations that revoke. */
export const Revocation = Type.Object({
  orphans: Type.Optional(OrphansName),
  reason: Type.Optional(Type.Literal("leak")),
  dry_run: DryRun,
});

/** The answer of a dry run. */
export const Plan = Type.Object({
  stops: Type.Array(
    Type.Object({
      kind: Type.Enum(["credential", "personal_token", "s3_key"]),
      id: Id,
      name: DisplayName,
      last_used_at: nullable(Timestamp),
      requests_24h: Type.Integer({ minimum: 0 }),
      loses: Type.Array(ScopeName),
      reason: Type.String(),
    }),
    { description: "what would lose scopes, without those that the caller may not see" },
  ),
  adopts: Type.Array(Type.Object({ id: Id, name: DisplayName })),
  projects: Type.Record(Type.String(), Id, { description: "the new maintainer of each private project" }),
  etag: Type.String({ description: "as `If-Match` of the act: 409 if its effects would differ" }),
});

/** The effects of an act, from its dry run. */
export type Effects = Static<typeof Plan>;

/** The description of the operations that adopt. */
export const ADOPT =
  "The caller's permissions limit it from now on. It gains nothing: it keeps those of its scopes that the caller has and the policy allows, and the addresses and the end that it had from the credentials above it. Issued tokens become void. It may need an approval. Revoked credentials, those that were revoked with their parent after a leak, and personal access tokens can't be adopted.";

/** The members that credentials and S3 keys share. */
export const Ownership = {
  belongs_to: BelongsTo,
  responsible: Responsible,
  responsible_since: Timestamp,
  state: Type.Enum(["active", "reduced", "idle", "pending", "ended"], {
    description:
      "reduced: it lacks some of its scopes; idle: all of them, and only reading, adopting and revoking are possible; pending: it waits for an approval; ended: it or a credential above it was revoked or has expired",
  }),
  state_reason: nullable(Type.String({ description: "the reason of the state; null: active" })),
};

export const Credential = Type.Object({
  id: Id,
  kind: Type.Enum(["app", "personal", "ingest"], {
    description: "personal: an access token of the person who created it; ingest: an ingest key",
  }),
  client_id: Type.String(),
  name: DisplayName,
  project_id: nullable(Id),
  scopes: Type.Array(ScopeName, { description: "the permission set as chosen" }),
  effective_scopes: Type.Array(ScopeName, {
    description: "the effective permission set: the chosen scopes that the responsible one has and the policy allows",
  }),
  created_by: Id,
  created_at: Timestamp,
  ...Ownership,
  expires_at: nullable(Timestamp),
  revoked_at: nullable(Timestamp),
  revoked_with: nullable(
    Type.String({
      description: "the revoked credential that was responsible for it, directly or through other credentials",
    }),
  ),
  pending: Type.Boolean({ description: "waits for an approval; it gets no token until then" }),
  allowed_addresses: AllowedAddresses,
  resources: Resources,
  last_used_at: nullable(Timestamp),
  last_used_ip: nullable(Type.String()),
  secrets: Type.Array(
    Type.Object({
      id: Id,
      hint: Type.String({ description: "the last four characters of the secret" }),
      created_at: Timestamp,
      expires_at: nullable(Timestamp),
      last_used_at: nullable(Timestamp),
    }),
  ),
});

export const NewCredential = Type.Object({
  ...Credential.properties,
  client_secret: nullable(Type.String({ description: "shown once" })),
  replayed: Replayed,
});
