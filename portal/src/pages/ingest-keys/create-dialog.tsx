import { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { CreateDialog } from "~/access/create-dialog.tsx";
import type { AccessDraft } from "~/access/draft.ts";
import type { NewIngestKey } from "~/access/ingest-keys.ts";
import { namesIn } from "~/access/s3-keys.ts";
import { useAct } from "~/api/queries.ts";
import { TextField } from "~/kit/field.tsx";

interface Draft extends AccessDraft {
  /** The origins in the field; empty: no limit. */
  readonly origins: string;
  /** The number in the field; empty: no limit. */
  readonly rate: string;
}

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
    origins: "",
    rate: "",
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
        const origins = namesIn(draft.origins);
        create.mutate({
          body: {
            ...body,
            resources: resources === undefined ? null : { services: resources.services ?? [] },
            origins: origins.length === 0 ? null : origins,
            requests_per_second: draft.rate === "" ? null : Number(draft.rate),
          },
        });
      }}
      onClose={onClose}
      hasResources
      after={(draft, change) => <LimitFields draft={draft} onChange={change} />}
    />
  );
}

function LimitFields({ draft, onChange }: { draft: Draft; onChange: (part: Partial<Draft>) => void }): ReactNode {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <TextField
        label="Only pages of these origins"
        hint="For a key in a web page, for example https://*.example.com. Empty: no limit"
        value={draft.origins}
        onChange={({ target }) => onChange({ origins: target.value })}
      />
      <TextField
        label="Requests a second"
        hint="On each node. Empty: no own limit"
        type="number"
        min={1}
        max={100_000}
        value={draft.rate}
        onChange={({ target }) => onChange({ rate: target.value })}
      />
    </div>
  );
}
