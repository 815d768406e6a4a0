import { ORGANIZATION_GRACE_DAYS, PORTAL_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useRenewSession } from "~/people/renew-session.ts";
import { DangerDialog, Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import type { Organization } from "./types.ts";

interface Props {
  readonly organization: Organization;
  readonly onClose: () => void;
}

/** Deletes an organization, after its slug was typed. */
export function DeleteOrganizationDialog({ organization, onClose }: Props): ReactNode {
  const say = useSay();
  const renew = useRenewSession();
  const erase = useAct(PORTAL_ROUTES.deleteOrganizationAsOperator, {
    changes: [PORTAL_ROUTES.listOrganizations],
    onDone: ({ name }) => {
      say(`${name} is deleted.`);
      renew();
      onClose();
    },
  });
  const input = { params: { organization_id: organization.id }, purpose: "delete the organization" };
  return (
    <DangerDialog
      title={`Delete ${organization.name}`}
      about={`Nobody can use the organization from now on. After ${ORGANIZATION_GRACE_DAYS} days everything in it is deleted. Until then, its owners and operators can keep it.`}
      type={organization.slug}
      action="Delete"
      busy={erase.isPending}
      error={erase.error}
      onConfirm={() => erase.mutate(input)}
      onClose={onClose}
    />
  );
}

/** Keeps a deleted organization. */
export function KeepOrganizationDialog({ organization, onClose }: Props): ReactNode {
  const say = useSay();
  const renew = useRenewSession();
  const keep = useAct(PORTAL_ROUTES.keepOrganizationAsOperator, {
    changes: [PORTAL_ROUTES.listOrganizations],
    onDone: ({ name }) => {
      say(`${name} is kept.`);
      renew();
      onClose();
    },
  });
  const input = { params: { organization_id: organization.id }, body: {}, purpose: "keep the organization" };
  return (
    <Dialog
      title={`Keep ${organization.name}`}
      about="The state from before the deletion returns. Its members, programs and keys work again."
      onClose={onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          keep.mutate(input);
        }}
        className="flex flex-col gap-3"
      >
        <p>
          Its data is deleted at <Time at={organization.deletes_at} />.
        </p>
        <ErrorNote error={keep.error} />
        <FormActions action="Keep" busy={keep.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
