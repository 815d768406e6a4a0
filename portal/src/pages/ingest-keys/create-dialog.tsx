import { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { CreateDialog } from "~/access/create-dialog.tsx";
import type { AccessDraft } from "~/access/draft.ts";
import type { NewIngestKey } from "~/access/ingest-keys.ts";
import { useAct } from "~/api/queries.ts";
import { LimitFields } from "./limit-fields.tsx";
import { membersOf, NO_LIMITS, type Limits } from "./limits.ts";

type Draft = AccessDraft & Limits;

interface CreateProps {
  /** The slug to preselect. */
  project: string | null;
  onCreated: (key: NewIngestKey) => void;
  onClose: () => void;
}

/** The form for a new ingest key. */
export function CreateIngestKey({ project, onCreated, onClose }: CreateProps): ReactNode {
  const create = useAct(ORGANIZATION_ROUTES.createIngestKey, {
    changes: [ORGANIZATION_ROUTES.listIngestKeys, ORGANIZATION_ROUTES.listCredentials],
    onDone: onCreated,
  });
  const first: Draft = {
    name: "",
    project,
    requested: ["telemetry:write"],
    expiresDays: null,
    addresses: "",
    resources: null,
    ...NO_LIMITS,
  };
  return (
    <CreateDialog<Draft>
      noun="ingest key"
      about="For one agent or program. It only sends telemetry, and works until it expires or is revoked."
      scopes={["telemetry:write"]}
      first={first}
      busy={create.isPending}
      error={create.error}
      onCreate={({ scopes: _one, resources, ...body }, draft) => {
        create.mutate({
          body: {
            ...body,
            resources: resources === undefined ? null : { services: resources.services ?? [] },
            ...membersOf(draft),
          },
        });
      }}
      onClose={onClose}
      hasResources
      after={(draft, change) => <LimitFields limits={draft} onChange={change} />}
    />
  );
}
