import { ORGANIZATION_ROUTES, RESOURCE_KINDS } from "@mooring/contract";
import type { Credential } from "~/access/credentials.ts";
import type { AccessKind } from "~/access/kind.ts";
import { Owner } from "~/access/owner.tsx";
import { durationText } from "~/kit/figures.ts";
import { State } from "~/kit/state.tsx";

const KIND_NAMES = {
  app: "Credential of a program",
  personal: "Personal access token",
  ingest: "Ingest key",
} as const satisfies Readonly<Record<Credential["kind"], string>>;

export const CREDENTIALS: AccessKind<Credential> = {
  noun: "credential",
  path: "/v1/credentials",
  idParam: "credential_id",
  rows: {
    list: ORGANIZATION_ROUTES.listCredentials,
    get: ORGANIZATION_ROUTES.getCredential,
    update: ORGANIZATION_ROUTES.updateCredential,
    approve: ORGANIZATION_ROUTES.approveCredential,
    adopt: ORGANIZATION_ROUTES.adoptCredential,
    revoke: ORGANIZATION_ROUTES.revokeCredential,
    activity: ORGANIZATION_ROUTES.getCredentialActivity,
  },
  address: { open: "credential", create: "new" },
  identifierName: "Client id",
  identifierOf: ({ client_id }) => client_id,
  searchTextOf: ({ name, client_id }) => `${name} ${client_id}`,
  columns: [{ title: "Last used from", cell: ({ last_used_ip }) => <code>{last_used_ip ?? ""}</code> }],
  facts: ({ kind, revoked_with }) => [
    ["Kind", KIND_NAMES[kind]],
    ...(revoked_with === null ? [] : [["Revoked with", <Owner key="with" id={revoked_with} />] as const]),
  ],
  hasMutableScopes: true,
  resourceKinds: RESOURCE_KINDS,
  hasChildren: true,
  revokeConsequence: () => "Its secrets and its tokens stop working at once, on every node.",
  revokedNote: ({ result, tookMs }) =>
    result.propagated === true ? (
      <State kind="go">Applied on all nodes after {durationText(tookMs)}</State>
    ) : (
      <State kind="warn">
        <span className="whitespace-normal">
          Some nodes have not confirmed it. Such a node answers 503 until it reaches the database, and applies the
          revocation within a second after that.
        </span>
      </State>
    ),
};
