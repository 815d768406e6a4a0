import { WEBHOOK_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Checkbox, TextField } from "~/kit/field.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { Loaded } from "~/kit/page.tsx";
import { ChangeError, useVersioned, useVersionedChange } from "~/kit/versioned.tsx";
import { submitKeys } from "../setup/keys.ts";
import { destinationOf, draftOf, type Draft } from "./destination-form.ts";
import { DestinationSecret } from "./destination-secret.tsx";

type Destination = ResultOf<typeof WEBHOOK_ROUTES.getWebhookDestination>;

interface DialogProps {
  webhookId: string;
  destination: Destination | null;
  onClose: () => void;
}

/** Creates or changes a destination. */
export function DestinationDialog({ webhookId, destination, onClose }: DialogProps): ReactNode {
  return destination === null ? (
    <Create webhookId={webhookId} onClose={onClose} />
  ) : (
    <Change webhookId={webhookId} destinationId={destination.id} onClose={onClose} />
  );
}

function Create({ webhookId, onClose }: { webhookId: string; onClose: () => void }): ReactNode {
  const [made, setMade] = useState<{ readonly secret: string | null } | null>(null);
  const [draft, setDraft] = useState<Draft>(() => draftOf(null));
  const create = useAct(WEBHOOK_ROUTES.createWebhookDestination, {
    changes: [WEBHOOK_ROUTES.listWebhookDestinations],
    onDone: setMade,
  });
  if (made !== null)
    return (
      <DestinationSecret title={`${visibleText(draft.name)} gets events`} secret={made.secret} onClose={onClose} />
    );
  return (
    <Dialog title="Create destination" about="It gets new events only." onClose={onClose} wide>
      <DraftForm
        draft={draft}
        onDraft={setDraft}
        action="Create"
        busy={create.isPending}
        onSubmit={() => create.mutate({ params: { webhook_id: webhookId }, body: destinationOf(draft) })}
        onClose={onClose}
        error={<ErrorNote error={create.error} />}
      />
    </Dialog>
  );
}

function Change({
  webhookId,
  destinationId,
  onClose,
}: {
  webhookId: string;
  destinationId: string;
  onClose: () => void;
}): ReactNode {
  const params = { webhook_id: webhookId, destination_id: destinationId };
  const read = useVersioned(WEBHOOK_ROUTES.getWebhookDestination, params);
  const [edited, setDraft] = useState<Draft | null>(null);
  const change = useVersionedChange(WEBHOOK_ROUTES.updateWebhookDestination, {
    changes: [WEBHOOK_ROUTES.listWebhookDestinations, WEBHOOK_ROUTES.getWebhookDestination],
    onDone: onClose,
  });
  const reload = (): void => {
    change.reset();
    setDraft(null);
    void read.refetch();
  };
  return (
    <Dialog title="Change destination" onClose={onClose} wide>
      <Loaded result={read}>
        {({ value, etag }) => {
          const draft = edited ?? draftOf(value);
          return (
            <DraftForm
              draft={draft}
              onDraft={setDraft}
              action="Save"
              busy={change.isPending}
              onSubmit={() => change.mutate({ params, body: destinationOf(draft), etag })}
              onClose={onClose}
              error={<ChangeError error={change.error} onReload={reload} />}
            />
          );
        }}
      </Loaded>
    </Dialog>
  );
}

interface FormProps {
  draft: Draft;
  onDraft: (draft: Draft) => void;
  action: string;
  busy: boolean;
  error: ReactNode;
  onSubmit: () => void;
  onClose: () => void;
}

function DraftForm({ draft, onDraft, action, busy, error, onSubmit, onClose }: FormProps): ReactNode {
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  const bound = (name: "name" | "url" | "rate") => ({
    value: draft[name],
    onChange: (event: { target: { value: string } }) => onDraft({ ...draft, [name]: event.target.value }),
  });
  return (
    <form className="flex flex-col gap-4" onSubmit={submit} onKeyDown={submitKeys}>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Name" required maxLength={100} {...bound("name")} />
        <TextField
          label="Address"
          hint="A public https address, unless the server’s settings allow others"
          required
          type="url"
          maxLength={2048}
          className="mono"
          {...bound("url")}
        />
      </div>
      <FilterFields draft={draft} onDraft={onDraft} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Checkbox
          label="In order"
          why="Send events in order. If an event is not accepted, later ones wait until its retries end."
          checked={draft.ordered}
          onChange={(event) => onDraft({ ...draft, ordered: event.target.checked })}
        />
        <TextField
          label="Most requests per second"
          hint="Empty: no limit. For each node."
          type="number"
          min={1}
          max={10_000}
          {...bound("rate")}
        />
      </div>
      {error}
      <FormActions action={action} busy={busy} onCancel={onClose} />
    </form>
  );
}

function FilterFields({ draft, onDraft }: Pick<FormProps, "draft" | "onDraft">): ReactNode {
  const fields = [
    ["types", "Types", "order.paid, order.void"],
    ["pointer", "JSON pointer", "/order/region=eu"],
    ["header", "Header", "X-Region: eu"],
    ["text", "Text in the body", ""],
  ] as const;
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 font-medium">Filter: only events that match all conditions. Empty: every event</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        {fields.map(([name, label, placeholder]) => (
          <TextField
            key={name}
            label={label}
            placeholder={placeholder}
            className="mono"
            value={draft[name]}
            onChange={(event) => onDraft({ ...draft, [name]: event.target.value })}
          />
        ))}
      </div>
    </fieldset>
  );
}
