import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct, useRead } from "~/api/queries.ts";
import { placeText, restOf } from "~/people/failure.tsx";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { Loaded } from "~/kit/page.tsx";
import { useSay } from "~/kit/toast.tsx";
import { quotaOfText, textOfQuota } from "./quota.ts";
import type { Organization } from "./types.ts";

type Quotas = ResultOf<typeof PORTAL_ROUTES.getOrganizationQuotas>;
type Name = keyof Quotas;

const LABELS: Readonly<Record<Name, string>> = {
  stored_bytes_max: "Telemetry, bytes",
  ingest_bytes_per_second: "Ingest, bytes per second",
  ingest_bytes_burst: "Ingest burst, bytes",
  files_stored_bytes_max: "Files and buckets, bytes",
  images_stored_bytes_max: "Images, bytes",
};
const NAMES = Object.keys(LABELS) as Name[];

/** Shows and sets the quotas of an organization. */
export function QuotaDialog({ organization, onClose }: { organization: Organization; onClose: () => void }): ReactNode {
  const params = { organization_id: organization.id };
  const quotas = useRead(PORTAL_ROUTES.getOrganizationQuotas, { params });
  return (
    <Dialog
      title={`Quotas of ${organization.name}`}
      about="Bytes, or none for no limit. An empty field means the setting of the server."
      onClose={onClose}
    >
      <Loaded result={quotas}>
        {(now) => <QuotaForm organizationId={organization.id} quotas={now} onClose={onClose} />}
      </Loaded>
    </Dialog>
  );
}

function QuotaForm({
  organizationId,
  quotas,
  onClose,
}: {
  organizationId: string;
  quotas: Quotas;
  onClose: () => void;
}): ReactNode {
  const [texts, setTexts] = useState<Partial<Record<Name, string>>>({});
  const say = useSay();
  const set = useAct(PORTAL_ROUTES.setOrganizationQuotas, {
    changes: [PORTAL_ROUTES.getOrganizationQuotas],
    onDone: () => {
      say("The quotas are saved.");
      onClose();
    },
  });
  const changed = NAMES.filter((name) => texts[name] !== undefined && quotaOfText(texts[name]) !== quotas[name]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const body = Object.fromEntries(changed.map((name) => [name, quotaOfText(texts[name] ?? "")]));
    set.mutate({ params: { organization_id: organizationId }, body, purpose: "set the quotas" });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      {NAMES.map((name) => (
        <TextField
          key={name}
          label={LABELS[name]}
          className="mono"
          inputMode="numeric"
          pattern="[0-9]{1,15}|none"
          placeholder="setting of the server"
          error={placeText(set.error, `/${name}`)}
          value={texts[name] ?? textOfQuota(quotas[name])}
          onChange={(event) => setTexts({ ...texts, [name]: event.target.value })}
        />
      ))}
      <ErrorNote
        error={restOf(
          set.error,
          NAMES.map((name) => `/${name}`),
        )}
      />
      <FormActions action="Save" busy={set.isPending} disabled={changed.length === 0} onCancel={onClose} />
    </form>
  );
}
