import { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useList } from "~/api/queries.ts";
import { useMayIn, useProjectsFor } from "~/app/may.ts";
import { SelectField } from "~/kit/field.tsx";
import type { Draft } from "./ingest-rule.ts";

interface SenderProps {
  draft: Draft;
  onDraft: (change: Partial<Draft>) => void;
}

/** Limits a rule to a project and to an ingest key. */
export function SenderFields({ draft, onDraft }: SenderProps): ReactNode {
  const projects = useProjectsFor("projects:read");
  const mayList = useMayIn(null, "credentials:read");
  const keys = useList(ORGANIZATION_ROUTES.listIngestKeys, {}, { enabled: mayList });
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <SelectField label="Project" value={draft.project} onChange={({ target }) => onDraft({ project: target.value })}>
        <option value="">all rows</option>
        {projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField label="Ingest key" value={draft.key} onChange={({ target }) => onDraft({ key: target.value })}>
        <option value="">all senders</option>
        {keys.items.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
    </div>
  );
}
