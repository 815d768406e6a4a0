import { WEBHOOK_ROUTES, type ResultOf } from "@mooring/contract";
import type { ReactNode } from "react";
import { useList } from "~/api/queries.ts";
import { useAbsence } from "~/app/absent.tsx";
import { useSearchState } from "~/app/search.ts";
import { Copyable } from "~/kit/copy.tsx";
import { bytesText } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { Inspector, WithInspector } from "~/kit/inspector.tsx";
import { Empty, Facts } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { ListTable, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { BodyView } from "./events/body-view.tsx";
import { HeadersView } from "./events/headers-view.tsx";
import { SignatureView } from "./events/signature-view.tsx";

type Webhook = ResultOf<typeof WEBHOOK_ROUTES.getWebhook>;
type Rejection = ResultOf<typeof WEBHOOK_ROUTES.listWebhookRejections>["items"][number];
type Search = { rejection?: string | undefined; view?: string | undefined };

const REFRESH_MS = 10_000;

/** Lists the refused requests of the last day, with the reasons. */
export function RejectionsTab({ webhook }: { webhook: Webhook }): ReactNode {
  const [{ rejection: openId, view = "pretty" }, change] = useSearchState<Search>();
  const list = useList(
    WEBHOOK_ROUTES.listWebhookRejections,
    { params: { webhook_id: webhook.id } },
    { refetchMs: REFRESH_MS },
  );
  const open = list.items.find(({ id }) => id === openId);
  useAbsence(openId !== undefined && !list.isPending && list.error === null && !list.hasMore && open === undefined);
  return (
    <>
      <h2 className="sr-only">Refused requests</h2>
      <p className="max-w-[72ch] text-ink-2">
        Requests that failed the verification got 401 and created no event. They are stored for a day with the reason
        and the first 16 KiB of the body, without credentials. Refreshed every ten seconds.
      </p>
      <div className={open === undefined ? "" : "flex h-[max(420px,calc(100dvh-230px))] min-w-0"}>
        <WithInspector
          inspector={
            open !== undefined && (
              <RejectionInspector
                key={open.id}
                webhook={webhook}
                rejection={open}
                view={view}
                onView={(next) => change({ view: next === "pretty" ? undefined : next })}
                onClose={() => change({ rejection: undefined })}
              />
            )
          }
        >
          <div className="min-h-0 overflow-auto rounded border border-line bg-sheet">
            <ListTable
              label="Refused requests"
              list={list}
              columns={COLUMNS}
              keyOf={({ id }) => id}
              openKey={openId}
              onOpen={({ id }) => change({ rejection: id === openId ? undefined : id })}
              empty={
                <Empty title="No rejections in the last day">
                  {webhook.verification.scheme === "none" && webhook.allowed_ips.length === 0 ? (
                    <p>
                      This webhook accepts requests from everybody who knows its address. Set a verification scheme in
                      the settings.
                    </p>
                  ) : (
                    <p>
                      A request that cannot be verified, or comes from an address that is not allowed, appears here with
                      the reason.
                    </p>
                  )}
                </Empty>
              }
            />
          </div>
        </WithInspector>
      </div>
    </>
  );
}

const COLUMNS: readonly Column<Rejection>[] = [
  { title: "When", cell: ({ at }) => <Time at={at} /> },
  { title: "Why", grow: true, cell: ({ reason }) => <State kind="stop">{reason}</State> },
  { title: "From", cell: ({ ip }) => <span className="mono">{ip}</span> },
  { title: "Method", cell: ({ method }) => <span className="mono">{method}</span> },
  { title: "Size", number: true, cell: ({ size_bytes }) => bytesText(size_bytes) },
];

function RejectionInspector({
  webhook,
  rejection,
  view,
  onView,
  onClose,
}: {
  webhook: Webhook;
  rejection: Rejection;
  view: string;
  onView: (view: string) => void;
  onClose: () => void;
}): ReactNode {
  const bytes = new TextEncoder().encode(rejection.body);
  return (
    <Inspector title="Refused request" onClose={onClose}>
      <p role="note" className="rounded border border-stop bg-stop-2 px-3 py-2">
        {rejection.reason}
      </p>
      <Facts
        items={[
          ["When", <Time key="at" at={rejection.at} />],
          ["From", <Copyable key="ip" text={rejection.ip} />],
          [
            "Request",
            <code key="method">
              {visibleText(`${rejection.method}${rejection.query === "" ? "" : ` ?${rejection.query}`}`)}
            </code>,
          ],
          ["Size", bytesText(rejection.size_bytes)],
          ["Id", <Copyable key="id" text={rejection.id} />],
        ]}
      />
      <BodyView
        name={rejection.id}
        bytes={bytes}
        text={rejection.body}
        json={jsonOf(rejection.body)}
        view={view}
        onView={onView}
      />
      {bytes.length < rejection.size_bytes && (
        <p className="text-ink-2">Only the beginning of the body is stored, so its signature cannot be checked here.</p>
      )}
      <HeadersView headers={rejection.headers} />
      <SignatureView
        verification={webhook.verification}
        headers={rejection.headers}
        body={bytes}
        receivedAt={rejection.at}
      />
    </Inspector>
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
