import type { ResultOf, WEBHOOK_ROUTES } from "@mooring/contract";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { pagePath } from "~/app/page-link.tsx";
import { useMe, useScopeParams } from "~/app/scope.ts";
import { ButtonLink } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { SecretDialog } from "~/kit/secret-dialog.tsx";
import type { Preset } from "./presets.ts";
import { canSign, testCommand } from "./snippets.ts";
import { visibleText } from "~/kit/foreign.ts";

interface CreatedProps {
  made: ResultOf<typeof WEBHOOK_ROUTES.createWebhook>;
  preset: Preset;
  /** The secret that the person entered; undefined: the server created one, or there is none. */
  secret: string | undefined;
  onClose: () => void;
}

/** Shows the address of a new webhook, how to set up the sender, and how to send a first event. */
export function CreatedWebhook({ made, preset, secret, onClose }: CreatedProps): ReactNode {
  const navigate = useNavigate();
  const { org } = useScopeParams();
  const project = useMe()?.projects.find(({ id }) => id === made.project_id)?.slug ?? "-";
  const events = pagePath(org, project, `webhooks/${made.id}`);
  const title = `${visibleText(made.name)} accepts events`;
  const parts = <AtTheSender made={made} preset={preset} secret={made.secret ?? secret} />;
  if (made.secret !== null)
    return (
      <SecretDialog
        title={title}
        label="Secret of the webhook"
        secret={made.secret}
        another="Rotate the secret in the settings of the webhook to get another one."
        next={{ label: "Watch its events", onNext: () => void navigate({ to: events }) }}
        onClose={onClose}
      >
        {parts}
      </SecretDialog>
    );
  return (
    <Dialog
      holdsSecret
      title={title}
      about="The address is a secret: everybody who knows it can send."
      onClose={onClose}
      wide
    >
      {parts}
      <DialogActions>
        <ButtonLink look="main" to={events}>
          Watch its events
        </ButtonLink>
      </DialogActions>
    </Dialog>
  );
}

function AtTheSender({ made, preset, secret }: Omit<CreatedProps, "onClose">): ReactNode {
  const url = made.webhook_url ?? "$URL";
  return (
    <>
      <div className="flex flex-col gap-1">
        <h3>Address</h3>
        {made.webhook_url === null ? (
          <p>Only the first answer to this request contained the address. You can show it in the webhook's settings.</p>
        ) : (
          <CopyBlock text={made.webhook_url} label="Address of the webhook" />
        )}
        {made.secret !== null && (
          <p className="text-ink-2">The address is also a secret: everybody who knows it can send.</p>
        )}
      </div>
      <div className="flex flex-col gap-1">
        <h3>At the sender</h3>
        <ol className="list-decimal pl-5">
          {preset.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </div>
      {canSign(made.verification) && (
        <div className="flex flex-col gap-1">
          <h3>Or send a test</h3>
          <CopyBlock text={testCommand(url, made.verification, secret)} label="Command that sends a test event" />
        </div>
      )}
    </>
  );
}
