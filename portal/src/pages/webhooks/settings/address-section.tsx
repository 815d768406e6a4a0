import { WEBHOOK_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useWhyNotIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { countText } from "~/kit/figures.ts";
import { Section } from "~/kit/page.tsx";
import { ReplaceDialog } from "~/kit/replace-dialog.tsx";
import { State } from "~/kit/state.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { canSign, testCommand } from "../setup/snippets.ts";

type Webhook = ResultOf<typeof WEBHOOK_ROUTES.getWebhook>;
type Url = Webhook["urls"][number];

const CHANGES = [WEBHOOK_ROUTES.getWebhook, WEBHOOK_ROUTES.listWebhooks];

/**
 * Lists the webhook's addresses. An address is a secret: it is hidden, and shown on request. It can be replaced with an
 * overlap.
 */
export function AddressSection({ webhook }: { webhook: Webhook }): ReactNode {
  const why = useWhyNotIn(webhook.project_id, "webhooks:write");
  const mayWrite = why === undefined;
  const [url, setUrl] = useState<string | null>(null);
  const [isRotating, setRotating] = useState(false);
  const reveal = useAct(WEBHOOK_ROUTES.revealWebhookUrl, { onDone: ({ webhook_url }) => setUrl(webhook_url) });
  const buttons = (
    <>
      <Button
        busy={reveal.isPending}
        disabled={!mayWrite}
        title={why}
        onClick={() => (url === null ? reveal.mutate({ params: { webhook_id: webhook.id } }) : setUrl(null))}
      >
        {url === null ? "Show the address" : "Hide it"}
      </Button>
      <Button disabled={!mayWrite} title={why} onClick={() => setRotating(true)}>
        Replace the address
      </Button>
    </>
  );
  return (
    <Section title="Address" about="A secret: everybody who knows it can send." actions={buttons} flush>
      {url !== null && (
        <div className="flex flex-col gap-3 border-b border-line p-3.5">
          <CopyBlock text={url} label="Address of the webhook" />
          {canSign(webhook.verification) && (
            <>
              <h3>Send a test</h3>
              <CopyBlock text={testCommand(url, webhook.verification)} label="Command that sends a test event" />
            </>
          )}
        </div>
      )}
      <ErrorNote error={reveal.error} />
      <Table
        label="Addresses"
        items={webhook.urls}
        columns={COLUMNS}
        keyOf={({ created_at, hint }) => created_at + hint}
      />
      {isRotating && <RotateUrl webhook={webhook} onRotated={setUrl} onClose={() => setRotating(false)} />}
    </Section>
  );
}

const COLUMNS: readonly Column<Url>[] = [
  { title: "Ends in", cell: ({ hint }) => <span className="mono">…{hint}</span> },
  { title: "State", cell: (url) => <UrlState of={url} /> },
  { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
  { title: "Requests", number: true, cell: ({ hits }) => countText(hits) },
  { title: "Last request", cell: ({ last_hit_at }) => <Time at={last_hit_at} /> },
];

function UrlState({ of: { expires_at, hits } }: { of: Url }): ReactNode {
  if (expires_at === null) return <State kind="go">in force</State>;
  if (Date.parse(expires_at) > Date.now())
    return (
      <State kind="warn">
        old, works until <Time at={expires_at} />
      </State>
    );
  return <State kind={hits > 0 ? "stop" : "none"}>ended{hits > 0 ? "; somebody still sends here" : ""}</State>;
}

function RotateUrl({
  webhook,
  onRotated,
  onClose,
}: {
  webhook: Webhook;
  onRotated: (url: string | null) => void;
  onClose: () => void;
}): ReactNode {
  const rotate = useAct(WEBHOOK_ROUTES.rotateWebhookUrl, {
    changes: CHANGES,
    onDone: ({ webhook_url }) => {
      onRotated(webhook_url);
      onClose();
    },
  });
  const present = webhook.urls.find(({ expires_at }) => expires_at === null);
  return (
    <ReplaceDialog
      title="Replace the address"
      projectId={webhook.project_id}
      about="Use this for a leaked address. The new address works at once."
      label="The old address works for another"
      overlapS={0}
      action="Replace"
      busy={rotate.isPending}
      error={rotate.error}
      onReplace={(seconds) => rotate.mutate({ params: { webhook_id: webhook.id }, body: { grace_s: seconds } })}
      onClose={onClose}
    >
      <p>
        The old address had {countText(present?.hits ?? 0)} requests, the last{" "}
        <Time at={present?.last_hit_at ?? null} />. Set the new address at each sender. If the old address has not
        leaked, choose an overlap, so that no events are lost. Requests to the old address are counted, so that you can
        see when all senders have changed.
      </p>
    </ReplaceDialog>
  );
}
