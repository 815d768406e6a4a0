import { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { IngestKey } from "~/access/ingest-keys.ts";
import type { AccessKind } from "~/access/kind.ts";
import { durationText } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { State } from "~/kit/state.tsx";
import { LimitFields } from "./limit-fields.tsx";
import { changedMembers, limitsOf, NO_LIMITS } from "./limits.ts";

/** The services of a key: `checkout, cart`. */
function servicesText({ resources }: IngestKey): string {
  return resources === null ? "every service" : (resources.services ?? []).join(", ");
}

export const INGEST_KEYS: AccessKind<IngestKey> = {
  noun: "ingest key",
  path: "/v1/ingest-keys",
  idParam: "key_id",
  actParam: "credential_id",
  rows: {
    list: ORGANIZATION_ROUTES.listIngestKeys,
    get: ORGANIZATION_ROUTES.getIngestKey,
    update: ORGANIZATION_ROUTES.updateIngestKey,
    approve: ORGANIZATION_ROUTES.approveCredential,
    adopt: ORGANIZATION_ROUTES.adoptCredential,
    revoke: ORGANIZATION_ROUTES.revokeIngestKey,
    activity: ORGANIZATION_ROUTES.getCredentialActivity,
  },
  address: { open: "key", create: "create" },
  identifierName: "Identifier",
  identifierOf: ({ id }) => id,
  searchTextOf: ({ name, id, resources }) => [name, id, ...(resources?.services ?? [])].join(" "),
  columns: [
    { title: "Services", cell: (key) => visibleText(servicesText(key)) },
    { title: "Last used from", cell: ({ last_used_ip }) => <code>{last_used_ip ?? ""}</code> },
  ],
  facts: (key) => [
    ["Services", visibleText(servicesText(key))],
    ["Pages", key.origins === null ? "no limit by origin" : <code key="origins">{key.origins.join(", ")}</code>],
    [
      "Requests",
      key.requests_per_second === null ? "no own limit" : `${key.requests_per_second} a second on each node`,
    ],
  ],
  hasMutableScopes: false,
  limits: {
    textsOf: limitsOf,
    fields: (texts, change) => <LimitFields limits={{ ...NO_LIMITS, ...texts }} onChange={change} />,
    changeOf: (key, texts) => changedMembers(key, { ...NO_LIMITS, ...texts }),
  },
  resourceKinds: ["services"],
  hasChildren: false,
  revokeConsequence: () =>
    "Every node refuses its requests within a second. Most agents then drop their data without a message.",
  revokedNote: ({ result, tookMs }) => (
    <State kind={result.propagated === true ? "go" : "warn"}>
      {result.propagated === true
        ? `Applied on all nodes after ${durationText(tookMs)}`
        : "Some nodes have not confirmed it. They refuse the key as soon as they reach the database."}
    </State>
  ),
};
