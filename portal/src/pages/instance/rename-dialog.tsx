import { PORTAL_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useRenewSession } from "~/people/renew-session.ts";
import { placeText, restOf } from "~/people/failure.tsx";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { useSay } from "~/kit/toast.tsx";
import { SLUG_PATTERN } from "./slug.ts";
import type { Organization } from "./types.ts";

/** Changes the name and the slug of an organization. */
export function RenameDialog({
  organization,
  onClose,
}: {
  organization: Organization;
  onClose: () => void;
}): ReactNode {
  const [name, setName] = useState(organization.name);
  const [slug, setSlug] = useState(organization.slug);
  const say = useSay();
  const renew = useRenewSession();
  const rename = useAct(PORTAL_ROUTES.renameOrganization, {
    changes: [PORTAL_ROUTES.listOrganizations],
    onDone: (now) => {
      say(`The organization is now ${now.name} (${now.slug}).`);
      renew();
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const body = { name: name.trim(), slug };
    rename.mutate({ params: { organization_id: organization.id }, body, purpose: "rename the organization" });
  };
  return (
    <Dialog
      title={`Rename ${organization.name}`}
      about="Image names and addresses contain the slug, and programs must use the new one. The old slug stays reserved for this organization."
      onClose={onClose}
    >
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label="Name"
          required
          maxLength={100}
          error={placeText(rename.error, "/name")}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Slug"
          className="mono"
          required
          pattern={SLUG_PATTERN}
          error={placeText(rename.error, "/slug")}
          value={slug}
          onChange={(event) => setSlug(event.target.value)}
        />
        <ErrorNote error={restOf(rename.error, ["/name", "/slug"])} />
        <FormActions
          action="Rename"
          busy={rename.isPending}
          disabled={name.trim() === organization.name && slug === organization.slug}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}
