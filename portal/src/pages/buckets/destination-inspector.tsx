import { ORGANIZATION_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useAct, useRead } from "~/api/queries.ts";
import { useNamed } from "~/app/absent.tsx";
import { useWhyNotIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock, CopyButton, Copyable } from "~/kit/copy.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { plural } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { Inspector } from "~/kit/inspector.tsx";
import { Facts, Loaded } from "~/kit/page.tsx";
import { curlOf } from "~/kit/shell.ts";
import { State } from "~/kit/state.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import { notificationCommand } from "./apps.ts";

type Destination = ResultOf<typeof ORGANIZATION_ROUTES.getS3Destination>;

/** Shows one destination: its failed deliveries, and how a bucket names it. */
export function DestinationInspector({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const input = { params: { destination_id: id }, purpose: "read the destination" };
  const result = useNamed(useRead(ORGANIZATION_ROUTES.getS3Destination, input, { refetchMs: 15_000 }));
  return (
    <Inspector title={result.data?.name ?? "Destination"} onClose={onClose}>
      <Loaded result={result}>{(destination) => <Details destination={destination} onDeleted={onClose} />}</Loaded>
    </Inspector>
  );
}

function Details({ destination, onDeleted }: { destination: Destination; onDeleted: () => void }): ReactNode {
  const endpoint = useAddresses()?.s3_endpoint ?? "";
  const why = useWhyNotIn(null, "webhooks:write");
  const mayWrite = why === undefined;
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <Facts
        items={[
          ["Address", <Copyable key="url" text={destination.url} shown={visibleText(destination.url)} />],
          ["ARN", <Copyable key="arn" text={destination.arn} />],
          ["Created", <Time key="created" at={destination.created_at} />],
        ]}
      />
      <div className="flex flex-wrap gap-2">
        <CopyButton text={curlOf(`${location.origin}/v1/s3/destinations/${destination.id}`)} label="Copy as curl" />
        <Button look="danger" disabled={!mayWrite} title={why} onClick={() => setDeleting(true)}>
          Delete…
        </Button>
      </div>
      <h3>Not delivered</h3>
      <Undelivered messages={destination.undelivered} />
      <h3>Let a bucket send its events here</h3>
      <CopyBlock text={notificationCommand(endpoint, "BUCKET", destination.arn)} />
      {isDeleting && (
        <DeleteDestinationDialog destination={destination} onDeleted={onDeleted} onClose={() => setDeleting(false)} />
      )}
    </>
  );
}

function Undelivered({ messages }: { messages: Destination["undelivered"] }): ReactNode {
  if (messages.length === 0) return <p className="text-ink-2">All messages have arrived.</p>;
  return (
    <ul className="flex flex-col">
      {messages.map((message) => (
        <li key={message.id} className="border-t border-line py-1">
          <span className="flex flex-wrap gap-x-3">
            {message.state === "dead" ? <State kind="stop">given up</State> : <State kind="warn">tried again</State>}
            <span>{plural(message.attempts, "attempt")}</span>
            {message.last_status !== null && <code>{message.last_status}</code>}
            <span className="ml-auto text-ink-2">
              <Time at={message.created_at} />
            </span>
          </span>
          {message.last_error !== null && (
            <span className="block text-s [overflow-wrap:anywhere] text-ink-2">{visibleText(message.last_error)}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

interface DeleteDestinationDialogProps {
  destination: Destination;
  onDeleted: () => void;
  onClose: () => void;
}

function DeleteDestinationDialog({ destination, onDeleted, onClose }: DeleteDestinationDialogProps): ReactNode {
  const say = useSay();
  const remove = useAct(ORGANIZATION_ROUTES.deleteS3Destination, {
    changes: [ORGANIZATION_ROUTES.listS3Destinations],
    onDone: () => {
      say(`${destination.name} is deleted`);
      onClose();
      onDeleted();
    },
  });
  const waiting = destination.undelivered.filter(({ state }) => state === "pending").length;
  return (
    <DangerDialog
      title={`Delete ${destination.name}`}
      projectId={null}
      type={destination.name}
      action="Delete"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate({ params: { destination_id: destination.id } })}
      about={
        <p>
          Events of buckets whose configuration names <code>{destination.arn}</code> are no longer sent.{" "}
          {waiting > 0 && `${plural(waiting, "message")} waiting for a retry are deleted too.`}
        </p>
      }
    />
  );
}
