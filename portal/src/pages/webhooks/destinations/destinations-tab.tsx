import { WEBHOOK_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { useAbsence } from "~/app/absent.tsx";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { countText } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { WithInspector } from "~/kit/inspector.tsx";
import { Empty, Loaded, Section } from "~/kit/page.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { DestinationDialog } from "./destination-dialog.tsx";
import { DestinationInspector } from "./destination-inspector.tsx";
import { Answer, DestinationState, type Destination } from "./destination-state.tsx";
import { useWhyNotChange } from "../rights.ts";

const REFRESH_MS = 5_000;

/** Lists the webhook's destinations. */
export function DestinationsTab({ webhookId }: { webhookId: string }): ReactNode {
  const why = useWhyNotChange(webhookId);
  const mayWrite = why === undefined;
  const [{ destination: openId }, change] = useSearchState<{ destination?: string | undefined }>();
  const [isCreating, setCreating] = useState(false);
  const destinations = useRead(
    WEBHOOK_ROUTES.listWebhookDestinations,
    { params: { webhook_id: webhookId } },
    { refetchMs: REFRESH_MS },
  );
  const open = destinations.data?.items.find(({ id }) => id === openId);
  useAbsence(openId !== undefined && destinations.data !== undefined && open === undefined);
  const create = (
    <Button disabled={!mayWrite} title={why} onClick={() => setCreating(true)}>
      Create destination
    </Button>
  );
  return (
    <>
      <WithInspector
        inspector={
          open !== undefined && (
            <DestinationInspector key={open.id} destination={open} onClose={() => change({ destination: undefined })} />
          )
        }
      >
        <Section title="Destinations" about="Each event is forwarded, signed, with retries." actions={create} flush>
          <Loaded result={destinations}>
            {({ items }) =>
              items.length === 0 ? (
                <NoDestinations webhookId={webhookId} />
              ) : (
                <Table
                  label="Destinations"
                  items={items}
                  columns={COLUMNS}
                  keyOf={({ id }) => id}
                  openKey={openId}
                  onOpen={({ id }) => change({ destination: id === openId ? undefined : id })}
                />
              )
            }
          </Loaded>
        </Section>
      </WithInspector>
      {isCreating && <DestinationDialog webhookId={webhookId} destination={null} onClose={() => setCreating(false)} />}
    </>
  );
}

const COLUMNS: readonly Column<Destination>[] = [
  { title: "Name", cell: ({ name }) => visibleText(name) },
  { title: "State", cell: (destination) => <DestinationState of={destination} /> },
  { title: "Address", grow: true, cell: ({ url }) => <span className="mono">{url}</span> },
  { title: "Delivered", number: true, cell: ({ delivered }) => countText(delivered) },
  { title: "Failed in a row", number: true, cell: ({ failures }) => countText(failures) },
  { title: "Last attempt", cell: ({ last_attempt_at }) => <Time at={last_attempt_at} /> },
  {
    title: "Answer",
    cell: ({ last_status, last_error }) => <Answer status={last_status} error={last_error} />,
  },
];

function NoDestinations({ webhookId }: { webhookId: string }): ReactNode {
  return (
    <Empty title="Events are not forwarded">
      <p>
        A destination gets each new event with its original bytes and content type. Deliveries are signed as Standard
        Webhooks describes, and retried for a day.
      </p>
      <CopyBlock
        label="Command that creates a destination"
        text={`curl -sS ${location.origin}/v1/webhooks/${webhookId}/destinations -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\\n  -d '{"name": "billing", "url": "https://billing.example/events"}'`}
      />
    </Empty>
  );
}
