import Type, { type TSchema } from "typebox";
import { ADDRESS_RANGE_CHARS_MAX, ADDRESS_RANGES_MAX } from "../address-ranges.ts";
import { forStates, PROJECT_STATE_RULES } from "../project-states.ts";
import { MEMBER_ROLES, PROJECT_MEMBER_ROLES, SCOPES } from "../scopes.ts";
import { AppSlug, CursorQuery, DisplayName, Slug, Timestamp } from "../shared.ts";
import { Suspension } from "./suspension.ts";

/** For bodies: an unknown member is refused, and the error names it. */
export const closed = { additionalProperties: false } as const;

export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

export function page<T extends TSchema>(item: T) {
  return Type.Object({ items: Type.Array(item), next_cursor: nullable(Type.String()) });
}

export const ScopeName = Type.Enum([...SCOPES]);
export const OrgRoleName = Type.Enum([...MEMBER_ROLES]);
export const ProjectRoleName = Type.Enum([...PROJECT_MEMBER_ROLES]);
export const CustomRoleName = nullable(
  Type.String({ description: "the slug of the custom role; null: a built-in role" }),
);
/** For bodies. */
export const GivenCustomRole = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: "the identifier or the slug of a custom role; only with the role `custom`",
  }),
);
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
        description:
          "addresses from which the organization may be used, in addition to the lists of credentials and keys",
      }),
    ),
    allowed_addresses_for: Type.Enum(["programs", "people", "both"], {
      description: "whom allowed_addresses binds; personal access tokens count as both",
    }),
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
    audit_retention_days: nullable(
      Type.Integer({ description: "how long entries of the audit log are kept; null: the server's default" }),
    ),
  }),
  created_at: Timestamp,
  ...Suspension,
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
  deletion_lock: Type.Boolean({
    description: "true: it, its apps with their buckets and repositories, and its webhooks can't be deleted",
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
  custom_role: CustomRoleName,
  created_at: Timestamp,
  expires_at: MembershipEnd,
  entered: nullable(
    Type.Object(
      { at: Timestamp, reason: Type.String() },
      { description: "an owner entered the private project by themselves; null: somebody made the person a member" },
    ),
  ),
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
  custom_role: CustomRoleName,
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
  custom_role: CustomRoleName,
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

export const DryRun = Type.Optional(
  Type.Boolean({
    description:
      "changes nothing, and answers 200 with the effects (`Plan`) instead; needs no recent sign-in. With `If-Match`: 409 if the record has another version",
  }),
);

/** What happens to the credentials that would lose scopes. */
export const ORPHANS = ["adopt", "revoke"] as const;
export type Orphans = (typeof ORPHANS)[number];

export const OrphansName = Type.Enum([...ORPHANS], {
  description:
    "adopt: the caller becomes responsible for the credentials that would lose scopes; revoke: these are revoked",
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

export const listQuery = Type.Object({ ...CursorQuery });
