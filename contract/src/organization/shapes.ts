import Type, { type Static, type TSchema } from "typebox";
import { ADDRESS_RANGE_CHARS_MAX, ADDRESS_RANGES_MAX } from "../address-ranges.ts";
import { forStates, PROJECT_STATE_RULES } from "../project-states.ts";
import { RESOURCES_MAX } from "../resources.ts";
import { ORG_ROLES, PROJECT_ROLES, SCOPES } from "../scopes.ts";
import { AppSlug, CursorQuery, DisplayName, Slug, Timestamp } from "../shared.ts";

/** For bodies: an unknown member is refused, and the error names it. */
export const closed = { additionalProperties: false } as const;

export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

export function page<T extends TSchema>(item: T) {
  return Type.Object({ items: Type.Array(item), next_cursor: nullable(Type.String()) });
}

export const ScopeName = Type.Enum([...SCOPES]);
export const OrgRoleName = Type.Enum([...ORG_ROLES]);
export const ProjectRoleName = Type.Enum([...PROJECT_ROLES]);
export const Visibility = Type.Enum(["organization", "private"]);
export const Environment = Type.String({
  pattern: "^[a-z0-9](?:[a-z0-9-]{0,18}[a-z0-9])?$",
  description: "its purpose: `production`, `staging`, `development`, or another label of up to 20 characters",
});
export const Id = Type.String({ maxLength: 64 });
export const IdOrSlug = Type.String({ minLength: 1, maxLength: 64, description: "the identifier or the slug" });
export const Email = Type.String({ format: "email", maxLength: 254 });
export const Password = Type.String({ minLength: 12, maxLength: 1024, description: "12 characters or more" });
export const ScopeList = Type.Array(ScopeName, { minItems: 1, uniqueItems: true, maxItems: SCOPES.length });
export const Replayed = Type.Optional(
  Type.Literal(true, { description: "the answer to a repeated Idempotency-Key; members that are shown once are null" }),
);

/** Everything that the first verification of the person's address ended. */
export const Ended = Type.Object({
  password: Type.Boolean(),
  second_factor: Type.Boolean(),
  sessions: Type.Integer(),
  passkeys: Type.Integer(),
  tokens: Type.Integer(),
  identities: Type.Integer(),
});

const AddressRangeText = Type.String({
  maxLength: ADDRESS_RANGE_CHARS_MAX,
  description: "an address or a CIDR range, IPv4 or IPv6",
});

/** Answers have each range in its canonical form. */
export const AllowedAddresses = nullable(
  Type.Array(AddressRangeText, {
    minItems: 1,
    maxItems: ADDRESS_RANGES_MAX,
    description: "the addresses from which it may be used; null: all",
  }),
);

const Entries = <T extends TSchema>(item: T) =>
  Type.Optional(Type.Array(item, { minItems: 1, maxItems: RESOURCES_MAX, uniqueItems: true }));

export const BucketResources = Entries(
  Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 64, description: "the bucket, or the identifier of its app" }),
      prefix: Type.Optional(
        Type.String({ maxLength: 1024, description: "reaches only object keys that begin with this" }),
      ),
    },
    closed,
  ),
);

/** The description of every list of resources. */
const RESOURCES =
  "the only resources that it reaches, up to 100; null: no limit. It is closed: a kind that is not named gives nothing, and scopes without such a resource are refused";

export const Resources = nullable(
  Type.Object(
    {
      repositories: Entries(
        Type.String({ minLength: 1, maxLength: 64, description: "the slug or identifier of an app" }),
      ),
      buckets: BucketResources,
      webhooks: Entries(Id),
      services: Entries(Type.String({ minLength: 1, maxLength: 256, description: "a service of telemetry" })),
    },
    { ...closed, minProperties: 1, description: RESOURCES },
  ),
);

/** The resources of an S3 key. */
export const KeyResources = nullable(
  Type.Object({ buckets: BucketResources }, { ...closed, minProperties: 1, description: RESOURCES }),
);

