import Type from "typebox";
import { SUSPENSION_REASON_CHARS_MAX, SUSPENSIONS } from "../organization-states.ts";
import { closed, Email, Id, nullable, page } from "../organization/shapes.ts";
import { Suspension } from "../organization/suspension.ts";
import { route } from "../route.ts";
import { DisplayName, Slug, Timestamp } from "../shared.ts";

const Problem = Type.Object({
  alert: Type.String({ description: "the alert with the same condition" }),
  severity: Type.Enum(["critical", "warning"]),
  text: Type.String(),
  page: Type.String({ description: "path of the page of the documentation whose steps end the problem" }),
});

const Check = Type.Object({
  name: Type.String(),
  state: Type.Enum(["ok", "warning", "failed"]),
  detail: Type.String(),
});

const UndeliveredMail = Type.Object({
  id: Type.String(),
  to: Type.String(),
  subject: Type.String(),
  state: Type.Enum(["waiting", "failed"]),
  attempts: Type.Integer(),
  failure: nullable(Type.String({ description: "why the last attempt failed" })),
  created_at: Timestamp,
  next_attempt_at: nullable(Timestamp),
  failed_at: nullable(Timestamp),
});

/** An organization as the operator sees it. */
export const OperatedOrganization = Type.Object({
  id: Id,
  slug: Slug,
  name: DisplayName,
  created_at: Timestamp,
  ...Suspension,
});

const OrganizationParams = Type.Object({
  organization_id: Type.String({ minLength: 1, maxLength: 64, description: "id or slug" }),
});

/** The result of a change that must reach every node. */
const ChangedOrganization = Type.Object({
  ...OperatedOrganization.properties,
  propagated: Type.Boolean({
    description: "every node has applied it; false: one that does not answer will, or it stops",
  }),
});

const QuotaBytes = nullable(
  Type.Union([Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER - 1 }), Type.Literal("none")], {
    description: "bytes; none: no limit; null: the server's setting",
  }),
);

const Quotas = {
  stored_bytes_max: QuotaBytes,
  ingest_bytes_per_second: QuotaBytes,
  ingest_bytes_burst: QuotaBytes,
  files_stored_bytes_max: QuotaBytes,
  images_stored_bytes_max: QuotaBytes,
};

const LogLevelName = Type.Enum(["debug", "info", "warn", "error", "silent"]);
const LogLevelState = Type.Object({
  level: LogLevelName,
  configured: Type.Enum(["debug", "info", "warn", "error", "silent"], {
    description: "the setting log_level: the level after a restart",
  }),
});

