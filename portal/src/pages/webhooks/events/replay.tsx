import { WEBHOOK_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct, useRead } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { SelectField } from "~/kit/field.tsx";
import { plural } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { useSay } from "~/kit/toast.tsx";
import { useWhyNotChange } from "../rights.ts";

/** Sends one event again, to one destination or to all active ones. */
export function Replay({ webhookId, eventId }: { webhookId: string; eventId: string }): ReactNode {
  const why = useWhyNotChange(webhookId);
  const mayWrite = why === undefined;
  const say = useSay();
  const [chosen, setChosen] = useState("");
  const { data } = useRead(WEBHOOK_ROUTES.listWebhookDestinations, { params: { webhook_id: webhookId } });
  const replay = useAct(WEBHOOK_ROUTES.replayWebhookEvent, {
    changes: [WEBHOOK_ROUTES.listWebhookDeliveries],
    onDone: ({ count }) => say(`Replayed: ${plural(count, "request")} queued`),
  });
  const destinations = data?.items ?? [];
  if (destinations.length === 0)
    return (
      <p className="text-ink-2">There is no destination for these events yet. Create one in the tab Destinations.</p>
    );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    replay.mutate({
      params: { webhook_id: webhookId, event_id: eventId },
      body: chosen === "" ? {} : { destination_id: chosen },
    });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-end gap-2">
        <div className="min-w-40 flex-1">
          <SelectField label="Send it again to" value={chosen} onChange={(event) => setChosen(event.target.value)}>
            <option value="">all active destinations</option>
            {destinations.map(({ id, name, state }) => (
              <option key={id} value={id}>
                {visibleText(state === "active" ? name : `${name} (${state})`)}
              </option>
            ))}
          </SelectField>
        </div>
        <Button type="submit" className="mb-1" busy={replay.isPending} disabled={!mayWrite} title={why}>
          Replay
        </Button>
      </div>
      <ErrorNote error={replay.error} />
    </form>
  );
}
