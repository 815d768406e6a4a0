import { ALERT_ROUTES, SAVED_QUERY_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct, useRead } from "~/api/queries.ts";
import { useWhyNotIn } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { stepText } from "~/kit/chart/model.ts";
import { Copyable } from "~/kit/copy.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { useVersionedChange } from "~/kit/versioned.tsx";

import { visibleText } from "~/kit/foreign.ts";
import { Inspector } from "~/kit/inspector.tsx";
import { useNames } from "~/kit/names.ts";
import { Facts } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { Tabs } from "~/kit/tabs.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import { AlertActs } from "./alert-acts.tsx";
import { conditionText, scheduleText, type Alert } from "./alert-draft.ts";
import { AlertState, NextTime, STATE_SENTENCES } from "./alert-state.tsx";
import { Deliveries, Evaluations } from "./history.tsx";
import type { AlertsSearch } from "./search.ts";
import { AlertSecret, type ShownSecret } from "./alert-secret.tsx";

/** Shows one alert: its query, its state, its incidents and its deliveries. */
export function AlertInspector({ alert, onClose }: { alert: Alert; onClose: () => void }): ReactNode {
  const [search, setSearch] = useSearchState<AlertsSearch>();
  const [secret, setSecret] = useState<ShownSecret | null>(null);
  return (
    <Inspector title={visibleText(alert.name)} onClose={onClose}>
      <div>
        <AlertState state={alert.state} />
        <p className="text-ink-2">
          {STATE_SENTENCES[alert.state]} Since <Time at={alert.state_since} />.
        </p>
        {alert.error !== null && (
          <p className="[overflow-wrap:anywhere]">
            <code>{alert.error.code}</code> {visibleText(alert.error.detail)}
          </p>
        )}
      </div>
      <TestAndPause alert={alert}>
        <AlertActs alert={alert} onSecret={setSecret} onDeleted={onClose} />
      </TestAndPause>
      <Tabs
        label="Parts of the alert"
        value={search.tab ?? "about"}
        onChange={(tab) => setSearch({ tab: tab === "about" ? undefined : tab })}
        tabs={[
          { id: "about", title: "About", content: <About alert={alert} /> },
          { id: "evaluations", title: "Evaluations", content: <Evaluations alert={alert} /> },
          { id: "deliveries", title: "Deliveries", content: <Deliveries alertId={alert.id} /> },
        ]}
      />
      {secret !== null && <AlertSecret shown={secret} onClose={() => setSecret(null)} />}
    </Inspector>
  );
}

function TestAndPause({ alert, children }: { alert: Alert; children: ReactNode }): ReactNode {
  const say = useSay();
  const why = useWhyNotIn(alert.project_id, "webhooks:write");
  const mayWrite = why === undefined;
  const test = useAct(ALERT_ROUTES.testAlert, {
    changes: [ALERT_ROUTES.listAlertDeliveries],
    onDone: () => say("A test message is being sent. See Deliveries for the result."),
  });
  const pause = useVersionedChange(ALERT_ROUTES.updateAlert, {
    changes: [ALERT_ROUTES.listAlerts, ALERT_ROUTES.getAlert],
  });
  const params = { alert_id: alert.id };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button disabled={!mayWrite} title={why} busy={test.isPending} onClick={() => test.mutate({ params })}>
        Send a test
      </Button>
      <Button
        disabled={!mayWrite}
        title={why}
        busy={pause.isPending}
        onClick={() => pause.mutate({ params, body: { enabled: !alert.enabled }, etag: null })}
      >
        {alert.enabled ? "Pause" : "Resume"}
      </Button>
      {children}
      {!mayWrite && <span className="text-s text-ink-2">{why}.</span>}
      <ErrorNote error={test.error ?? pause.error} />
    </div>
  );
}

function About({ alert }: { alert: Alert }): ReactNode {
  const nameOf = useNames();
  const query = useRead(SAVED_QUERY_ROUTES.getSavedQuery, { params: { query_id: alert.query_id } });
  const none = <span className="text-ink-3">none</span>;
  return (
    <>
      {alert.description !== "" && <p>{visibleText(alert.description, { lines: true })}</p>}
      <Facts
        items={[
          ["Fires when", <code key="when">{visibleText(conditionText(alert.condition))}</code>],
          ["Schedule", scheduleText(alert)],
          ["Last value", alert.value === null ? none : <code key="value">{alert.value}</code>],
          ["Last evaluated", <Time key="last" at={alert.evaluated_at} />],
          ["Next", <NextTime key="next" alert={alert} />],
          ["No row", alert.no_data === "keep" ? "changes nothing" : `counts as ${alert.no_data}`],
          ["Tells", <code key="url">{visibleText(alert.url)}</code>],
          ["Reminder after", alert.renotify_s === null ? "no reminder" : stepText(alert.renotify_s)],
          ["End", alert.notify_resolved ? "sends a message" : "sends no message"],
          ["Incident", alert.incident_id === null ? none : <Copyable key="incident" text={alert.incident_id} />],
          ["Runs as", visibleText(nameOf(alert.updated_by) ?? alert.updated_by)],
          ["Alert", <Copyable key="id" text={alert.id} />],
        ]}
      />
      <ErrorNote error={query.error} />
      {query.data !== undefined && (
        <section className="flex flex-col gap-1">
          <header className="flex flex-wrap items-baseline justify-between gap-2">
            <h3>{visibleText(query.data.name)}</h3>
            <PageLink page="sql" search={{ saved: query.data.id, sql: query.data.sql }}>
              Open in SQL
            </PageLink>
          </header>
          <pre className="overflow-auto rounded border border-line bg-well p-2 text-s whitespace-pre-wrap">
            {visibleText(query.data.sql, { lines: true })}
          </pre>
        </section>
      )}
      {!alert.enabled && <State kind="none">It is paused and sends no messages.</State>}
    </>
  );
}
