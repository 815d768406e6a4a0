import { WEBHOOK_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct, useList } from "~/api/queries.ts";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { SelectField } from "~/kit/field.tsx";
import { plural } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { MomentFields } from "~/kit/moment-fields.tsx";
import { State } from "~/kit/state.tsx";
import { ListTable, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import { Answer, type Destination } from "./destination-state.tsx";
import { useProjectOf, useWhyNotChange } from "../rights.ts";

type Delivery = ResultOf<typeof WEBHOOK_ROUTES.listWebhookDeliveries>["items"][number];

const REFRESH_MS = 5_000;

/** Lists deliveries whose first attempt failed, with attempts and answers, including dead letters. */
export function Deliveries({ destination }: { destination: Destination }): ReactNode {
  const [{ status = "" }, change] = useSearchState<{ status?: string | undefined }>();
  const [isReplaying, setReplaying] = useState(false);
  const why = useWhyNotChange(destination.webhook_id);
  const mayWrite = why === undefined;
  const chosen = (["pending", "delivered", "dead"] as const).find((each) => each === status);
  const list = useList(
    WEBHOOK_ROUTES.listWebhookDeliveries,
    {
      params: { webhook_id: destination.webhook_id, destination_id: destination.id },
      query: chosen === undefined ? {} : { status: chosen },
    },
    { refetchMs: REFRESH_MS },
  );
  return (
    <section className="flex min-w-0 flex-col gap-2">
      <h3>Deliveries</h3>
      <div className="flex flex-wrap items-end gap-2">
        <SelectField
          label="Show"
          value={chosen ?? ""}
          onChange={({ target }) => change({ status: target.value || undefined })}
        >
          <option value="">all retried</option>
          <option value="pending">waiting</option>
          <option value="delivered">delivered</option>
          <option value="dead">dead letters</option>
        </SelectField>
        <Button className="mb-1" disabled={!mayWrite} title={why} onClick={() => setReplaying(true)}>
          Replay…
        </Button>
      </div>
      <div className="rounded border border-line">
        <ListTable
          label="Deliveries"
          list={list}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          empty={
            <p className="p-3 text-ink-2">
              {chosen === "dead"
                ? "No dead letter."
                : "There are none. Events that were delivered at the first attempt are only counted."}
            </p>
          }
        />
      </div>
      {isReplaying && <ReplayDialog destination={destination} onClose={() => setReplaying(false)} />}
    </section>
  );
}

const COLUMNS: readonly Column<Delivery>[] = [
  { title: "State", cell: (delivery) => <DeliveryState of={delivery} /> },
  { title: "Attempts", number: true, cell: ({ attempts }) => attempts },
  {
    title: "Answer",
    cell: ({ response_status, error }) => <Answer status={response_status} error={error} />,
  },
  { title: "Last", cell: ({ last_attempt_at }) => <Time at={last_attempt_at} /> },
  { title: "Next", cell: ({ next_attempt_at }) => <Time at={next_attempt_at} none="—" /> },
  { title: "Event", cell: ({ event_id }) => <EventLink id={event_id} /> },
  { title: "Why", cell: ({ error, response_status }) => (response_status === null ? "" : (error ?? "")) },
];

function DeliveryState({ of: { status } }: { of: Delivery }): ReactNode {
  if (status === "pending") return <State kind="warn">waiting</State>;
  return status === "delivered" ? <State kind="go">taken</State> : <State kind="stop">dead</State>;
}

function EventLink({ id }: { id: string }): ReactNode {
  const [, change] = useSearchState<{ tab?: string | undefined; event?: string | undefined }>();
  return (
    <button
      type="button"
      className="mono min-h-6 text-sea hover:underline"
      onClick={() => change({ tab: undefined, event: id }, { push: true })}
    >
      {id}
    </button>
  );
}

/** Sends dead letters again, or all events of a time range. */
function ReplayDialog({ destination, onClose }: { destination: Destination; onClose: () => void }): ReactNode {
  const projectId = useProjectOf(destination.webhook_id);
  const say = useSay();
  const [range, setRange] = useState<{ from?: string | undefined; to?: string | undefined }>({});
  const isDead = range.from === undefined && range.to === undefined;
  const replay = useAct(WEBHOOK_ROUTES.replayWebhookDeliveries, {
    changes: [WEBHOOK_ROUTES.listWebhookDeliveries, WEBHOOK_ROUTES.listWebhookDestinations],
    onDone: ({ count }) => {
      say(count === 0 ? "There are no events to send" : `${plural(count, "request")} queued`);
      onClose();
    },
  });
  return (
    <DangerDialog
      title={`Replay to ${visibleText(destination.name)}`}
      projectId={projectId}
      about={
        <div className="flex flex-col gap-3">
          <p>
            {isDead
              ? "Sends all dead letters again. With a time range, it sends all events of that range instead, including delivered ones, at most 10,000."
              : "Sends all events of this time range again, including delivered ones. The receiver can recognize repetitions by webhook-id."}
          </p>
          <MomentFields from={range.from} to={range.to} onChange={(part) => setRange({ ...range, ...part })} />
        </div>
      }
      action={isDead ? "Send dead letters" : "Send these events"}
      busy={replay.isPending}
      error={replay.error}
      onClose={onClose}
      onConfirm={() =>
        replay.mutate({
          params: { webhook_id: destination.webhook_id, destination_id: destination.id },
          body: range,
        })
      }
    />
  );
}
