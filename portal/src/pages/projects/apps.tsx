import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useAct, useList } from "~/api/queries.ts";
import { useConnect } from "~/app/connect/connect.tsx";
import { PageLink } from "~/app/page-link.tsx";
import { RenameApp } from "~/app/rename-app.tsx";
import { useWhyNotIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { Copyable } from "~/kit/copy.tsx";
import { DangerDialog, Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { Facts, Loading } from "~/kit/page.tsx";
import { More } from "~/kit/table.tsx";
import { useSay } from "~/kit/toast.tsx";
import { MoveApp } from "./move-app.tsx";
import type { App, Project } from "./types.ts";
import { appSlugFault, slugOf } from "./visibility.ts";

type Act = { readonly what: "new" } | { readonly what: "rename" | "move" | "delete"; readonly app: App };

const CHANGES = [ORGANIZATION_ROUTES.listApps, ORGANIZATION_ROUTES.getApp];
const SLUG_CHARS_MAX = 63;

/** Lists a project's apps, each with its addresses for clients. */
export function Apps({ project }: { project: Project }): ReactNode {
  const list = useList(ORGANIZATION_ROUTES.listApps, { query: { project: project.id } });
  const [act, setAct] = useState<Act | null>(null);
  const why = useWhyNotIn(project.id, "apps:write");
  const mayWrite = why === undefined;
  const stop = (): void => setAct(null);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center gap-2">
        <span className="flex-1 text-ink-2">
          {list.items.length} shown{list.hasMore && ", and more"}
        </span>
        <Button disabled={!mayWrite} title={why} onClick={() => setAct({ what: "new" })}>
          Create app
        </Button>
      </div>
      <ErrorNote error={list.error} />
      {list.isPending && list.error === null && <Loading />}
      {!list.isPending && list.items.length === 0 && (
        <p className="text-ink-2">No apps yet. An app is a repository for images and a bucket for objects.</p>
      )}
      <ul className="flex flex-col gap-3">
        {list.items.map((app) => (
          <AppItem key={app.id} app={app} project={project} mayWrite={mayWrite} why={why} onAct={setAct} />
        ))}
      </ul>
      {list.hasMore && <More list={list} />}
      {act?.what === "new" && <NewApp project={project} onClose={stop} />}
      {act?.what === "rename" && <RenameApp app={act.app} onClose={stop} />}
      {act?.what === "move" && <MoveApp app={act.app} project={project} onClose={stop} />}
      {act?.what === "delete" && <DeleteApp app={act.app} onClose={stop} />}
    </div>
  );
}

function AppItem({
  app,
  project,
  mayWrite,
  why,
  onAct,
}: {
  app: App;
  project: Project;
  mayWrite: boolean;
  why: string | undefined;
  onAct: (act: Act) => void;
}): ReactNode {
  const connect = useConnect();
  const addresses = useAddresses();
  const repository = `${addresses?.registry_domain ?? location.host}/${app.repository}`;
  return (
    <li className="flex flex-col gap-1.5 border-t border-line pt-3">
      <h3>{app.name}</h3>
      <Facts
        items={[
          ["Slug", <Copyable key="slug" text={app.slug} />],
          ["Repository", <Copyable key="repository" text={repository} />],
          ["Bucket", <Copyable key="bucket" text={app.bucket} />],
        ]}
      />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <PageLink page={`images/${app.slug}`} project={project.slug}>
          Images
        </PageLink>
        <PageLink page="buckets" project={project.slug} search={{ bucket: app.bucket }}>
          Bucket
        </PageLink>
        <Button onClick={() => connect({ topic: "registry", app: app.slug })}>Connect</Button>
        <Button disabled={!mayWrite} title={why} onClick={() => onAct({ what: "rename", app })}>
          Rename
        </Button>
        <Button disabled={!mayWrite} title={why} onClick={() => onAct({ what: "move", app })}>
          Move…
        </Button>
        <Button look="danger" disabled={!mayWrite} title={why} onClick={() => onAct({ what: "delete", app })}>
          Delete
        </Button>
      </div>
    </li>
  );
}

function NewApp({ project, onClose }: { project: Project; onClose: () => void }): ReactNode {
  const say = useSay();
  const [name, setName] = useState("");
  const [typedSlug, setSlug] = useState<string | null>(null);
  const slug = typedSlug ?? slugOf(name, SLUG_CHARS_MAX);
  const fault = appSlugFault(slug);
  const create = useAct(ORGANIZATION_ROUTES.createApp, {
    changes: CHANGES,
    onDone: ({ name: made }) => {
      say(`${made} has a repository and a bucket`);
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate({ body: { project: project.id, slug, name } });
  };
  return (
    <Dialog
      title={`Create app in ${project.name}`}
      about="A repository for images and a bucket of the same name."
      onClose={onClose}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Name"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Slug"
          hint="The name of the repository and of the bucket. It can't be changed later"
          error={fault}
          required
          maxLength={SLUG_CHARS_MAX}
          className="mono"
          value={slug}
          onChange={(event) => setSlug(event.target.value)}
        />
        <ErrorNote error={create.error} />
        <FormActions
          action="Create"
          busy={create.isPending}
          disabled={name === "" || slug === "" || fault !== null}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}

function DeleteApp({ app, onClose }: { app: App; onClose: () => void }): ReactNode {
  const say = useSay();
  const remove = useAct(ORGANIZATION_ROUTES.deleteApp, {
    changes: CHANGES,
    onDone: () => {
      say(`${app.name} is deleted`);
      onClose();
    },
  });
  return (
    <DangerDialog
      title={`Delete ${app.name}`}
      projectId={app.project_id}
      about={
        <p>
          Pushes and pulls of <code>{app.repository}</code> and requests to the bucket <code>{app.bucket}</code> will be
          refused. With images or objects it goes to the trash, and can be restored for a time.
        </p>
      }
      type={app.slug}
      action="Delete"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params: { app_id: app.id } })}
      onClose={onClose}
    />
  );
}
