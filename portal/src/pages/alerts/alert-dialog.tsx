import { ALERT_ROUTES, SAVED_QUERY_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useProject } from "~/app/scope.ts";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { Loaded } from "~/kit/page.tsx";
import { ChangeError, useVersioned, useVersionedChange, type Versioned } from "~/kit/versioned.tsx";
import { bodyOf, draftOf, EMPTY_DRAFT, faultsOf, type Alert, type Draft } from "./alert-draft.ts";
import { AlertFields } from "./alert-fields.tsx";
import { FIRST_SQL, NEW_QUERY, QueryChoice } from "./query-choice.tsx";

/** Returns the state of a form, with its errors after the first attempt to submit it. */
function useDraft(first: Draft): {
  draft: Draft;
  faults: ReturnType<typeof faultsOf>;
  change: (part: Partial<Draft>) => void;
  /** Shows the errors, and returns whether the form is valid. */
  check: () => boolean;
} {
  const [draft, setDraft] = useState(first);
  const [isChecked, setIsChecked] = useState(false);
  return {
    draft,
    faults: isChecked ? faultsOf(draft) : {},
    change: (part) => setDraft((before) => ({ ...before, ...part })),
    check: () => {
      setIsChecked(true);
      return Object.keys(faultsOf(draft)).length === 0;
    },
  };
}

/** The form for a new alert. Its secret is in the answer, once. */
export function NewAlertDialog({
  firstQueryId,
  onDone,
  onClose,
}: {
  /** The saved query in the address. */
  firstQueryId: string | undefined;
  onDone: (alert: { id: string; secret: string | null }) => void;
  onClose: () => void;
}): ReactNode {
  const project = useProject();
  const { draft, faults, change, check } = useDraft(EMPTY_DRAFT);
  const [queryId, setQueryId] = useState(firstQueryId ?? NEW_QUERY);
  const [sql, setSql] = useState(FIRST_SQL);
  const create = useAct(ALERT_ROUTES.createAlert, { changes: [ALERT_ROUTES.listAlerts], onDone });
  const save = useAct(SAVED_QUERY_ROUTES.createSavedQuery, {
    changes: [SAVED_QUERY_ROUTES.listSavedQueries],
    // If the server refuses the alert, the query already exists, and the next attempt uses it.
    onDone: ({ id }) => {
      setQueryId(id);
      create.mutate({ body: { ...bodyOf(draft), query_id: id } });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!check()) return;
    if (queryId !== NEW_QUERY) create.mutate({ body: { ...bodyOf(draft), query_id: queryId } });
    else
      save.mutate({ body: { name: draft.name.trim(), sql, ...(project === null ? {} : { project: project.slug }) } });
  };
  return (
    <Dialog
      title="Create alert"
      about="Runs a query on a schedule. It sends a message when its condition is met, and when it is not met any more."
      onClose={onClose}
      wide
    >
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <NameField draft={draft} fault={faults.name} onChange={change} />
        <QueryChoice queryId={queryId} sql={sql} draft={draft} onQuery={setQueryId} onSql={setSql} />
        <AlertFields draft={draft} faults={faults} onChange={change} />
        <ErrorNote error={save.error ?? create.error} />
        <FormActions action="Create" busy={save.isPending || create.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

export function EditAlertDialog({ alertId, onClose }: { alertId: string; onClose: () => void }): ReactNode {
  const read = useVersioned(ALERT_ROUTES.getAlert, { alert_id: alertId });
  return (
    <Dialog
      title="Change alert"
      about="After this change it runs with your permissions. A firing alert keeps firing until the next evaluation."
      onClose={onClose}
      wide
    >
      <Loaded result={read}>
        {(versioned) => (
          <EditForm
            key={versioned.etag ?? ""}
            versioned={versioned}
            onReload={() => void read.refetch()}
            onClose={onClose}
          />
        )}
      </Loaded>
    </Dialog>
  );
}

function EditForm({
  versioned: { value, etag },
  onReload,
  onClose,
}: {
  versioned: Versioned<Alert>;
  onReload: () => void;
  onClose: () => void;
}): ReactNode {
  const { draft, faults, change, check } = useDraft(draftOf(value));
  const update = useVersionedChange(ALERT_ROUTES.updateAlert, {
    changes: [ALERT_ROUTES.listAlerts, ALERT_ROUTES.getAlert],
    onDone: onClose,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (check()) update.mutate({ params: { alert_id: value.id }, body: bodyOf(draft), etag });
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <NameField draft={draft} fault={faults.name} onChange={change} />
      <AlertFields draft={draft} faults={faults} onChange={change} />
      <ChangeError error={update.error} onReload={onReload} />
      <FormActions action="Save" busy={update.isPending} onCancel={onClose} />
    </form>
  );
}

function NameField({
  draft,
  fault,
  onChange,
}: {
  draft: Draft;
  fault: string | undefined;
  onChange: (part: Partial<Draft>) => void;
}): ReactNode {
  return (
    <>
      <TextField
        label="Name"
        autoFocus
        maxLength={100}
        value={draft.name}
        error={fault}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <TextField
        label="Description"
        hint="For example, the steps to take when it fires."
        maxLength={2000}
        value={draft.description}
        onChange={(event) => onChange({ description: event.target.value })}
      />
    </>
  );
}
