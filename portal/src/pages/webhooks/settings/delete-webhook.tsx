import { QUERY_ROUTES, WEBHOOK_ROUTES, type ResultOf } from "@mooring/contract";
import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { useAct, useRead } from "~/api/queries.ts";
import { useMayIn } from "~/app/may.ts";
import { pagePath } from "~/app/page-link.tsx";
import { useScopeParams } from "~/app/scope.ts";
import { DangerDialog } from "~/kit/dialog.tsx";
import { plural } from "~/kit/figures.ts";
import { isTypable, visibleText } from "~/kit/foreign.ts";
import { State } from "~/kit/state.tsx";

type Webhook = ResultOf<typeof WEBHOOK_ROUTES.getWebhook>;

const ADDRESSES_SHOWN = 5;
const SQL = `SELECT ip, count(*) AS events FROM webhook_events WHERE webhook_id = $id GROUP BY ip ORDER BY events DESC`;

/** Deletes a webhook. It shows before who has sent to it in the last hour. */
export function DeleteWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const { org, project } = useScopeParams();
  const remove = useAct(WEBHOOK_ROUTES.deleteWebhook, {
    changes: [WEBHOOK_ROUTES.listWebhooks],
    onDone: () => void navigate({ to: pagePath(org, project, "webhooks") }),
  });
  return (
    <DangerDialog
      title={`Delete ${visibleText(webhook.name)}`}
      projectId={webhook.project_id}
      about={
        <div className="flex flex-col gap-2">
          <LastHour webhook={webhook} />
          <p>
            Its address will answer 404, so events of senders that still use it are lost. It goes to the trash with its
            stored events, its destinations and its consumers, and can be restored for a time. You can pause the webhook
            instead.
          </p>
        </div>
      }
      type={isTypable(webhook.name) ? webhook.name : "delete"}
      action="Delete the webhook and its events"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate({ params: { webhook_id: webhook.id } })}
    />
  );
}

function LastHour({ webhook }: { webhook: Webhook }): ReactNode {
  const mayQuery = useMayIn(webhook.project_id, "telemetry:read");
  const [from] = useState(() => new Date(Date.now() - 3_600_000).toISOString());
  const { data, error } = useRead(
    QUERY_ROUTES.query,
    { body: { sql: SQL, parameters: { id: webhook.id }, from } },
    { enabled: mayQuery },
  );
  if (!mayQuery) return <p>You need telemetry:read to see the events of the last hour.</p>;
  if (error !== null) return <p>The events of the last hour could not be read.</p>;
  if (data === undefined) return <p role="status">Counting the events of the last hour…</p>;
  const senders = data.rows.map((row) => ({ ip: String(row["ip"]), events: Number(row["events"]) }));
  const events = senders.reduce((sum, sender) => sum + sender.events, 0);
  if (events === 0) return <State kind="go">No events in the last hour.</State>;
  const more = senders.length - ADDRESSES_SHOWN;
  return (
    <div>
      <State kind="stop">
        {plural(events, "event")} in the last hour, from {plural(senders.length, "address", "addresses")}:
      </State>
      <ul className="list-disc pl-6">
        {senders.slice(0, ADDRESSES_SHOWN).map((sender) => (
          <li key={sender.ip}>
            <code>{sender.ip}</code>, {plural(sender.events, "event")}
          </li>
        ))}
        {more > 0 && <li>and {plural(more, "other")}</li>}
      </ul>
    </div>
  );
}
