import { ALERT_ROUTES, type ResultOf } from "@mooring/contract";
import type { ReactNode } from "react";
import { useList } from "~/api/queries.ts";
import { Chart } from "~/kit/chart/chart.tsx";
import { durationText } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { State, type StateKind } from "~/kit/state.tsx";
import { ListTable } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { conditionText, type Alert } from "./alert-draft.ts";
import { firingOf, valuesOf } from "./evaluation-chart.ts";

type Evaluation = ResultOf<typeof ALERT_ROUTES.listAlertEvaluations>["items"][number];
type Delivery = ResultOf<typeof ALERT_ROUTES.listAlertDeliveries>["items"][number];

const RENEW_MS = 5000;

const OUTCOMES: Readonly<Record<Evaluation["outcome"], readonly [StateKind, string]>> = {
  true: ["stop", "holds"],
  false: ["go", "does not hold"],
  no_data: ["none", "no data"],
  error: ["warn", "failed"],
  stopped: ["warn", "stopped"],
};

/** Shows the last 100 evaluations, newest first. */
export function Evaluations({ alert }: { alert: Alert }): ReactNode {
  const list = useList(ALERT_ROUTES.listAlertEvaluations, { params: { alert_id: alert.id } }, { refetchMs: RENEW_MS });
  const { column = "rows", threshold } = alert.condition;
  return (
    <>
      {list.items.length > 1 && (
        <Chart
          label={`Values of the last ${list.items.length} evaluations`}
          data={valuesOf(list.items, column)}
          events={firingOf(list.items)}
          threshold={{ at: threshold, text: conditionText(alert.condition) }}
          heightPx={100}
        />
      )}
      <ListTable<Evaluation>
        label="Evaluations"
        list={list}
        empty={<p className="text-ink-2">There is no evaluation yet.</p>}
        keyOf={({ sequence }) => String(sequence)}
        columns={[
          { title: "When", cell: ({ at }) => <Time at={at} /> },
          {
            title: "Outcome",
            cell: ({ outcome, error }) => (
              <span title={error === null ? undefined : visibleText(`${error.code}: ${error.detail}`)}>
                <State kind={OUTCOMES[outcome][0]}>
                  {OUTCOMES[outcome][1]}
                  {error !== null && `: ${error.code}`}
                </State>
              </span>
            ),
          },
          { title: "Value", number: true, cell: ({ value }) => value ?? "–" },
          { title: "Took", number: true, cell: ({ elapsed_ms }) => durationText(elapsed_ms) },
        ]}
      />
    </>
  );
}

const STATUSES: Readonly<Record<Delivery["status"], readonly [StateKind, string]>> = {
  delivered: ["go", "arrived"],
  pending: ["warn", "waiting"],
  dead: ["stop", "given up"],
};

/** Shows the deliveries of an alert. */
export function Deliveries({ alertId }: { alertId: string }): ReactNode {
  const list = useList(ALERT_ROUTES.listAlertDeliveries, { params: { alert_id: alertId } }, { refetchMs: RENEW_MS });
  return (
    <ListTable<Delivery>
      label="Deliveries"
      list={list}
      empty={<p className="text-ink-2">No message was sent yet. Send a test to check the destination.</p>}
      keyOf={({ id }) => id}
      columns={[
        { title: "When", cell: ({ created_at }) => <Time at={created_at} /> },
        { title: "What", cell: ({ type }) => type.replace("alert.", "") },
        { title: "Came to", cell: (delivery) => <DeliveryState delivery={delivery} /> },
        { title: "Tries", number: true, cell: ({ attempts }) => attempts },
        { title: "Next try", cell: ({ next_attempt_at }) => <Time at={next_attempt_at} none="none" /> },
      ]}
    />
  );
}

function DeliveryState({ delivery: { status, response_status, error } }: { delivery: Delivery }): ReactNode {
  const [kind, text] = STATUSES[status];
  const why = error ?? (response_status === null ? "" : `status ${response_status}`);
  return (
    <span title={visibleText(why)}>
      <State kind={kind}>
        {text}
        {response_status !== null && `, ${response_status}`}
        {error !== null && response_status === null && `: ${visibleText(error).slice(0, 60)}`}
      </State>
    </span>
  );
}
