import { ENTRY_REFUSALS, TELEMETRY_SETTINGS_ROUTES, type ResultOf } from "@mooring/contract";
import type { ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { useAbsence } from "~/app/absent.tsx";
import { PageLink } from "~/app/page-link.tsx";
import { useMe, useProject } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { BarList } from "~/kit/chart/bar-list.tsx";
import { Copyable } from "~/kit/copy.tsx";
import { SelectField } from "~/kit/field.tsx";
import { countText, plural } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { Inspector, WithInspector } from "~/kit/inspector.tsx";
import { Empty, Facts, Loaded, Page as Frame } from "~/kit/page.tsx";
import { PROSE_LINK } from "~/kit/prose-link.ts";
import { State } from "~/kit/state.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";

type Refused = ResultOf<typeof TELEMETRY_SETTINGS_ROUTES.listRefusedEntries>["items"][number];
type Search = { hours?: string | undefined; open?: string | undefined };

const REFRESH_MS = 10_000;
const HOURS = [
  ["1", "the last hour"],
  ["24", "the last day"],
  ["72", "the last three days"],
] as const;

/** Lists the entries of telemetry that the server refused, by sender and reason, with samples. */
export function Page(): ReactNode {
  const [{ hours = "24", open: openKey }, change] = useSearchState<Search>();
  const project = useProject();
  const refused = useRead(
    TELEMETRY_SETTINGS_ROUTES.listRefusedEntries,
    { query: { hours: Number(hours), ...(project !== null && { project: project.slug }) } },
    { refetchMs: REFRESH_MS },
  );
  return (
    <Frame
      title="Refused entries"
      about="Telemetry that arrived and was not stored, because it was not valid or beyond a limit. The counts are kept for three days. Refreshed every ten seconds."
    >
      <div className="max-w-xs">
        <SelectField
          label="Time"
          value={hours}
          onChange={(event) => change({ hours: event.target.value, open: undefined })}
        >
          {HOURS.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </SelectField>
      </div>
      <h2 className="sr-only">By sender and reason</h2>
      <Loaded result={refused}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No entries were refused in this time">
              <p>An entry that is not valid, too old, or in the future appears here with its sender and the reason.</p>
            </Empty>
          ) : (
            <>
              <ByReason items={items} />
              <RefusedTable
                items={items}
                openKey={openKey}
                onOpen={(key) => change({ open: key === openKey ? undefined : key })}
              />
            </>
          )
        }
      </Loaded>
    </Frame>
  );
}

/** Compares the reasons, so that the greatest one is visible among many rows. */
function ByReason({ items }: { items: readonly Refused[] }): ReactNode {
  const groups = Map.groupBy(items, ({ reason }) => reason);
  const rows = [...groups].map(([reason, of]) => ({
    name: titleOf(reason),
    values: [of.reduce((sum, { entries }) => sum + entries, 0)],
  }));
  if (rows.length < 2) return null;
  return (
    <div className="rounded border border-line bg-sheet p-3.5">
      <BarList label="Refused entries by reason" rows={rows} max={8} />
    </div>
  );
}

interface RefusedTableProps {
  items: readonly Refused[];
  openKey: string | undefined;
  onOpen: (key: string | undefined) => void;
}

function RefusedTable({ items, openKey, onOpen }: RefusedTableProps): ReactNode {
  const open = items.find((item) => keyOf(item) === openKey);
  useAbsence(openKey !== undefined && open === undefined);
  return (
    <WithInspector
      inspector={open !== undefined && <RefusedInspector refused={open} onClose={() => onOpen(undefined)} />}
    >
      <div className="min-h-0 overflow-auto rounded border border-line bg-sheet">
        <Table
          label="Refused entries"
          items={items}
          columns={COLUMNS}
          keyOf={keyOf}
          openKey={openKey}
          onOpen={(item) => onOpen(keyOf(item))}
        />
      </div>
    </WithInspector>
  );
}

const COLUMNS: readonly Column<Refused>[] = [
  { title: "Last", cell: ({ last_at }) => <Time at={last_at} /> },
  { title: "Reason", cell: ({ reason }) => <State kind="stop">{titleOf(reason)}</State> },
  { title: "Sender", grow: true, cell: ({ sender }) => visibleText(sender.name ?? sender.id) },
  { title: "Protocol", cell: ({ protocol }) => protocol },
  { title: "Type", cell: ({ type }) => type },
  { title: "Entries", number: true, cell: ({ entries }) => countText(entries) },
  { title: "Requests", number: true, cell: ({ requests }) => countText(requests) },
];

function RefusedInspector({ refused, onClose }: { refused: Refused; onClose: () => void }): ReactNode {
  const project = useMe()?.projects.find(({ id }) => id === refused.project_id);
  const { sender } = refused;
  return (
    <Inspector title={titleOf(refused.reason)} onClose={onClose}>
      <p role="note" className="rounded border border-stop bg-stop-2 px-3 py-2">
        {ENTRY_REFUSALS[refused.reason]}
      </p>
      <Facts
        items={[
          ["Sender", <SenderLink key="sender" sender={sender} />],
          ["Project", project?.name ?? refused.project_id ?? "none"],
          ["Protocol", refused.protocol],
          ["Type", refused.type],
          ["Refused", `${plural(refused.entries, "entry", "entries")} of ${plural(refused.requests, "request")}`],
          ["Last", <Time key="last" at={refused.last_at} />],
          ["What to do", adviceOf(refused.reason)],
        ]}
      />
      <h3 className="font-medium">Samples</h3>
      {refused.samples.length === 0 && <p className="text-ink-2">There are no samples of these entries.</p>}
      <ul className="flex flex-col gap-3">
        {refused.samples.map(({ at, pointer, detail, entry }, i) => (
          <li key={`${at} ${i}`} className="flex flex-col gap-1 rounded border border-line p-2.5">
            <span className="text-s text-ink-3">
              <Time at={at} /> {pointer !== "" && <code>{visibleText(pointer)}</code>}
            </span>
            <span>{visibleText(detail)}</span>
            {entry !== null && <code className="text-s break-all">{visibleText(entry)}</code>}
          </li>
        ))}
      </ul>
    </Inspector>
  );
}

function SenderLink({ sender }: { sender: Refused["sender"] }): ReactNode {
  return (
    <span className="flex flex-col gap-1">
      {sender.name !== null && <span>{visibleText(sender.name)}</span>}
      <Copyable text={sender.id} />
      {sender.kind === "credential" && (
        <span>
          in{" "}
          <PageLink page="ingest-keys" className={PROSE_LINK}>
            Ingest keys
          </PageLink>{" "}
          or{" "}
          <PageLink page="credentials" className={PROSE_LINK}>
            Credentials
          </PageLink>
        </span>
      )}
    </span>
  );
}

function adviceOf(reason: Refused["reason"]): ReactNode {
  if (reason === "too_old" || reason === "in_future") {
    return (
      <>
        Correct the clock of the sender. To accept such times, change the limits in the{" "}
        <PageLink page="settings" search={{ tab: "telemetry" }} className={PROSE_LINK}>
          settings
        </PageLink>
        .
      </>
    );
  }
  if (reason === "quota") return <PageLink page="usage">See usage and limits</PageLink>;
  if (reason === "busy") return "Nothing, if the sender repeats its requests. Otherwise send the entries again.";
  return "Correct the sender. The samples show the fault.";
}

function titleOf(reason: Refused["reason"]): string {
  const text = reason.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function keyOf({ sender, project_id, protocol, type, reason }: Refused): string {
  return [sender.id, project_id ?? "", protocol, type, reason].join(" ");
}
