import { WEBHOOK_ROUTES, type ResultOf } from "@mooring/contract";
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent, type ReactNode } from "react";
import { useWhyNotIn } from "~/app/may.ts";
import { pagePath } from "~/app/page-link.tsx";
import { useMe, useScopeParams } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { TextField } from "~/kit/field.tsx";
import { plural } from "~/kit/figures.ts";
import { Empty, Section } from "~/kit/page.tsx";
import { useSay } from "~/kit/toast.tsx";
import { ChangeError, useVersionedChange, VersionedForm, type Versioned } from "~/kit/versioned.tsx";

/** Sets the retention of webhook events in the selected project. */
export function WebhookRetention({ project }: { project: { id: string; name: string } | null }): ReactNode {
  if (project === null) return <ChooseProject />;
  return <OfProject key={project.id} project={project} />;
}

function ChooseProject(): ReactNode {
  const { org } = useScopeParams();
  const navigate = useNavigate();
  const projects = useMe()?.projects ?? [];
  return (
    <Section title="Webhook events">
      <Empty title="Choose a project">
        <p>Each project has a retention for its webhook events. A webhook may have another one.</p>
        <ul className="flex flex-wrap gap-2">
          {projects.map(({ slug, name }) => (
            <li key={slug}>
              <Button
                onClick={() => void navigate({ to: pagePath(org, slug, "settings"), search: { tab: "webhooks" } })}
              >
                {name}
              </Button>
            </li>
          ))}
        </ul>
      </Empty>
    </Section>
  );
}

function OfProject({ project }: { project: { id: string; name: string } }): ReactNode {
  return (
    <Section title={`Webhook events of ${project.name}`}>
      <VersionedForm row={WEBHOOK_ROUTES.getWebhookSettings} params={{ project_id: project.id }}>
        {(versioned, onReload) => <Form projectId={project.id} versioned={versioned} onReload={onReload} />}
      </VersionedForm>
    </Section>
  );
}

interface FormProps {
  projectId: string;
  versioned: Versioned<ResultOf<typeof WEBHOOK_ROUTES.getWebhookSettings>>;
  onReload: () => void;
}

function Form({ projectId, versioned: { value, etag }, onReload }: FormProps): ReactNode {
  const { retention_days: days, default_retention_days: byDefault } = value;
  const why = useWhyNotIn(projectId, "webhooks:write");
  const mayWrite = why === undefined;
  const say = useSay();
  const [text, setText] = useState(days === null ? "" : String(days));
  const save = useVersionedChange(WEBHOOK_ROUTES.updateWebhookSettings, {
    changes: [WEBHOOK_ROUTES.getWebhookSettings],
    onDone: () => say("Saved"),
  });
  const next = text === "" ? null : Number(text);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate({ params: { project_id: projectId }, body: { retention_days: next }, etag });
  };
  const isShorter = (next ?? byDefault) < (days ?? byDefault);
  return (
    <form onSubmit={submit}>
      <fieldset disabled={!mayWrite} className="flex max-w-xl flex-col gap-4">
        <TextField
          label="Events are kept for (days)"
          hint={`Empty: the server’s default, ${plural(byDefault, "day")}. It does not apply to webhooks with their own retention.`}
          type="number"
          min={1}
          max={36_500}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {isShorter && <p role="status">Older events are deleted. A longer retention does not restore them.</p>}
        <ChangeError error={save.error} onReload={onReload} />
        <div className="flex flex-wrap items-center gap-3">
          <Button look={isShorter ? "danger" : "main"} type="submit" busy={save.isPending} disabled={next === days}>
            {isShorter ? "Save, and delete older events" : "Save"}
          </Button>
          {!mayWrite && <span className="text-ink-2">{why}.</span>}
        </div>
      </fieldset>
    </form>
  );
}
