import { ORGANIZATION_ROUTES, S3_KEY_SCOPES, type Scope } from "@mooring/contract";
import type { ReactNode } from "react";
import { CreateDialog } from "~/access/create-dialog.tsx";
import type { AccessDraft } from "~/access/draft.ts";
import { isKeyScope, KEY_SCOPE_TEXTS, namesIn, type NewS3Key } from "~/access/s3-keys.ts";
import { useAct, useList } from "~/api/queries.ts";
import { TextField } from "~/kit/field.tsx";

interface Draft extends AccessDraft {
  /** The names in the field; empty: every bucket. */
  readonly buckets: string;
  readonly prefix: string;
}

interface CreateProps {
  /** The bucket to preselect. */
  bucket: string;
  /** The slug to preselect. */
  project: string | null;
  onCreated: (key: NewS3Key) => void;
  onClose: () => void;
}

/** The form for a new S3 key. */
export function CreateS3Key({ bucket, project, onCreated, onClose }: CreateProps): ReactNode {
  const create = useAct(ORGANIZATION_ROUTES.createS3Key, {
    changes: [ORGANIZATION_ROUTES.listS3Keys],
    onDone: onCreated,
  });
  const first: Draft = {
    name: bucket,
    project,
    requested: ["s3:read"],
    expiresDays: null,
    addresses: "",
    resources: null,
    buckets: bucket,
    prefix: "",
  };
  return (
    <CreateDialog<Draft>
      noun="S3 key"
      about="For one program. Limit it to the buckets and permissions that the program needs."
      scopes={S3_KEY_SCOPES satisfies readonly Scope[]}
      texts={KEY_SCOPE_TEXTS}
      first={first}
      busy={create.isPending}
      error={create.error}
      onCreate={({ scopes, resources: _none, ...body }, draft) => {
        const buckets = namesIn(draft.buckets);
        create.mutate({
          body: {
            ...body,
            scopes: scopes.filter(isKeyScope),
            buckets: buckets.length === 0 ? null : buckets,
            prefix: draft.prefix,
          },
        });
      }}
      onClose={onClose}
      after={(draft, change) => <LimitFields draft={draft} onChange={change} />}
    />
  );
}

function LimitFields({ draft, onChange }: { draft: Draft; onChange: (part: Partial<Draft>) => void }): ReactNode {
  const apps = useList(ORGANIZATION_ROUTES.listApps, {
    query: { limit: 100, ...(draft.project === null ? {} : { project: draft.project }) },
  });
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <TextField
        label="Only these buckets"
        hint="Separated by commas. Empty: every bucket"
        list="known-buckets"
        value={draft.buckets}
        onChange={({ target }) => onChange({ buckets: target.value })}
      />
      <datalist id="known-buckets">
        {apps.items.map(({ bucket }) => (
          <option key={bucket} value={bucket} />
        ))}
      </datalist>
      <TextField
        label="Only object keys with this prefix"
        hint="For example 2026/. Empty: every object"
        maxLength={1024}
        value={draft.prefix}
        onChange={({ target }) => onChange({ prefix: target.value })}
      />
    </div>
  );
}