export const Organization = Type.Object({
  id: Id,
  slug: Slug,
  name: DisplayName,
  token_lifetime_s: Type.Integer({ minimum: 300, maximum: 3600 }),
  policy: Type.Object({
    allowed_scopes: nullable(
      Type.Array(ScopeName, { description: "the scopes that credentials may have; null: every scope" }),
    ),
    credential_lifetime_days_max: nullable(Type.Integer({ description: "null: credentials need no expiry" })),
    require_expiry: Type.Boolean({
      description: "new credentials and keys need an expiry; credential_lifetime_days_max sets one automatically",
    }),
    allowed_addresses: nullable(
      Type.Array(AddressRangeText, {
        description: "addresses from which credentials and S3 keys may be used, in addition to their own lists",
      }),
    ),
    approval_required: Type.Boolean({
      description: "credentials and keys created without members:write wait for an approval",
    }),
    second_factor_required: Type.Boolean({ description: "people must have used a second factor" }),
    sign_in: Type.Enum(["any", "provider"], { description: "provider: people sign in by single sign-on only" }),
    device_login: Type.Boolean({
      description:
        "people may sign in to the command line by a code that they type in a browser (`mooring login --device`)",
    }),
    orphans: Type.Enum(["adopt", "revoke"], {
      description: "what happens to the credentials of a member who leaves, if the request does not say it",
    }),
    heir: nullable(
      Type.String({
        maxLength: 64,
        description:
          "the member who becomes responsible for the credentials of members who leave, if a program removes them and no person is responsible for that program; null: nobody",
      }),
    ),
  }),
  created_at: Timestamp,
});

export const Project = Type.Object({
  id: Id,
  slug: Slug,
  name: DisplayName,
  visibility: Visibility,
  environment: nullable(Environment),
  ...forStates("_at", (state) => {
    const { since, name } = PROJECT_STATE_RULES[state];
    return nullable(Type.String({ format: "date-time", description: `since then ${since}; null: not ${name}` }));
  }),
  created_at: Timestamp,
});

/** The settings of a project that a request can change. Archiving is a separate operation. */
export const ProjectChange = Type.Object(
  {
    slug: Type.Optional(Slug),
    name: Type.Optional(DisplayName),
    visibility: Type.Optional(Visibility),
    environment: Type.Optional(nullable(Environment)),
  },
  { ...closed, minProperties: 1 },
);

/** The end of a membership. */
export const MembershipEnd = nullable(
  Type.String({ format: "date-time", description: "when the membership ends, at the next request; null: no end" }),
);

/** For resources without a GET. */
export const Etag = Type.String({ description: "for `If-Match`" });

export const ProjectMember = Type.Object({
  user_id: Id,
  email: Type.String(),
  name: Type.String(),
  role: ProjectRoleName,
  created_at: Timestamp,
  expires_at: MembershipEnd,
  etag: Etag,
});

export const App = Type.Object({
  id: Id,
  slug: AppSlug,
  name: DisplayName,
  project_id: Id,
  project_slug: Slug,
  repository: Type.String({ description: "name in the registry, without its domain" }),
  bucket: Type.String({ description: "name of the bucket at the S3 gateway" }),
  created_at: Timestamp,
});

export const Member = Type.Object({
  user_id: Id,
  email: Type.String(),
  name: Type.String(),
  role: OrgRoleName,
  created_at: Timestamp,
  expires_at: MembershipEnd,
  last_seen_at: nullable(Type.String({ format: "date-time", description: "last use of the portal, to the minute" })),
  second_factor: Type.Boolean({ description: "has an authenticator app or a passkey" }),
  etag: Etag,
});

export const Invitation = Type.Object({
  id: Id,
  email: Type.String(),
  role: OrgRoleName,
  status: Type.Enum(["pending", "accepted", "revoked", "expired"]),
  invited_by: Id,
  created_at: Timestamp,
  expires_at: Type.String({ format: "date-time", description: "when the link ends" }),
  membership_expires_at: MembershipEnd,
  email_sent_at: nullable(Timestamp),
  email_failure: nullable(
    Type.String({
      description:
        "the reason why the mail server refused the mail. If this and `email_sent_at` are null, no mail was sent",
    }),
  ),
});

