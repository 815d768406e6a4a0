import { WEBHOOK_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useWhyNotIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { Loaded, Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { useVersioned } from "~/kit/versioned.tsx";
import { AddressSection } from "./address-section.tsx";
import { DeleteWebhook } from "./delete-webhook.tsx";
import { RotateSecret } from "./rotate-secret.tsx";
import { SettingsForm } from "./settings-form.tsx";

type Webhook = ResultOf<typeof WEBHOOK_ROUTES.getWebhook>;

/** The settings of a webhook: addresses, secret, other settings, deletion. */
export function SettingsTab({ webhook }: { webhook: Webhook }): ReactNode {
  const why = useWhyNotIn(webhook.project_id, "webhooks:write");
  const mayWrite = why === undefined;
  const [open, setOpen] = useState<"secret" | "delete" | null>(null);
  const read = useVersioned(WEBHOOK_ROUTES.getWebhook, { webhook_id: webhook.id });
  return (
    <>
      {!mayWrite && (
        <p>
          <State kind="none">read only</State> {why}.
        </p>
      )}
      <AddressSection webhook={webhook} />
      <Section title="Secret" about="Senders sign their requests with it.">
        {webhook.has_secret ? (
          <div className="flex flex-wrap items-center gap-3">
            <State kind="go">set</State>
            <span className="text-ink-2">It is stored encrypted and never shown.</span>
            <Button disabled={!mayWrite} title={why} onClick={() => setOpen("secret")}>
              Rotate secret
            </Button>
          </div>
        ) : (
          <State kind="none">not set: if the scheme needs one, set it in the form below</State>
        )}
      </Section>
      <Section title="Settings">
        <Loaded result={read}>
          {(versioned) => <SettingsForm read={versioned} onReload={() => void read.refetch()} />}
        </Loaded>
      </Section>
      <Section title="Delete">
        <div className="flex flex-wrap items-center gap-3">
          <span className="min-w-0 flex-1 basis-64 text-ink-2">
            The address stops working, senders get 404, and the stored events are deleted.
          </span>
          <Button look="danger" disabled={!mayWrite} title={why} onClick={() => setOpen("delete")}>
            Delete webhook
          </Button>
        </div>
      </Section>
      {open === "secret" && <RotateSecret webhook={webhook} onClose={() => setOpen(null)} />}
      {open === "delete" && <DeleteWebhook webhook={webhook} onClose={() => setOpen(null)} />}
    </>
  );
}
