import { SAVED_QUERY_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct, useList } from "~/api/queries.ts";
import { useNamed } from "~/app/absent.tsx";
import { useWhyNotHere } from "~/app/may.ts";
import { whyNotIn } from "~/app/rights.ts";
import { useMe, useProject, type Me, type Project } from "~/app/scope.ts";
import { Button, IconButton } from "~/kit/button.tsx";
import { DangerDialog, Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Checkbox, SelectField, TextField } from "~/kit/field.tsx";
import { Inspector } from "~/kit/inspector.tsx";
import { More } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import { Loading } from "~/kit/page.tsx";
import { ChangeError, useVersioned, useVersionedChange, type Versioned } from "~/kit/versioned.tsx";
import { parametersOf, parameterText } from "./parameters.ts";
import type { SqlPage } from "./use-sql.ts";

export type SavedQuery = ResultOf<typeof SAVED_QUERY_ROUTES.getSavedQuery>;

/** The open saved query, in the version that was read when it was opened. */
export interface OpenQuery extends Versioned<SavedQuery> {
  /** Reads the query again, and resolves with the new version. */
  readonly reload: () => Promise<SavedQuery | undefined>;
}

/** Returns the saved query that the address names. */
export function useSaved(id: string | undefined): OpenQuery | undefined {
  const read = useVersioned(SAVED_QUERY_ROUTES.getSavedQuery, { query_id: id ?? "" }, { enabled: id !== undefined });
  const { data } = useNamed(read);
  if (data === undefined || data.value.id !== id) return undefined;
  return { ...data, reload: async () => (await read.refetch()).data?.value };
}

/** Lists the saved queries. Everybody in the organization who may read telemetry can see and run them. */
export function SavedPanel({ page, onClose }: { page: SqlPage; onClose: () => void }): ReactNode {
  const list = useList(SAVED_QUERY_ROUTES.listSavedQueries, { query: {} });
  const [doomed, setDoomed] = useState<SavedQuery | null>(null);
  const me = useMe();
  const whyKept = (query: SavedQuery): string | undefined => whyNotIn(me, query.project_id, "telemetry:write");
  const show = (query: SavedQuery): void => page.show(query.sql, searchOfSaved(query));
  return (
    <Inspector title="Saved queries" onClose={onClose}>
      <ErrorNote error={list.error} />
      {list.isPending && list.error === null && <Loading />}
      {!list.isPending && list.items.length === 0 && (
        <p className="text-ink-2">
          No saved queries yet. Everybody in the organization who may read telemetry sees them here.
        </p>
      )}
      <ul className="flex flex-col">
        {list.items.map((query) => (
          <li key={query.id} className="flex items-start gap-2 border-b border-line py-1.5 last:border-0">
            <div className="min-w-0 flex-1">
              <button
                type="button"
                aria-current={query.id === page.search.saved}
                className="min-h-6 max-w-full truncate text-left font-medium hover:text-sea aria-[current=true]:text-sea"
                onClick={() => show(query)}
              >
                {query.name}
              </button>
              {query.description !== "" && <p className="text-ink-2">{query.description}</p>}
              <p className="text-s text-ink-3">
                {query.project_id === null ? "whole organization" : "one project"}, changed{" "}
                <Time at={query.updated_at} />
              </p>
            </div>
            <IconButton
              label={whyKept(query) ?? `Delete ${query.name}`}
              disabled={whyKept(query) !== undefined}
              onClick={() => setDoomed(query)}
            >
              ✕
            </IconButton>
          </li>
        ))}
      </ul>
      {list.hasMore && <More list={list} />}
      {doomed !== null && <DeleteDialog query={doomed} page={page} onClose={() => setDoomed(null)} />}
    </Inspector>
  );
}

function DeleteDialog({ query, page, onClose }: { query: SavedQuery; page: SqlPage; onClose: () => void }): ReactNode {
  const say = useSay();
  const act = useAct(SAVED_QUERY_ROUTES.deleteSavedQuery, {
    changes: [SAVED_QUERY_ROUTES.listSavedQueries],
    onDone: () => {
      say(`Deleted ${query.name}`);
      if (page.search.saved === query.id) page.change({ saved: undefined });
      onClose();
    },
  });
  return (
    <DangerDialog
      title="Delete the saved query"
      projectId={query.project_id}
      about={
        <p>
          <b>{query.name}</b> is deleted for everybody in the organization. Links to it stop working. A query that an
          alert uses cannot be deleted.
        </p>
      }
      type={query.name}
      action="Delete"
      busy={act.isPending}
      error={act.error}
      onConfirm={() => act.mutate({ params: { query_id: query.id } })}
      onClose={onClose}
    />
  );
}