/** Operations for the operator. */
export const INSTANCE_ROWS = {
  getInstance: route({
    operationId: "getInstance",
    method: "GET",
    path: "/api/instance",
    tag: "portal",
    summary: "Show the server: its version, nodes, keys, stores and checks",
    permission: "instance",
    result: Type.Object({
      version: Type.String(),
      started_at: Timestamp,
      metadata: Type.Enum(["sqlite", "postgres"]),
      objects: Type.Enum(["filesystem", "s3"]),
      telemetry: Type.Enum(["embedded", "clickhouse"]),
      master_key_id: Type.String(),
      latest_change: Type.Integer({ description: "number of the last change of permissions" }),
      nodes: Type.Array(
        Type.Object({
          id: Id,
          current: Type.Boolean(),
          applied_change: Type.Integer(),
          started_at: Timestamp,
          seen_at: Timestamp,
        }),
      ),
      signing_keys: Type.Array(
        Type.Object({
          kid: Type.String(),
          alg: Type.String(),
          state: Type.Enum(["next", "active", "retired"]),
          created_at: Timestamp,
          active_at: Timestamp,
        }),
      ),
      problems: Type.Array(Problem, {
        description: "problems of the server process that answers, critical ones first",
      }),
      checks: Type.Array(Check),
      disk: Type.Object({ free_bytes: Type.Integer(), total_bytes: Type.Integer() }),
      memory_bytes: Type.Integer(),
      own_telemetry_organization: nullable(
        Type.String({ description: "slug of the organization with the server's own telemetry; null: none" }),
      ),
      build: Type.Object({
        commit: nullable(Type.String({ description: "null: the sources are not in a repository" })),
        node: Type.String(),
        sqlite: Type.String(),
        duckdb: Type.String(),
        migrations: Type.Array(Type.Object({ name: Type.String(), applied_at: Timestamp }), {
          description: "migrations of the records, in the order in which they were applied",
        }),
      }),
      mail: nullable(
        Type.Object({
          host: Type.String(),
          port: Type.Integer(),
          security: Type.Enum(["tls", "starttls", "none"]),
          from: Type.String(),
          undelivered: Type.Array(UndeliveredMail, {
            description: "the newest mails that wait for another attempt, or that failed in the last 30 days",
          }),
        }),
      ),
    }),
    status: 200,
    problems: [],
  }),
  getLogLevel: route({
    operationId: "getLogLevel",
    method: "GET",
    path: "/api/instance/log-level",
    tag: "portal",
    summary: "Show the lowest severity of log lines of the server process that answers",
    permission: "instance",
    result: LogLevelState,
    status: 200,
    problems: [],
  }),
  setLogLevel: route({
    operationId: "setLogLevel",
    method: "PUT",
    path: "/api/instance/log-level",
    tag: "portal",
    summary: "Change the lowest severity of log lines of the server process that answers, until it restarts",
    permission: "instance",
    body: Type.Object({ level: LogLevelName }, closed),
    result: LogLevelState,
    status: 200,
    problems: ["invalid_body"],
  }),
  acceptClock: route({
    operationId: "acceptClock",
    method: "POST",
    path: "/api/instance/clock/accept",
    tag: "portal",
    summary: "Accept this node's clock, so that deletions by time continue",
    permission: "instance",
    body: Type.Object({}, closed),
    status: 204,
    problems: ["invalid_body"],
  }),
  sendTestMail: route({
    operationId: "sendTestMail",
    method: "POST",
    path: "/api/instance/mail/test",
    tag: "portal",
    summary: "Send a test mail, and show the mail server's answer",
    permission: "instance",
    body: Type.Object({ to: Email }, closed),
    result: Type.Object({
      reply: nullable(
        Type.Object({
          code: Type.Integer({
            description: "the reply code of SMTP (RFC 5321 section 4.2); 250: it accepted the mail",
          }),
          text: Type.String(),
        }),
      ),
      failure: nullable(Type.String({ description: "why the mail server refused the mail; null: it accepted it" })),
      duration_ms: Type.Integer(),
    }),
    status: 200,
    problems: ["invalid_body", "conflict", "rate_limited"],
  }),
  rotateSigningKey: route({
    operationId: "rotateSigningKey",
    method: "POST",
    path: "/api/instance/signing-keys/rotate",
    tag: "portal",
    summary: "Create a new signing key; tokens of the old key work until they expire",
    permission: "instance",
    recentSignIn: true,
    body: Type.Object({}, closed),
    result: Type.Object({ kid: Type.String() }),
    status: 200,
    problems: ["invalid_body"],
  }),
  retireSigningKey: route({
    operationId: "retireSigningKey",
    method: "POST",
    path: "/api/instance/signing-keys/{kid}/retire",
    tag: "portal",
    summary: "Retire a signing key that leaked: its signatures are no longer accepted",
    permission: "instance",
    recentSignIn: true,
    params: Type.Object({ kid: Type.String({ maxLength: 128 }) }),
    body: Type.Object({}, closed),
    result: Type.Object({ propagated: Type.Boolean() }),
    status: 200,
    problems: ["invalid_body", "not_found"],
  }),
  listOrganizations: route({
    operationId: "listOrganizations",
    method: "GET",
    path: "/api/instance/organizations",
    tag: "portal",
    summary: "List the organizations of the server, by slug",
    permission: "instance",
    query: Type.Object({
      q: Type.Optional(
        Type.String({
          maxLength: 254,
          description:
            "part of the slug or name; one request examines 5000 organizations, so a page may be empty and still have a next_cursor",
        }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
      cursor: Type.Optional(Type.String({ maxLength: 254, description: "next_cursor of the previous page" })),
    }),
    result: page(
      Type.Object({
        id: Id,
        slug: Slug,
        name: DisplayName,
        members: Type.Integer({ description: "counted up to 1000" }),
        members_is_lower_bound: Type.Optional(
          Type.Literal(true, { description: "true: there are more than were counted" }),
        ),
        created_at: Timestamp,
        ...Suspension,
      }),
    ),
    status: 200,
    problems: ["invalid_parameter"],
  }),
  createOrganization: route({
    operationId: "createOrganization",
    secret: true,
    method: "POST",
    path: "/api/instance/organizations",
    tag: "portal",
    summary: "Create an organization; its owner gets a set-up link unless they have an account",
    permission: "instance",
    recentSignIn: true,
    body: Type.Object({ slug: Slug, name: DisplayName, owner_email: Email }, closed),
    result: Type.Object({
      id: Id,
      slug: Slug,
      name: DisplayName,
      setup_url: nullable(Type.String()),
      email: nullable(
        Type.Object({ failure: nullable(Type.String({ description: "null: the mail server accepted the link" })) }),
      ),
    }),
    status: 201,
    problems: ["invalid_body", "conflict", "limit_reached"],
  }),
  suspendOrganization: route({
    operationId: "suspendOrganization",
    method: "POST",
    path: "/api/instance/organizations/{organization_id}/suspend",
    tag: "portal",
    summary: "Suspend an organization: make it read-only, or block it",
    description:
      "It takes effect on every node before the answer, also for issued tokens and open streams. The data stays. Members and senders get the reason. " +
      "A second request changes the state or the reason.",
    permission: "instance",
    recentSignIn: true,
    params: OrganizationParams,
    body: Type.Object(
      {
        state: Type.Enum([...SUSPENSIONS]),
        reason: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: SUSPENSION_REASON_CHARS_MAX }))),
      },
      closed,
    ),
    result: ChangedOrganization,
    status: 200,
    problems: ["invalid_body", "not_found", "conflict"],
  }),
  deleteOrganizationAsOperator: route({
    operationId: "deleteOrganizationAsOperator",
    method: "DELETE",
    path: "/api/instance/organizations/{organization_id}",
    tag: "portal",
    summary: "Delete an organization: block it now, and delete everything in it after 30 days",
    description: "Until deletes_at, its owners and operators can keep it. Its slug stays reserved for 90 days more.",
    permission: "instance",
    recentSignIn: true,
    params: OrganizationParams,
    result: ChangedOrganization,
    status: 200,
    problems: ["not_found"],
  }),
  keepOrganizationAsOperator: route({
    operationId: "keepOrganizationAsOperator",
    method: "POST",
    path: "/api/instance/organizations/{organization_id}/keep",
    tag: "portal",
    summary: "Keep an organization that was deleted; its earlier state returns",
    permission: "instance",
    recentSignIn: true,
    params: OrganizationParams,
    body: Type.Object({}, closed),
    result: ChangedOrganization,
    status: 200,
    problems: ["invalid_body", "not_found", "conflict"],
  }),
  renameOrganization: route({
    operationId: "renameOrganization",
    method: "PATCH",
    path: "/api/instance/organizations/{organization_id}",
    tag: "portal",
    summary: "Change the slug or name of an organization",
    description:
      "Image names and addresses contain the slug. The old slug answers 404 and stays reserved for this organization. Programs must use the new one.",
    permission: "instance",
    recentSignIn: true,
    params: OrganizationParams,
    body: Type.Object({ slug: Type.Optional(Slug), name: Type.Optional(DisplayName) }, { ...closed, minProperties: 1 }),
    result: ChangedOrganization,
    status: 200,
    problems: ["invalid_body", "not_found", "duplicate_slug"],
  }),
  getOrganizationQuotas: route({
    operationId: "getOrganizationQuotas",
    method: "GET",
    path: "/api/instance/organizations/{organization_id}/quotas",
    tag: "portal",
    summary: "Show the quotas of an organization",
    permission: "instance",
    params: OrganizationParams,
    result: Type.Object(Quotas),
    status: 200,
    problems: ["not_found"],
  }),
  setOrganizationQuotas: route({
    operationId: "setOrganizationQuotas",
    method: "PATCH",
    path: "/api/instance/organizations/{organization_id}/quotas",
    tag: "portal",
    summary: "Set quotas of an organization; a running server applies them within seconds",
    permission: "instance",
    recentSignIn: true,
    params: OrganizationParams,
    body: Type.Partial(Type.Object(Quotas), { ...closed, minProperties: 1 }),
    result: Type.Object(Quotas),
    status: 200,
    problems: ["invalid_body", "not_found"],
  }),
  resumeOrganization: route({
    operationId: "resumeOrganization",
    method: "POST",
    path: "/api/instance/organizations/{organization_id}/resume",
    tag: "portal",
    summary: "Resume a suspended organization",
    permission: "instance",
    recentSignIn: true,
    params: OrganizationParams,
    body: Type.Object({}, closed),
    result: ChangedOrganization,
    status: 200,
    problems: ["invalid_body", "not_found", "conflict"],
  }),
} as const;
