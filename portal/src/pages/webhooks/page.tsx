import { QUERY_ROUTES, WEBHOOK_ROUTES, type ResultOf } from "@mooring/contract";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import { useList, useRead, type ItemList } from "~/api/queries.ts";
import { useMayHere, useWhyNotHere } from "~/app/may.ts";
import { ListOutside } from "~/app/outside.tsx";
import { PageLink, pagePath } from "~/app/page-link.tsx";
import { useMe, useProject, useScopeParams } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Field, TextInput } from "~/kit/field.tsx";
import { countText, plural } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { Empty, Page as Frame, Section } from "~/kit/page.tsx";
import { Sparkline } from "~/kit/chart/spark.tsx";
import { State } from "~/kit/state.tsx";
import { ListTable, type Column } from "~/kit/table.tsx";
import { Time, useNow } from "~/kit/time.tsx";
import { ACTIVITY_SQL, activityOf, firstHour, NO_ACTIVITY, type Activity } from "./activity.ts";
import { CreateWebhook } from "./setup/create-webhook.tsx";
import { SCHEME_NAMES } from "./setup/presets.ts";

type Webhook = ResultOf<typeof WEBHOOK_ROUTES.getWebhook>;
type Search = { q?: string | undefined; create?: boolean | undefined };

const REFRESH_MS = 15_000;

/** The list of webhooks, with their recent events. */
export function Page(): ReactNode {
  const project = useProject();
  const why = useWhyNotHere("webhooks:write");
  const mayWrite = why === undefined;
  const [{ q = "", create = false }, search] = useSearchState<Search>();
  const query = project === null ? {} : { project: project.slug };
  const list = useList(WEBHOOK_ROUTES.listWebhooks, { query }, { refetchMs: REFRESH_MS });
  const found = list.items.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()));
  const createButton = (
    <Button look="main" disabled={!mayWrite} title={why} onClick={() => search({ create: true }, { push: true })}>
      Create webhook
    </Button>
  );
  return (
    <Frame
      title="Webhooks"
      about="Addresses that accept events from other services for a project. An event is on disk before the sender gets its answer."
      actions={createButton}
    >
      <h2 className="sr-only">Within reach</h2>
      <Section flush>
        {list.items.length > 0 && (
          <SearchBar q={q} onChange={(text) => search({ q: text === "" ? undefined : text })} />
        )}
        <WebhookTable
          list={{ ...list, items: found }}
          empty={list.items.length === 0 ? <NoWebhooks action={createButton} /> : <NoneFound q={q} />}
        />
      </Section>
      {create && mayWrite && <CreateWebhook onClose={() => search({ create: undefined })} />}
    </Frame>
  );
}

function SearchBar({ q, onChange }: { q: string; onChange: (text: string) => void }): ReactNode {
  return (
    <div className="border-b border-line p-2.5">
      <Field label={<span className="sr-only">Find by name</span>}>
        {(bound) => (
          <TextInput
            {...bound}
            data-search
            type="search"
            placeholder="Find by name ( / )"
            className="max-w-72"
            value={q}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
    </div>
  );
}

function WebhookTable({ list, empty }: { list: ItemList<Webhook>; empty: ReactNode }): ReactNode {
  const navigate = useNavigate();
  const { org, project } = useScopeParams();
  const projects = useMe()?.projects;
  const activity = useActivity();
  const columns: Column<Webhook>[] = [
    { title: "Name", cell: ({ name }) => visibleText(name) },
    ...(project === "-"
      ? [
          {
            title: "Project",
            cell: ({ project_id }: Webhook) => projects?.find(({ id }) => id === project_id)?.slug ?? project_id,
          },
        ]
      : []),
    { title: "State", cell: ({ enabled }) => <OnOff enabled={enabled} /> },
    { title: "Verified by", cell: ({ verification }) => <Scheme scheme={verification.scheme} /> },
    { title: "Last event", cell: (webhook) => <LastEvent webhook={webhook} activity={activity?.get(webhook.id)} /> },
    {
      title: "Last 24 hours",
      cell: ({ id }) => (activity === null ? <span className="text-ink-3">—</span> : <Day of={activity.get(id)} />),
    },
  ];
  return (
    <ListTable
      label="Webhooks"
      list={list}
      columns={columns}
      keyOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: pagePath(org, project, `webhooks/${id}`) })}
      empty={empty}
    />
  );
}

/** Reads the events of the last day for all webhooks with one statement. Null: the person may not. */
function useActivity(): ReadonlyMap<string, Activity> | null {
  const mayQuery = useMayHere("telemetry:read");
  const now = useNow(60_000);
  const from = firstHour(now).toISOString();
  const { data } = useRead(
    QUERY_ROUTES.query,
    { body: { sql: ACTIVITY_SQL, from } },
    { enabled: mayQuery, refetchMs: REFRESH_MS },
  );
  return useMemo(() => (data === undefined ? null : activityOf(data.rows, new Date(from))), [data, from]);
}

function Day({ of = NO_ACTIVITY }: { of: Activity | undefined }): ReactNode {
  return (
    <span className="flex items-center gap-2">
      <Sparkline bars values={of.byHour} label={`${plural(of.events, "event")} in the last 24 hours, by the hour`} />
      <span className="mono">{countText(of.events)}</span>
    </span>
  );
}

function LastEvent({ webhook, activity }: { webhook: Webhook; activity: Activity | undefined }): ReactNode {
  if (activity?.newest !== undefined && activity.newest !== null) return <Time at={activity.newest} />;
  const asked =
    webhook.urls
      .map((url) => url.last_hit_at ?? "")
      .toSorted()
      .at(-1) ?? "";
  return asked === "" ? (
    <span className="text-ink-3">never</span>
  ) : (
    <span title="The last request to its address. There are no events in the last 24 hours">
      <Time at={asked} />
    </span>
  );
}

function OnOff({ enabled }: { enabled: boolean }): ReactNode {
  return enabled ? <State kind="go">accepts events</State> : <State kind="stop">paused</State>;
}

function Scheme({ scheme }: { scheme: Webhook["verification"]["scheme"] }): ReactNode {
  return scheme === "none" ? <State kind="warn">not verified</State> : <State kind="go">{SCHEME_NAMES[scheme]}</State>;
}

function NoneFound({ q }: { q: string }): ReactNode {
  return <Empty title="No webhook found">No loaded webhook has “{q}” in its name.</Empty>;
}

function NoWebhooks({ action }: { action: ReactNode }): ReactNode {
  const project = useProject();
  return (
    <Empty title="No webhook yet" action={action}>
      <ListOutside row={WEBHOOK_ROUTES.listWebhooks} page="webhooks" what="webhooks" />
      <p>
        A webhook is an address where GitHub, Stripe or any other sender posts its events. Create one here or from a
        terminal:
      </p>
      <CopyBlock
        label="Command that creates a webhook"
        text={`npx mooring webhooks create --name orders --project ${project?.slug ?? "PROJECT"}`}
      />
      <p>
        Its events can be read here, by{" "}
        <PageLink page="sql" className="text-sea underline">
          SQL
        </PageLink>{" "}
        and as a stream, and can be forwarded to destinations.
      </p>
    </Empty>
  );
}
