import { WEBHOOK_ROUTES, type ResultOf } from "@mooring/contract";
import type { ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { useNamed } from "~/app/absent.tsx";
import { CopyBlock, Copyable, CopyButton } from "~/kit/copy.tsx";
import { bytesText, plural } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { Inspector } from "~/kit/inspector.tsx";
import { Facts, Loaded } from "~/kit/page.tsx";
import { Time } from "~/kit/time.tsx";
import { requestCommand } from "../setup/snippets.ts";
import { BodyView } from "./body-view.tsx";
import { exactValue } from "./exact.ts";
import type { Filters, WebhookEvent } from "./filters.ts";
import { HeadersView } from "./headers-view.tsx";
import { bodyBytes } from "./hex.ts";
import { Replay } from "./replay.tsx";
import { SignatureView } from "./signature-view.tsx";
import { Verified } from "./verified.tsx";

interface InspectorProps {
  webhook: ResultOf<typeof WEBHOOK_ROUTES.getWebhook>;
  eventId: string;
  view: string;
  onView: (view: string) => void;
  onFilter: (change: Filters) => void;
  onClose: () => void;
}

/** Shows one event: its content, its sender, its verification, and the actions on it. */
export function EventInspector({ webhook, eventId, onClose, ...rest }: InspectorProps): ReactNode {
  const read = useRead(WEBHOOK_ROUTES.getWebhookEvent, { params: { webhook_id: webhook.id, event_id: eventId } });
  const event = useNamed(read);
  const { origin, pathname } = location;
  return (
    <Inspector
      title={visibleText(event.data?.type ?? "Event")}
      onClose={onClose}
      actions={<CopyButton label="Link" text={`${origin}${pathname}?event=${encodeURIComponent(eventId)}`} />}
    >
      <Loaded result={event}>{(loaded) => <Details webhook={webhook} event={loaded} {...rest} />}</Loaded>
    </Inspector>
  );
}

function Details({
  webhook,
  event,
  view,
  onView,
  onFilter,
}: Omit<InspectorProps, "eventId" | "onClose"> & { event: WebhookEvent }): ReactNode {
  // Shows the scheme of the verification. The webhook may have another scheme now.
  const { scheme } = webhook.verification;
  const verification = scheme === event.verified ? webhook.verification : { scheme: event.verified };
  return (
    <>
      <Facts
        items={[
          ["Received", <Time key="at" at={event.received_at} />],
          ["Id", <Copyable key="id" text={event.id} />],
          [
            "Type",
            event.type === null ? (
              "not said"
            ) : (
              <Copyable key="type" text={event.type} shown={visibleText(event.type)} />
            ),
          ],
          ["Verified", <Verified key="verified" as={event.verified} />],
          ["From", <Copyable key="ip" text={event.ip} />],
          [
            "Request",
            <code key="request">{visibleText(`${event.method}${event.query === "" ? "" : ` ?${event.query}`}`)}</code>,
          ],
          ["Content type", <code key="type-of">{visibleText(event.content_type ?? "none")}</code>],
          ["Size", bytesText(event.size_bytes)],
          ["Came again", event.duplicates === 0 ? "no" : plural(event.duplicates, "time")],
        ]}
      />
      <Replay webhookId={webhook.id} eventId={event.id} />
      <section aria-label="Body" className="flex min-w-0 flex-col gap-2">
        <BodyView
          name={event.id}
          bytes={bodyBytes(event)}
          text={event.body}
          json={exactValue(event.body, event.json)}
          view={view}
          onView={onView}
          onPointer={(pointer) => onFilter({ pointer })}
        />
      </section>
      <HeadersView headers={event.headers} />
      <SignatureView
        verification={verification}
        headers={event.headers}
        body={bodyBytes(event)}
        receivedAt={event.received_at}
      />
      <section className="flex min-w-0 flex-col gap-1.5">
        <h3>As a command</h3>
        <CopyBlock
          label="The request by curl"
          text={requestCommand("$URL", { ...event, body: event.body_base64 === null ? (event.body ?? "") : null })}
        />
      </section>
    </>
  );
}
