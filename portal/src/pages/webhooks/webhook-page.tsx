import { WEBHOOK_ROUTES, type ResultOf } from "@mooring/contract";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { useNamed } from "~/app/absent.tsx";
import { useWhyNotIn } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { useMe } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { Copyable } from "~/kit/copy.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { Loaded, Page as Frame } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { Tabs } from "~/kit/tabs.tsx";
import { messageOf } from "~/kit/error-note.tsx";
import { useSay } from "~/kit/toast.tsx";
import { ConsumersTab } from "./consumers-tab.tsx";
import { DestinationsTab } from "./destinations/destinations-tab.tsx";
import { EventsTab } from "./events/events-tab.tsx";
import { RejectionsTab } from "./rejections-tab.tsx";
import { SettingsTab } from "./settings/settings-tab.tsx";
import { SCHEME_NAMES } from "./setup/presets.ts";
import { useVersionedChange } from "~/kit/versioned.tsx";

type Webhook = ResultOf<typeof WEBHOOK_ROUTES.getWebhook>;

/** One webhook: its events, destinations, consumers, rejections and settings. */
export function Page(): ReactNode {
  const { webhook: id = "" }: { webhook?: string } = useParams({ strict: false });
  const read = useRead(WEBHOOK_ROUTES.getWebhook, { params: { webhook_id: id } });
  const webhook = useNamed(read, ({ project_id }) => project_id);
  return (
    <Frame
      title={visibleText(webhook.data?.name ?? "Webhook")}
      about={<About webhook={webhook.data} />}
      actions={webhook.data !== undefined && <PauseButton webhook={webhook.data} />}
    >
      <Loaded result={webhook}>{(loaded) => <WebhookTabs key={loaded.id} webhook={loaded} />}</Loaded>
    </Frame>
  );
}

function About({ webhook }: { webhook: Webhook | undefined }): ReactNode {
  const projects = useMe()?.projects;
  if (webhook === undefined) return <BackLink />;
  const { scheme } = webhook.verification;
  return (
    <span className="flex flex-wrap items-center gap-x-3">
      <BackLink />
      <Copyable text={webhook.id} />
      <span>in {projects?.find(({ id }) => id === webhook.project_id)?.name ?? webhook.project_id}</span>
      {webhook.enabled ? <State kind="go">accepts events</State> : <State kind="stop">paused: senders get 503</State>}
      {scheme === "none" ? (
        <State kind="warn">not verified</State>
      ) : (
        <State kind="go">verified by {SCHEME_NAMES[scheme]}</State>
      )}
    </span>
  );
}

function BackLink(): ReactNode {
  return (
    <PageLink page="webhooks" className="inline-flex min-h-6 items-center text-sea hover:underline">
      All webhooks
    </PageLink>
  );
}

function WebhookTabs({ webhook }: { webhook: Webhook }): ReactNode {
  const [{ tab = "events" }, change] = useSearchState<{ tab?: string | undefined }>();
  const tabs = [
    { id: "events", title: "Events", content: <EventsTab webhook={webhook} /> },
    { id: "destinations", title: "Destinations", content: <DestinationsTab webhookId={webhook.id} /> },
    { id: "consumers", title: "Consumers", content: <ConsumersTab webhookId={webhook.id} /> },
    { id: "rejections", title: "Rejections", content: <RejectionsTab webhook={webhook} /> },
    { id: "settings", title: "Settings", content: <SettingsTab webhook={webhook} /> },
  ];
  const value = tabs.some(({ id }) => id === tab) ? tab : "events";
  return (
    <Tabs
      label="Parts of the webhook"
      tabs={tabs}
      value={value}
      onChange={(next) => change({ tab: next === "events" ? undefined : next }, { push: true })}
    />
  );
}

/** Pauses and resumes a webhook. */
function PauseButton({ webhook }: { webhook: Webhook }): ReactNode {
  const why = useWhyNotIn(webhook.project_id, "webhooks:write");
  const mayWrite = why === undefined;
  const say = useSay();
  const update = useVersionedChange(WEBHOOK_ROUTES.updateWebhook, {
    changes: [WEBHOOK_ROUTES.getWebhook, WEBHOOK_ROUTES.listWebhooks],
    onDone: ({ enabled }) => say(enabled ? "Accepts events again" : "Paused. Senders get 503 and retry later"),
  });
  const change = async (): Promise<void> => {
    try {
      await update.mutateAsync({ params: { webhook_id: webhook.id }, body: { enabled: !webhook.enabled }, etag: null });
    } catch (error) {
      say(error instanceof Error ? messageOf(error) : "The webhook could not be changed", "stop");
    }
  };
  return (
    <Button busy={update.isPending} disabled={!mayWrite} title={why} onClick={() => void change()}>
      {webhook.enabled ? "Pause" : "Resume"}
    </Button>
  );
}
