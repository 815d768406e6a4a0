import type { ResultOf, WEBHOOK_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { pagePath } from "~/app/page-link.tsx";
import { useMe, useScopeParams } from "~/app/scope.ts";
import { ButtonLink } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import type { Preset } from "./presets.ts";
import { testCommand } from "./snippets.ts";
import { visibleText } from "~/kit/foreign.ts";

/** After a webhook was made: its address, what to do with it at the sender, and a first event. */
export function CreatedWebhook({
  made,
  preset,
  secret,
  onClose,
}: {
  made: ResultOf<typeof WEBHOOK_ROUTES.createWebhook>;
  preset: Preset;
  /** That was given; undefined: one was made, or there is none. */
  secret: string | undefined;
  onClose: () => void;
}): ReactNode {
  const { org } = useScopeParams();
  const project = useMe()?.projects.find(({ id }) => id === made.project_id)?.slug ?? "-";
  const url = made.webhook_url ?? "$URL";
  return (
    <Dialog
      holdsSecret
      title={`${visibleText(made.name)} takes events`}
      about="The address is a secret: everybody who knows it can send."
      onClose={onClose}
      wide
    >
      <div className="flex flex-col gap-1">
        <h3>Address</h3>
        {made.webhook_url === null ? (
          <p>The first answer to this request had it. The webhook's settings show it again.</p>
        ) : (
          <CopyBlock text={made.webhook_url} label="Address of the webhook" />
        )}
      </div>
      {made.secret !== null && (
        <div className="flex flex-col gap-1">
          <h3>Secret, shown once</h3>
          <CopyBlock text={made.secret} label="Secret of the webhook" />
        </div>
      )}
      <div className="flex flex-col gap-1">
        <h3>At the sender</h3>
        <ol className="list-decimal pl-5">
          {preset.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </div>
      <div className="flex flex-col gap-1">
        <h3>Or send a test</h3>
        <CopyBlock
          text={testCommand(url, made.verification, made.secret ?? secret)}
          label="Command that sends a test event"
        />
      </div>
      <DialogActions>
        <ButtonLink look="main" to={pagePath(org, project, `webhooks/${made.id}`)}>
          Watch its events
        </ButtonLink>
      </DialogActions>
    </Dialog>
  );
}
