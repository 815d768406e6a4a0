import { WEBHOOK_ROUTES } from "@mooring/contract";
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct, useRead } from "~/api/queries.ts";
import { useWhyNotIn } from "~/app/may.ts";
import { pagePath } from "~/app/page-link.tsx";
import { useMe, useScopeParams } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { plural } from "~/kit/figures.ts";
import { Empty, Loaded, Section } from "~/kit/page.tsx";
import { useSay } from "~/kit/toast.tsx";

/** How long events of one project's webhooks are kept; of the project that the address names. */
export function WebhookRetention({ project }: { project: { id: string; name: string } | null }): ReactNode {
  if (project === null) return <ChooseProject />;
  return <OfProject key={project.id} project={project} />;
}

function ChooseProject(): ReactNode {
  const { org } = useScopeParams();
  const navigate = useNavigate();
  const projects = useMe()?.projects ?? [];
  return (
    <Section title="Events of webhooks">
      <Empty title="Choose a project">
        <p>How long events are kept is set for each project, and may be another for one of its webhooks.</p>
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
  const settings = useRead(WEBHOOK_ROUTES.getWebhookSettings, { params: { project_id: project.id } });
  return (
    <Section title={`Events of webhooks of ${project.name}`}>
      <Loaded result={settings}>
        {(loaded) => (
          <Form
            key={loaded.retention_days}
            projectId={project.id}
            days={loaded.retention_days}
            byDefault={loaded.default_retention_days}
          />
        )}
      </Loaded>
    </Section>
  );
}

function Form({
  projectId,
  days,
  byDefault,
}: {
  projectId: string;
  days: number | null;
  byDefault: number;
}): ReactNode {
  const why = useWhyNotIn(projectId, "webhooks:write");
  const mayWrite = why === undefined;
  const say = useSay();
  const [text, setText] = useState(days === null ? "" : String(days));
  const save = useAct(WEBHOOK_ROUTES.updateWebhookSettings, {
    changes: [WEBHOOK_ROUTES.getWebhookSettings],
    onDone: () => say("Saved"),
  });
  const next = text === "" ? null : Number(text);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate({ params: { project_id: projectId }, body: { retention_days: next } });
  };
  const isShorter = (next ?? byDefault) < (days ?? byDefault);
  return (
    <form onSubmit={submit}>
      <fieldset disabled={!mayWrite} className="flex max-w-xl flex-col gap-4">
        <TextField
          label="Events are kept for (days)"
          hint={`Empty: the server’s default, ${plural(byDefault, "day")}. A webhook that has a time of its own keeps it.`}
          type="number"
          min={1}
          max={36_500}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {isShorter && <p role="status">Older events are deleted; a longer time later brings none back.</p>}
        <ErrorNote error={save.error} />
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
