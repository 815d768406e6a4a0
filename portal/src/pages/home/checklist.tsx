import { WEBHOOK_ROUTES, type Scope } from "@mooring/contract";
import { useRef, useState, type ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useAct, useRead } from "~/api/queries.ts";
import { FilesOutside, TelemetryOutside } from "~/app/outside.tsx";
import { PageLink } from "~/app/page-link.tsx";
import { whyNotIn } from "~/app/rights.ts";
import { useMe, useProject } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { durationText } from "~/kit/figures.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { Time } from "~/kit/time.tsx";
import { commandOf, type CommandFacts, type StepId } from "./commands.ts";
import { CredentialPicker, useCredentialChoice } from "./credential-picker.tsx";
import { useRepository } from "./repository.ts";
import { useSteps, type Step } from "./steps.ts";

type HomeSearch = { step?: string; credential?: string };

const THINGS: Readonly<Record<StepId, string>> = { log: "logs", file: "files", webhook: "webhooks", image: "images" };

/** The four first steps. Each turns green when it is done. When all are done, one line remains. */
export function Checklist(): ReactNode {
  const steps = useSteps();
  const known = steps.filter(({ missing }) => missing === null);
  const done = known.filter(({ found }) => found !== undefined && found !== null);
  const isLoading = known.some(({ found, error }) => found === undefined && error === null);
  if (known.length === 0 || isLoading) return null;
  if (done.length === known.length)
    return (
      <p role="status" className="text-ink-2">
        <State kind="go">Under way</State> <span>Received so far: {known.map(({ id }) => THINGS[id]).join(", ")}.</span>
      </p>
    );
  return (
    <Section title="Get started" about={`${done.length} of ${known.length} steps done`}>
      <StepList steps={known} />
      {known.length < steps.length && (
        <p className="text-s text-ink-2">
          Not shown: your role lacks {[...new Set(steps.flatMap(({ missing }) => missing ?? []))].join(", ")}:{" "}
          {steps.flatMap(({ id, missing }) => (missing === null ? [] : [THINGS[id]])).join(", ")}.
        </p>
      )}
    </Section>
  );
}

function StepList({ steps }: { steps: readonly Step[] }): ReactNode {
  const [search, setSearch] = useSearchState<HomeSearch>();
  const waiting = steps.filter(({ found }) => found === undefined || found === null).map(({ id }) => id);
  const open = waiting.find((id) => id === search.step) ?? waiting[0];
  const copiedAt = useRef<Partial<Record<StepId, number>>>({});
  return (
    <ol className="flex flex-col gap-2.5" aria-live="polite">
      {steps.map((step) =>
        step.found !== undefined && step.found !== null ? (
          <DoneStep key={step.id} step={step} found={step.found} copiedAtMs={copiedAt.current[step.id]} />
        ) : (
          <OpenStep
            key={step.id}
            step={step}
            isOpen={step.id === open}
            onOpen={() => setSearch({ step: step.id })}
            onCopied={() => (copiedAt.current = { ...copiedAt.current, [step.id]: Date.now() })}
          />
        ),
      )}
    </ol>
  );
}

function DoneStep({
  step,
  found,
  copiedAtMs,
}: {
  step: Step;
  found: { what: string; at: string };
  copiedAtMs: number | undefined;
}): ReactNode {
  const afterMs = copiedAtMs === undefined ? -1 : Date.parse(found.at) - copiedAtMs;
  return (
    <li className="flex flex-wrap gap-x-2">
      <State kind="go">{step.done}</State>
      <span className="min-w-0 [overflow-wrap:anywhere] text-ink-2">
        <ForeignText text={found.what} />
        {", "}
        {afterMs > 0 ? `${durationText(afterMs)} after the command was copied` : <Time at={found.at} none="" />}
      </span>
    </li>
  );
}

