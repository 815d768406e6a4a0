import { ALERT_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useList, useRead } from "~/api/queries.ts";
import { useNamed } from "~/app/absent.tsx";
import { useWhyNotHere } from "~/app/may.ts";
import { ListOutside } from "~/app/outside.tsx";
import { useProject } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { plural } from "~/kit/figures.ts";
import { Inspector, WithInspector } from "~/kit/inspector.tsx";
import { Empty, Page as Frame, Section } from "~/kit/page.tsx";
import { ListTable, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { NewAlertDialog } from "./alert-dialog.tsx";
import { conditionText, type Alert } from "./alert-draft.ts";
import { AlertInspector } from "./alert-inspector.tsx";
import { AlertState, NextTime } from "./alert-state.tsx";
import { AlertSecret, type ShownSecret } from "./alert-secret.tsx";
import type { AlertsSearch } from "./search.ts";

const RENEW_MS = 5000;

const COLUMNS: readonly Column<Alert>[] = [
  { title: "Name", grow: true, cell: ({ name }) => visibleText(name) },
  { title: "State", cell: ({ state }) => <AlertState state={state} /> },
  { title: "Since", cell: ({ state_since }) => <Time at={state_since} /> },
  { title: "Fires when", cell: ({ condition }) => <code>{visibleText(conditionText(condition))}</code> },
  { title: "Value", number: true, cell: ({ value }) => value ?? "–" },
  { title: "Last evaluated", cell: ({ evaluated_at }) => <Time at={evaluated_at} /> },
  { title: "Next", cell: (alert) => <NextTime alert={alert} /> },
];
/** The columns that are hidden while an alert is open: the inspector shows these values. */
const WIDE: ReadonlySet<string> = new Set(["Since", "Last evaluated"]);

/** The list of alerts. */
export function Page(): ReactNode {
  const [search, setSearch] = useSearchState<AlertsSearch>();
  const project = useProject();
  const why = useWhyNotHere("webhooks:write");
  const mayWrite = why === undefined;
  const [secret, setSecret] = useState<ShownSecret | null>(null);
  const query = project === null ? {} : { project: project.slug };
  const list = useList(ALERT_ROUTES.listAlerts, { query }, { refetchMs: RENEW_MS });
  const open = (alert: string | undefined): void => setSearch({ alert, tab: undefined });
  const make = (
    <Button look="main" disabled={!mayWrite} title={why} onClick={() => setSearch({ new: "yes" })}>
      Create alert
    </Button>
  );
  return (
    <Frame
      title="Alerts"
      about="Queries that run on a schedule. They send a message when their condition is met, and when it is not met any more."
      actions={make}
    >
      <WithInspector
        inspector={
          search.alert !== undefined && (
            <OpenAlert alertId={search.alert} list={list.items} onClose={() => open(undefined)} />
          )
        }
      >
        <Section title="Watched" about={list.items.length === 0 ? undefined : plural(list.items.length, "alert")} flush>
          <ListTable<Alert>
            label="Alerts"
            list={list}
            empty={<NoAlerts action={make} />}
            keyOf={({ id }) => id}
            openKey={search.alert}
            onOpen={({ id }) => open(id)}
            columns={search.alert === undefined ? COLUMNS : COLUMNS.filter(({ title }) => !WIDE.has(title))}
          />
        </Section>
      </WithInspector>
      {search.new !== undefined && mayWrite && (
        <NewAlertDialog
          firstQueryId={search.new === "yes" ? undefined : search.new}
          onClose={() => setSearch({ new: undefined })}
          onDone={(alert) => {
            setSearch({ new: undefined, alert: alert.id });
            setSecret({ secret: alert.secret, formerUntil: null });
          }}
        />
      )}
      {secret !== null && <AlertSecret shown={secret} onClose={() => setSecret(null)} />}
    </Frame>
  );
}

/**
 * Shows the open alert. It comes from the list if it is there, so that both show the same; otherwise it is read by its
 * id.
 */
function OpenAlert({
  alertId,
  list,
  onClose,
}: {
  alertId: string;
  list: readonly Alert[];
  onClose: () => void;
}): ReactNode {
  const known = list.find(({ id }) => id === alertId);
  const read = useRead(
    ALERT_ROUTES.getAlert,
    { params: { alert_id: alertId } },
    { enabled: known === undefined, refetchMs: RENEW_MS },
  );
  const { data, error } = useNamed(read);
  const alert = known ?? data;
  if (alert !== undefined) return <AlertInspector key={alertId} alert={alert} onClose={onClose} />;
  if (error === null) return null;
  return (
    <Inspector title="Alert" onClose={onClose}>
      <ErrorNote error={error} />
    </Inspector>
  );
}

function NoAlerts({ action }: { action: ReactNode }): ReactNode {
  const addresses = useAddresses();
  return (
    <Empty title="No alerts yet" action={action}>
      <ListOutside row={ALERT_ROUTES.listAlerts} page="alerts" what="alerts" />
      <p>
        An alert runs a saved query on a schedule, and sends a signed message to your address when its condition is met.
      </p>
      <CopyBlock
        text={[
          `curl -sS ${addresses?.query_url ?? "QUERY_URL"}/v1/alerts -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\`,
          `  -d '{"name": "errors", "query_id": "QUERY_ID", "url": "https://example.com/hook",`,
          `  "every_s": 60, "window_s": 300, "condition": {"operator": ">", "threshold": 0}}'`,
        ].join("\n")}
      />
    </Empty>
  );
}