/** Saves the statement into the open saved query, or as a new one. */
export function SaveButton({ page, saved }: { page: SqlPage; saved: OpenQuery | undefined }): ReactNode {
  const [open, setOpen] = useState(false);
  const why = useWhyNotHere("telemetry:write");
  return (
    <>
      <Button disabled={why !== undefined || page.text.trim() === ""} title={why} onClick={() => setOpen(true)}>
        Save
      </Button>
      {open && <SaveDialog page={page} saved={saved} onClose={() => setOpen(false)} />}
    </>
  );
}

function SaveDialog({ page, saved, onClose }: SaveProps): ReactNode {
  const project = useProject();
  const me = useMe();
  const whyNotOver = saved === undefined ? undefined : whyNotIn(me, saved.value.project_id, "telemetry:write");
  const places = placesFor(me, project);
  const [asNew, setAsNew] = useState(saved === undefined || whyNotOver !== undefined);
  const [name, setName] = useState(saved?.value.name ?? "");
  const [description, setDescription] = useState(saved?.value.description ?? "");
  const [place, setPlace] = useState(places[0]?.slug ?? "");
  const { create, update } = useSaving(page, onClose);
  const makeNew = (): void => {
    setAsNew(true);
    update.reset();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const parameters = parametersOf(page.text, page.texts);
    const body = { name, description, sql: page.text, ...(parameters === undefined ? {} : { parameters }) };
    if (saved !== undefined && !asNew) update.mutate({ params: { query_id: saved.value.id }, body, etag: saved.etag });
    else create.mutate({ body: { ...body, ...(place === "" ? {} : { project: place }) } });
  };
  return (
    <Dialog
      title={asNew ? "Save the query" : `Save ${saved?.value.name ?? ""}`}
      about="Everybody in the organization who may read telemetry can run it."
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
        <TextField label="Description" value={description} onChange={(event) => setDescription(event.target.value)} />
        {saved !== undefined && (
          <Checkbox
            label="Save as new query"
            why={whyNotOver}
            disabled={whyNotOver !== undefined}
            checked={asNew}
            onChange={(event) => setAsNew(event.target.checked)}
          />
        )}
        {asNew && places.length > 1 && (
          <SelectField label="Where" value={place} onChange={(event) => setPlace(event.target.value)}>
            {places.map(({ slug, title }) => (
              <option key={slug} value={slug}>
                {title}
              </option>
            ))}
          </SelectField>
        )}
        <ErrorNote error={create.error} />
        <ChangeError error={update.error} onReload={() => void showPresent({ page, saved, onClose })}>
          <Button onClick={makeNew}>Save as new query</Button>
        </ChangeError>
        <FormActions
          action="Save"
          busy={create.isPending || update.isPending}
          disabled={name.trim() === ""}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}

/** Returns the places for a query: the address's project first, then the organization (an empty id), then other projects. */
function placesFor(me: Me | undefined, present: Project | null): { slug: string; title: string }[] {
  const may = (projectId: string | null): boolean => whyNotIn(me, projectId, "telemetry:write") === undefined;
  const others = me?.projects.filter(({ id }) => id !== present?.id && may(id)) ?? [];
  return [
    ...(present !== null && may(present.id) ? [{ slug: present.slug, title: `The project ${present.slug}` }] : []),
    ...(may(null) ? [{ slug: "", title: "The whole organization" }] : []),
    ...(present === null ? others.map(({ slug }) => ({ slug, title: `The project ${slug}` })) : []),
  ];
}

interface SaveProps {
  page: SqlPage;
  saved: OpenQuery | undefined;
  onClose: () => void;
}

/** Saves a statement as a new query, or into the open one if nobody has changed it meanwhile. */
function useSaving(page: SqlPage, onClose: () => void) {
  const say = useSay();
  const done = ({ id, name }: SavedQuery): void => {
    say(`Saved ${name}`);
    page.change({ saved: id });
    onClose();
  };
  const changes = [SAVED_QUERY_ROUTES.listSavedQueries, SAVED_QUERY_ROUTES.getSavedQuery];
  return {
    create: useAct(SAVED_QUERY_ROUTES.createSavedQuery, { changes, onDone: done }),
    update: useVersionedChange(SAVED_QUERY_ROUTES.updateSavedQuery, { changes, onDone: done }),
  };
}

/** Puts the newer version of the saved query into the editor. Undo restores the previous text. */
async function showPresent({ page, saved, onClose }: SaveProps): Promise<void> {
  const present = await saved?.reload();
  onClose();
  if (present !== undefined) page.show(present.sql, searchOfSaved(present));
}

/** Returns the parameters of an address that belong to a saved query, other than its statement. */
export function searchOfSaved(query: SavedQuery): { saved: string; p: string | undefined } {
  return { saved: query.id, p: textsOf(query) };
}

/** Returns the saved parameters of a query as texts for the fields. */
function textsOf({ parameters }: SavedQuery): string | undefined {
  if (Array.isArray(parameters)) return undefined;
  const texts = Object.entries(parameters).map(([name, value]) => [name, parameterText(value)]);
  return texts.length === 0 ? undefined : JSON.stringify(Object.fromEntries(texts));
}
