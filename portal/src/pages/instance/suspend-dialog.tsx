import { PORTAL_ROUTES, SUSPENSION_REASON_CHARS_MAX } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useRenewSession } from "~/people/renew-session.ts";
import { placeText, restOf } from "~/people/failure.tsx";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { SelectField, TextField } from "~/kit/field.tsx";
import { useSay } from "~/kit/toast.tsx";
import type { Organization } from "./types.ts";

/** The dialog is not offered for a deleted organization. */
type Chosen = Exclude<Organization["state"], "deleting">;

const EFFECTS: Record<Chosen, string> = {
  active: "Everything works again. Jobs that waited run within seconds.",
  read_only:
    "Reading works. Writes, pushes, uploads and changes are refused, and webhooks answer 503. Alerts and deliveries wait. Access can still be taken away.",
  blocked:
    "Nobody can use it: members, credentials and keys are refused, and public buckets and images disappear. All background work waits. The data is kept.",
};

/** Suspends an organization, changes the reason, or resumes it. */
export function SuspendDialog({
  organization,
  onClose,
}: {
  organization: Organization;
  onClose: () => void;
}): ReactNode {
  const isSuspended = organization.state !== "active";
  const present = organization.state === "deleting" ? "blocked" : organization.state;
  const [state, setState] = useState<Chosen>(present === "active" ? "read_only" : present);
  const [reason, setReason] = useState(organization.state_reason ?? "");
  const say = useSay();
  const renew = useRenewSession();
  const options = {
    changes: [PORTAL_ROUTES.listOrganizations],
    onDone: ({ name, state: now }: { name: string; state: Organization["state"] }): void => {
      say(now === "active" ? `${name} is active again` : `${name} is ${NAMES[now]}`);
      renew();
      onClose();
    },
  };
  const suspend = useAct(PORTAL_ROUTES.suspendOrganization, options);
  const resume = useAct(PORTAL_ROUTES.resumeOrganization, options);
  const params = { organization_id: organization.id };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const text = reason.trim();
    if (state === "active") resume.mutate({ params, body: {}, purpose: "resume the organization" });
    else
      suspend.mutate({
        params,
        body: { state, reason: text === "" ? null : text },
        purpose: "suspend the organization",
      });
  };
  const error = state === "active" ? resume.error : suspend.error;
  return (
    <Dialog title={`State of ${organization.name}`} about={EFFECTS[state]} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <SelectField label="State" value={state} onChange={(event) => setState(event.target.value as Chosen)}>
          {isSuspended && <option value="active">Active</option>}
          <option value="read_only">Read-only</option>
          <option value="blocked">Blocked</option>
        </SelectField>
        {state !== "active" && (
          <TextField
            label="Reason"
            hint="Its members read it, and everybody who proves that they belong to it."
            maxLength={SUSPENSION_REASON_CHARS_MAX}
            error={placeText(error, "/reason")}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
        <ErrorNote error={restOf(error, ["/reason"])} />
        <FormActions
          action={state === "active" ? "Resume" : "Suspend"}
          busy={suspend.isPending || resume.isPending}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}

export const NAMES: Record<Organization["state"], string> = {
  active: "active",
  read_only: "read-only",
  blocked: "blocked",
  deleting: "deleted",
};
