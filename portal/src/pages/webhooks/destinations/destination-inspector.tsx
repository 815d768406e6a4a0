import { WEBHOOK_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { Copyable } from "~/kit/copy.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { countText, plural } from "~/kit/figures.ts";
import { isTypable, visibleText } from "~/kit/foreign.ts";
import { Inspector } from "~/kit/inspector.tsx";
import { Facts } from "~/kit/page.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import { Deliveries } from "./deliveries.tsx";
import { DestinationDialog } from "./destination-dialog.tsx";
import { filterText } from "./destination-form.ts";
import { Answer, DestinationState, type Destination } from "./destination-state.tsx";
import { RotateDestinationSecret } from "./rotate-secret.tsx";
import { useProjectOf, useWhyNotChange } from "../rights.ts";
import { useVersionedChange } from "~/kit/versioned.tsx";

type Open = "edit" | "rotate" | "delete" | null;

/** Shows one destination: its state, its deliveries, and the actions on it. */
export function DestinationInspector({
  destination,
  onClose,
}: {
  destination: Destination;
  onClose: () => void;
}): ReactNode {
  const [open, setOpen] = useState<Open>(null);
  const close = (): void => setOpen(null);
  return (
    <Inspector title={visibleText(destination.name)} onClose={onClose}>
      {destination.reason !== null && (
        <p role="note" className="rounded border border-stop bg-stop-2 px-3 py-2">
          Stopped: {destination.reason}. No event is lost. When you resume it, it continues at the same event.
        </p>
      )}
      <Facts
        items={[
          ["State", <DestinationState key="state" of={destination} />],
          ["Address", <Copyable key="url" text={destination.url} />],
          ["Gets", filterText(destination.filter)],
          ["Order", destination.ordered ? "one after the other" : "up to 16 at once"],
          ["Rate", destination.rate_per_second === null ? "no bound" : `${destination.rate_per_second} per second`],
          ["Delivered", countText(destination.delivered)],
          ["Failed", plural(destination.failures, "time in a row", "times in a row")],
          ["Failing since", <Time key="since" at={destination.failing_since} none="it is not" />],
          ["Last attempt", <Time key="attempt" at={destination.last_attempt_at} />],
          [
            "Last answer",
            <Answer key="answer" whole status={destination.last_status} error={destination.last_error} />,
          ],
          ["Id", <Copyable key="id" text={destination.id} />],
        ]}
      />
      <Acts destination={destination} onOpen={setOpen} />
      <Deliveries destination={destination} />
      {open === "edit" && (
        <DestinationDialog webhookId={destination.webhook_id} destination={destination} onClose={close} />
      )}
      {open === "rotate" && <RotateDestinationSecret destination={destination} onClose={close} />}
      {open === "delete" && <DeleteDestination destination={destination} onClose={close} onDeleted={onClose} />}
    </Inspector>
  );
}

function Acts({ destination, onOpen }: { destination: Destination; onOpen: (open: Open) => void }): ReactNode {
  const why = useWhyNotChange(destination.webhook_id);
  const mayWrite = why === undefined;
  const say = useSay();
  const params = { webhook_id: destination.webhook_id, destination_id: destination.id };
  const isActive = destination.state === "active";
  const toggle = useVersionedChange(WEBHOOK_ROUTES.updateWebhookDestination, {
    changes: [WEBHOOK_ROUTES.listWebhookDestinations],
    onDone: ({ state }) => say(state === "active" ? "Resumed. Waiting events are sent now." : "Paused. Events wait."),
  });
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button
          busy={toggle.isPending}
          disabled={!mayWrite}
          title={why}
          onClick={() => toggle.mutate({ params, body: { enabled: !isActive }, etag: null })}
        >
          {isActive ? "Pause" : "Resume"}
        </Button>
        <Button disabled={!mayWrite} title={why} onClick={() => onOpen("edit")}>
          Change
        </Button>
        <Button disabled={!mayWrite} title={why} onClick={() => onOpen("rotate")}>
          Rotate secret
        </Button>
        <Button look="danger" disabled={!mayWrite} title={why} onClick={() => onOpen("delete")}>
          Delete
        </Button>
      </div>
      <ErrorNote error={toggle.error} />
    </>
  );
}

function DeleteDestination({
  destination,
  onClose,
  onDeleted,
}: {
  destination: Destination;
  onClose: () => void;
  onDeleted: () => void;
}): ReactNode {
  const projectId = useProjectOf(destination.webhook_id);
  const remove = useAct(WEBHOOK_ROUTES.deleteWebhookDestination, {
    changes: [WEBHOOK_ROUTES.listWebhookDestinations],
    onDone: onDeleted,
  });
  return (
    <DangerDialog
      title={`Delete ${visibleText(destination.name)}`}
      projectId={projectId}
      about={
        <>
          <p>
            It took {plural(destination.delivered, "event")} so far, the last attempt was{" "}
            <Time at={destination.last_attempt_at} />. It will get no more events, and waiting ones are not sent.
          </p>
          <p>Its dead letters are deleted too. The events stay with the webhook.</p>
        </>
      }
      type={isTypable(destination.name) ? destination.name : "delete"}
      action="Delete the destination"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate({ params: { webhook_id: destination.webhook_id, destination_id: destination.id } })
      }
    />
  );
}