export const NewInvitation = Type.Object({
  ...Invitation.properties,
  link: nullable(Type.String({ description: "shown once; everybody who has it can accept the invitation" })),
  replayed: Replayed,
});

export const BelongsTo = Type.Object({ kind: Type.Enum(["organization", "project"]), id: Id });

export const Responsible = Type.Object(
  {
    kind: Type.Enum(["person", "credential", "system"], { description: "system: the server's command line" }),
    id: nullable(Id),
    name: nullable(Type.String()),
  },
  { description: "its permissions limit this one; first its creator, then the actor that adopted it last" },
);

export const DryRun = Type.Optional(
  Type.Boolean({
    description: "changes nothing, and answers 200 with the effects (`Plan`) instead; needs no recent sign-in",
  }),
);

/** What happens to the credentials that would lose scopes. */
export const ORPHANS = ["adopt", "revoke"] as const;
export type Orphans = (typeof ORPHANS)[number];

export const OrphansName = Type.Enum([...ORPHANS], {
  description:
    "adopt: the caller becomes responsible for the credentials that would lose scopes; revoke: these are revoked",
});

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
  kind: Type.Enum(["app", "personal"], { description: "personal: an access token of the person who created it" }),
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

export const AuditResultName = Type.Enum(["success", "denied", "failure"]);

export const AuditEntry = Type.Object({
  id: Id,
  seq: Type.Integer(),
  at: Timestamp,
  actor: Type.Object({ kind: Type.Enum(["person", "credential", "system", "anonymous"]), id: nullable(Type.String()) }),
  action: Type.String(),
  target: nullable(Type.Object({ kind: Type.String(), id: Type.String() })),
  result: AuditResultName,
  ip: nullable(Type.String()),
  request_id: nullable(Type.String()),
  detail: Type.Record(Type.String(), Type.Unknown()),
  prev_hash: Type.String(),
  hash: Type.String(),
});

const AUDIT_FAULTS = ["gap", "edited", "unlinked", "truncated", "head"] as const;

export const AuditVerification = Type.Object({
  ok: Type.Boolean(),
  entries: Type.Integer({ description: "valid entries in a row, from the first one" }),
  head_hash: nullable(
    Type.String({
      description: "hash of the last entry of a valid log; store it in another place to compare it later",
    }),
  ),
  fault: nullable(
    Type.Object({
      kind: Type.Enum([...AUDIT_FAULTS]),
      seq: Type.Integer(),
      detail: Type.String(),
    }),
  ),
  declared: Type.Array(
    Type.Object({
      kind: Type.Enum([...AUDIT_FAULTS]),
      from: Type.Integer({ description: "number of the first affected entry" }),
      to: Type.Integer({ description: "number of the last affected entry" }),
      detail: Type.String(),
      entry: Type.Integer({ description: "number of the entry that declares the fault" }),
      at: Timestamp,
    }),
    { description: "earlier faults that an operator declared with `mooring audit repair`; they stay in the log" },
  ),
});

export const Me = Type.Object({
  kind: Type.Enum(["person", "credential"]),
  id: Id,
  client_id: nullable(Type.String()),
  email: nullable(Type.String()),
  role: nullable(OrgRoleName),
  organization: Type.Object({ id: Id, slug: Slug, name: DisplayName }),
  project_id: nullable(Type.String({ description: "for a credential of one project: the project" })),
  scopes: Type.Array(ScopeName),
  resources: Resources,
  address: Type.String({ description: "the address of this request, as lists of allowed addresses see it" }),
  projects: Type.Array(
    Type.Object({
      id: Id,
      slug: Slug,
      name: DisplayName,
      visibility: Visibility,
      environment: nullable(Environment),
      ...forStates("", () => Type.Boolean()),
      role: nullable(ProjectRoleName),
    }),
    {
      description:
        "the projects that the caller can see, newest first, 1000 at most; `projects_next_cursor` says whether there are more",
    },
  ),
  projects_next_cursor: nullable(
    Type.String({
      description: "the cursor with which GET /v1/projects continues; null: there are no more projects",
    }),
  ),
});

export const listQuery = Type.Object({ ...CursorQuery });
