import { WEBHOOK_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useWhyNotIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Empty } from "~/kit/page.tsx";
import { canSign, testCommand } from "../setup/snippets.ts";

/** Shown before the first event, with a command that sends one. The list replaces it when an event arrives. */
export function NoEvents({ webhook }: { webhook: ResultOf<typeof WEBHOOK_ROUTES.getWebhook> }): ReactNode {
  const why = useWhyNotIn(webhook.project_id, "webhooks:write");
  const mayWrite = why === undefined;
  const [url, setUrl] = useState("$URL");
  const reveal = useAct(WEBHOOK_ROUTES.revealWebhookUrl, { onDone: ({ webhook_url }) => setUrl(webhook_url) });
  const signed = webhook.verification.scheme === "none" ? "" : ", signed with the webhook’s secret";
  return (
    <Empty
      title="No event yet"
      action={
        url === "$URL" && (
          <Button
            look="main"
            busy={reveal.isPending}
            disabled={!mayWrite}
            title={why}
            onClick={() => reveal.mutate({ params: { webhook_id: webhook.id } })}
          >
            Insert the address
          </Button>
        )
      }
    >
      <p>
        Requests posted to this webhook’s address are stored as events and shown here live.{" "}
        {canSign(webhook.verification) ? `Send a first event${signed}:` : "Let the sender send a first event to it."}
      </p>
      {canSign(webhook.verification) ? (
        <CopyBlock label="Command that sends a first event" text={testCommand(url, webhook.verification)} />
      ) : (
        url !== "$URL" && <CopyBlock label="Address of the webhook" text={url} />
      )}
      {url === "$URL" && (
        <p>
          <code>$URL</code> is the address, ending in <code>{webhook.urls[0]?.hint ?? "…"}</code>. Showing it adds an
          entry to the audit log.
        </p>
      )}
      <ErrorNote error={reveal.error} />
    </Empty>
  );
}
