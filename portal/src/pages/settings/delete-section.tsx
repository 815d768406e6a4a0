import { ORGANIZATION_GRACE_DAYS, ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useMe } from "~/app/scope.ts";
import { useRenewSession } from "~/people/renew-session.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { Section } from "~/kit/page.tsx";

/** Deletes the organization; for owners. */
export function DeleteSection({ name, slug }: { name: string; slug: string }): ReactNode {
  const me = useMe();
  const [isAsked, setAsked] = useState(false);
  const renew = useRenewSession();
  // The session then says that the organization is deleted, and every page of it says so.
  const erase = useAct(ORGANIZATION_ROUTES.deleteOrganization, { onDone: () => renew() });
  if (me?.role !== "owner") return null;
  return (
    <Section
      title="Delete the organization"
      actions={
        <Button look="danger" onClick={() => setAsked(true)}>
          Delete…
        </Button>
      }
    >
      <p className="max-w-[72ch] text-ink-2">
        Nobody can use the organization from then on. After {ORGANIZATION_GRACE_DAYS} days everything in it is deleted:
        projects, telemetry, files, buckets, images, webhooks, credentials and the audit log. Until then, an owner can
        keep it.
      </p>
      {isAsked && (
        <DangerDialog
          title={`Delete ${name}`}
          about={`Members, programs and keys are refused at once, and public content is absent. After ${ORGANIZATION_GRACE_DAYS} days this can't be undone.`}
          type={slug}
          action="Delete"
          busy={erase.isPending}
          error={erase.error}
          onConfirm={() => erase.mutate({ query: { slug }, purpose: "delete the organization" })}
          onClose={() => setAsked(false)}
        />
      )}
    </Section>
  );
}
