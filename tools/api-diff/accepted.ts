import { WEBHOOK_SENDERS } from "../../contract/src/index.ts";

/** The reasons for roles that answers may have now. */
const REASONS = {
  guest: "the role guest appears only after somebody of the organization has invited a guest",
  custom: "the role custom appears only after somebody of the organization has created a custom role and given it",
} as const;

const newRole = (place: string, role: keyof typeof REASONS): { readonly line: string; readonly reason: string } => ({
  line: `${place}: the value "${role}" is now possible`,
  reason: REASONS[role],
});

const newRoles = (place: string) => [newRole(place, "guest"), newRole(place, "custom")];

const newScope = (place: string): { readonly line: string; readonly reason: string } => ({
  line: `${place}: the value "queries:manage" is now possible`,
  reason: "callers show the names of scopes, or look for those that they know; only the server decides by them",
});

/** Answers about credentials of any kind. */
const newKinds = [
  "listCredentials: answer 200.items[]",
  "createCredential: answer 201",
  "getCredential: answer 200",
  "updateCredential: answer 200",
  "approveCredential: answer 200",
  "rotateCredential: answer 200",
].flatMap((place) => [
  newKind(`${place}.kind`),
  newScope(`${place}.scopes[]`),
  newScope(`${place}.effective_scopes[]`),
]);

function newKind(place: string): { readonly line: string; readonly reason: string } {
  const reason = "it appears only after somebody of the organization has created an ingest key";
  return { line: `${place}: the value "ingest" is now possible`, reason };
}

/** The senders of the last release. */
const FORMER_SENDERS = ["standard_webhooks", "github", "gitlab", "stripe", "slack", "shopify", "twilio"];

/** Answers that name the sender of a webhook. */
const newSenders = [
  "listWebhooks: answer 200.items[].verification.scheme",
  "createWebhook: answer 201.verification.scheme",
  "getWebhook: answer 200.verification.scheme",
  "updateWebhook: answer 200.verification.scheme",
  "listWebhookEvents: answer 200.items[].verified",
  "getWebhookEvent: answer 200.verified",
  "pollWebhookEvents: answer 200.items[].verified",
  "claimWebhookEvents: answer 200.items[].verified",
].flatMap((place) =>
  Object.keys(WEBHOOK_SENDERS)
    .filter((sender) => !FORMER_SENDERS.includes(sender))
    .map((sender) => ({
      line: `${place}: the value "${sender}" is now possible`,
      reason: "it appears only after somebody of the organization has set this sender for a webhook",
    })),
);

const EVENTS_ERASED = "events of webhooks can be erased now; only a request that names them has such an answer";
const ACCESS_LOG =
  "the server erases what the access log says of a deleted person; only organizations that have switched the log on have such an erasure";

/**
 * Breaking changes since the last release that we accept: each with its line in the comparison, and the reason. A
 * release copies
 * `openapi/*.json` to `openapi/released/` and empties this list.
 */
export const ACCEPTED: readonly { readonly line: string; readonly reason: string }[] = [
  {
    line: "updateFileSettings: body: minProperties is greater",
    reason: "trash_days was required, so a body without members was refused before, too",
  },
  ...newRoles("getMe: answer 200.role"),
  newScope("getMe: answer 200.scopes[]"),
  newRole("getMe: answer 200.projects[].role", "custom"),
  newScope("getOrganization: answer 200.policy.allowed_scopes[]"),
  newScope("updateOrganization: answer 200.policy.allowed_scopes[]"),
  newRole("listProjectMembers: answer 200.items[].role", "custom"),
  newRole("putProjectMember: answer 200.role", "custom"),
  ...newRoles("listMembers: answer 200.items[].role"),
  {
    line: "updateMember: body: minProperties is greater",
    reason: "role was required, so a body without members was refused before, too",
  },
  ...newRoles("updateMember: answer 200.role"),
  ...newRoles("listInvitations: answer 200.items[].role"),
  ...newRoles("createInvitation: answer 201.role"),
  ...newRoles("renewInvitation: answer 200.role"),
  ...newRoles("acceptInvitation: answer 200.role"),
  newScope("getAccess: answer 200.permission"),
  ...newRoles("getAccess: answer 200.members[].role"),
  newRole("getAccess: answer 200.members[].project_role", "custom"),
  newKind("getAccess: answer 200.credentials[].kind"),
  ...newKinds,
  {
    line: "updateTelemetrySettings: body: minProperties is greater",
    reason: "retention_days was required, so a body without members was refused before, too",
  },
  ...[
    "createTelemetryErasure: answer 202.",
    "listTelemetryErasures: answer 200.items[].",
    "getTelemetryErasure: answer 200.",
  ].flatMap((answer) => [
    { line: `${answer}types[]: the value "access_log" is now possible`, reason: ACCESS_LOG },
    { line: `${answer}types[]: the value "query_log" is now possible`, reason: ACCESS_LOG },
    { line: `${answer}types[]: the value "webhook_events" is now possible`, reason: EVENTS_ERASED },
  ]),
  ...newSenders,
];
