import { WEBHOOK_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct, useRead } from "~/api/queries.ts";
import { useOrganization } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock, Copyable } from "~/kit/copy.tsx";
import { DangerDialog, Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote, messageOf } from "~/kit/error-note.tsx";
import { SelectField, TextField } from "~/kit/field.tsx";
import { Empty, Loaded, Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { submitKeys } from "./setup/keys.ts";
import { useProjectOf, useWhyNotChange } from "./rights.ts";

type Consumer = ResultOf<typeof WEBHOOK_ROUTES.listWebhookConsumers>["items"][number];

const REFRESH_MS = 5_000;

/** Lists the consumers of a webhook. */
export function ConsumersTab({ webhookId }: { webhookId: string }): ReactNode {
  const why = useWhyNotChange(webhookId);
  const mayWrite = why === undefined;
  const [dialog, setDialog] = useState<"create" | Consumer | null>(null);
  const consumers = useRead(
    WEBHOOK_ROUTES.listWebhookConsumers,
    { params: { webhook_id: webhookId } },
    { refetchMs: REFRESH_MS },
  );
  const create = (
    <Button disabled={!mayWrite} title={why} onClick={() => setDialog("create")}>
      Create consumer
    </Button>
  );
  return (
    <>
      <Section
        title="Consumers"
        about="Each consumer claims events with a lease, and acknowledges them."
        actions={create}
        flush
      >
        <Loaded result={consumers}>
          {({ items }) =>
            items.length === 0 ? (
              <NoConsumers webhookId={webhookId} />
            ) : (
              <Table
                label="Consumers"
                items={items}
                keyOf={({ name }) => name}
                columns={columnsOf(webhookId, mayWrite ? setDialog : null)}
              />
            )
          }
        </Loaded>
      </Section>
      {dialog === "create" && <CreateConsumer webhookId={webhookId} onClose={() => setDialog(null)} />}
      {dialog !== null && dialog !== "create" && (
        <DeleteConsumer webhookId={webhookId} consumer={dialog} onClose={() => setDialog(null)} />
      )}
    </>
  );
}

function columnsOf(webhookId: string, onDelete: ((consumer: Consumer) => void) | null): readonly Column<Consumer>[] {
  return [
    { title: "Name", cell: ({ name }) => <span className="mono">{name}</span> },
    { title: "Lease", cell: ({ leased_until }) => <Lease until={leased_until} /> },
    { title: "Done up to", cell: ({ cursor }) => <Copyable text={cursor} shown={`${cursor.slice(0, 16)}…`} /> },
    { title: "Behind by", cell: (consumer) => <Behind webhookId={webhookId} cursor={consumer.cursor} /> },
    { title: "Moved", cell: ({ updated_at }) => <Time at={updated_at} /> },
    { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
    {
      title: "Acts",
      cell: (consumer) => (
        <Button
          look="danger"
          className="h-6"
          disabled={onDelete === null}
          aria-label={`Delete ${consumer.name}`}
          onClick={() => onDelete?.(consumer)}
        >
          Delete
        </Button>
      ),
    },
  ];
}

function Lease({ until }: { until: string | null }): ReactNode {
  if (until === null || Date.parse(until) < Date.now()) return <State kind="none">free</State>;
  return (
    <State kind="go">
      leased, ends <Time at={until} />
    </State>
  );
}

/** Counts the waiting events on request, because the server must read the events for it. */
function Behind({ webhookId, cursor }: { webhookId: string; cursor: string }): ReactNode {
  const { client } = useOrganization();
  const [text, setText] = useState<string | null>(null);
  const look = async (): Promise<void> => {
    try {
      const { items } = await client.call(WEBHOOK_ROUTES.pollWebhookEvents, {
        params: { webhook_id: webhookId },
        query: { after: cursor, limit: 100 },
      });
      setText(items.length === 100 ? "100 events or more" : items.length === 1 ? "1 event" : `${items.length} events`);
    } catch (error) {
      setText(error instanceof Error ? messageOf(error) : "the events could not be read");
    }
  };
  return (
    <span className="inline-flex items-center gap-2" aria-live="polite">
      {text}
      <Button className="h-6" onClick={() => void look()}>
        {text === null ? "Count" : "Again"}
      </Button>
    </span>
  );
}

function NoConsumers({ webhookId }: { webhookId: string }): ReactNode {
  return (
    <Empty title="No consumer yet">
      <p>
        A consumer reads events in order, and the server keeps its position. A claimed event is delivered again unless
        it is acknowledged in time.
      </p>
      <CopyBlock
        label="Commands that create a consumer and claim events"
        text={[
          `API=${location.origin}/v1/webhooks/${webhookId}/consumers`,
          `curl -sS "$API" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"name": "billing", "from": "oldest"}'`,
          `curl -sS "$API/billing/claim" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"limit": 10, "lease_s": 60, "wait_s": 5}'`,
        ].join("\n")}
      />
    </Empty>
  );
}

function CreateConsumer({ webhookId, onClose }: { webhookId: string; onClose: () => void }): ReactNode {
  const [name, setName] = useState("");
  const [from, setFrom] = useState<"now" | "oldest">("now");
  const create = useAct(WEBHOOK_ROUTES.createWebhookConsumer, {
    changes: [WEBHOOK_ROUTES.listWebhookConsumers],
    onDone: onClose,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate({ params: { webhook_id: webhookId }, body: { name, from } });
  };
  return (
    <Dialog title="Create consumer" about="A named position in the events of this webhook." onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={submit} onKeyDown={submitKeys}>
        <TextField
          label="Name"
          hint="a-z, 0-9, dot, hyphen, underscore"
          required
          pattern="[a-z0-9][a-z0-9_.\-]{0,62}"
          className="mono"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <SelectField
          label="Begins with"
          value={from}
          onChange={(event) => setFrom(event.target.value === "oldest" ? "oldest" : "now")}
        >
          <option value="now">new events only</option>
          <option value="oldest">the oldest stored event</option>
        </SelectField>
        <ErrorNote error={create.error} />
        <FormActions action="Create" busy={create.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function DeleteConsumer({
  webhookId,
  consumer,
  onClose,
}: {
  webhookId: string;
  consumer: Consumer;
  onClose: () => void;
}): ReactNode {
  const projectId = useProjectOf(webhookId);
  const remove = useAct(WEBHOOK_ROUTES.deleteWebhookConsumer, {
    changes: [WEBHOOK_ROUTES.listWebhookConsumers],
    onDone: onClose,
  });
  return (
    <DangerDialog
      title={`Delete ${consumer.name}`}
      projectId={projectId}
      about="Clients that claim events by this name will get 404. Its position is deleted, and the events stay. A new consumer of the same name starts from the beginning."
      type={consumer.name}
      action="Delete the consumer"
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate({ params: { webhook_id: webhookId, consumer: consumer.name } })}
    />
  );
}