function OpenStep({
  step,
  isOpen,
  onOpen,
  onCopied,
}: {
  step: Step;
  isOpen: boolean;
  onOpen: () => void;
  onCopied: () => void;
}): ReactNode {
  return (
    <li className="flex flex-col gap-2">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onOpen}
        className="flex min-h-6 items-center gap-1.5 self-start rounded text-left"
      >
        <State kind={isOpen ? "warn" : "none"}>{step.todo}</State>
        {isOpen && <span className="text-ink-2">waiting for it…</span>}
      </button>
      <StepOutside id={step.id} />
      {isOpen && <StepCommand id={step.id} onCopied={onCopied} />}
      <ErrorNote error={step.error} />
    </li>
  );
}

/** Shows in which other project a step was done. */
function StepOutside({ id }: { id: StepId }): ReactNode {
  switch (id) {
    case "log":
      return <TelemetryOutside table="logs" page="explore" />;
    case "file":
      return <FilesOutside />;
    case "webhook":
      return <TelemetryOutside table="webhook_events" page="webhooks" />;
    case "image":
      return null;
  }
}

/** The scopes that the credential in a step's command needs. A webhook's address needs none. */
const SCOPES = {
  log: "telemetry:write",
  file: "files:write",
  webhook: "webhooks:write",
  image: "registry:push",
} as const satisfies Record<StepId, Scope>;

function StepCommand({ id, onCopied }: { id: StepId; onCopied: () => void }): ReactNode {
  const addresses = useAddresses();
  const project = useProject();
  const choice = useCredentialChoice({ own: id === "log", scope: SCOPES[id] });
  const repository = useRepository();
  const [webhookUrl, setWebhookUrl] = useState<string | null>(null);
  if (addresses === undefined) return null;
  const facts: CommandFacts = {
    addresses,
    clientId: choice.chosen?.client_id ?? null,
    repository: repository ?? null,
    webhookUrl,
    project: project === null || choice.chosen?.project_id === project.id ? null : project.slug,
  };
  return (
    <div className="flex flex-col gap-2" onCopy={onCopied}>
      {id !== "webhook" && <CredentialPicker choice={choice} />}
      {id === "webhook" && webhookUrl === null && <WebhookAddress onAddress={setWebhookUrl} />}
      {id === "image" && repository === null && (
        <p className="text-ink-2">
          Images belong to an app. <PageLink page="projects">Create an app</PageLink> first.
        </p>
      )}
      <div
        onClickCapture={(event) => {
          if ((event.target as HTMLElement).closest("button") !== null) onCopied();
        }}
      >
        <CopyBlock text={commandOf(id, facts)} label="command for this step" />
      </div>
    </div>
  );
}

/** Shows a webhook's address, which is a secret, on request. The audit log records who requested it. */
function WebhookAddress({ onAddress }: { onAddress: (url: string) => void }): ReactNode {
  const project = useProject();
  const me = useMe();
  const query = { limit: 1, ...(project === null ? {} : { project: project.slug }) };
  const hook = useRead(WEBHOOK_ROUTES.listWebhooks, { query }, {}).data?.items[0];
  const reveal = useAct(WEBHOOK_ROUTES.revealWebhookUrl, { onDone: ({ webhook_url }) => onAddress(webhook_url) });
  if (hook === undefined)
    return (
      <p className="text-ink-2">
        A webhook is an address for events from other services. <PageLink page="webhooks">Create a webhook</PageLink>{" "}
        and use its address below.
      </p>
    );
  const why = whyNotIn(me, hook.project_id, "webhooks:write");
  return (
    <div className="flex flex-wrap items-center gap-2 text-ink-2">
      <span>
        The address of <ForeignText text={hook.name} /> is a secret. Showing it adds an entry to the audit log.
      </span>
      <Button
        disabled={why !== undefined}
        title={why}
        busy={reveal.isPending}
        onClick={() => reveal.mutate({ params: { webhook_id: hook.id } })}
      >
        Put it in
      </Button>
      <ErrorNote error={reveal.error} />
    </div>
  );
}
