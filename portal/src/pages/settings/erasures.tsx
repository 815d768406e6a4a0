import { TELEMETRY_SETTINGS_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useList, useRead } from "~/api/queries.ts";
import { useNamed } from "~/app/absent.tsx";
import { useMayIn } from "~/app/may.ts";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock, Copyable } from "~/kit/copy.tsx";
import { countText, plural } from "~/kit/figures.ts";
import { Inspector, WithInspector } from "~/kit/inspector.tsx";
import { useNames } from "~/kit/names.ts";
import { Empty, Facts, Section } from "~/kit/page.tsx";
import { State, type StateKind } from "~/kit/state.tsx";
import { ListTable, Table, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { ErasureDialog } from "./erasure-dialog.tsx";

type Erasure = ResultOf<typeof TELEMETRY_SETTINGS_ROUTES.getTelemetryErasure>;
type Share = Erasure["directories"][number];

const REFRESH_MS = 3_000;

/** Lists erasures with their progress, and requests new ones. */
export function Erasures(): ReactNode {
  const mayWrite = useMayIn(null, "org:write");
  const [{ erasure: openId }, change] = useSearchState<{ erasure?: string | undefined }>();
  const [isCreating, setCreating] = useState(false);
  const list = useList(
    TELEMETRY_SETTINGS_ROUTES.listTelemetryErasures,
    {},
    { enabled: mayWrite, refetchMs: REFRESH_MS },
  );
  const open = useOpen(openId, list.items);
  const create = (
    <Button
      disabled={!mayWrite}
      title={mayWrite ? undefined : "Your role lacks org:write"}
      onClick={() => setCreating(true)}
    >
      Erase rows…
    </Button>
  );
  if (!mayWrite)
    return (
      <Section title="Erasures">
        <p className="text-ink-2">
          To see and request erasures, you need <code>org:write</code>, which your role lacks.
        </p>
      </Section>
    );
  return (
    <>
      <WithInspector
        inspector={
          open !== undefined && (
            <ErasureInspector key={open.id} erasure={open} onClose={() => change({ erasure: undefined })} />
          )
        }
      >
        <Section
          title="Erasures"
          about="Matching rows are permanently removed from all files, in all projects, including private ones."
          actions={create}
          flush
        >
          <ListTable
            label="Erasures"
            list={list}
            columns={COLUMNS}
            keyOf={({ id }) => id}
            openKey={openId}
            onOpen={({ id }) => change({ erasure: id === openId ? undefined : id })}
            empty={<NoErasures />}
          />
        </Section>
      </WithInspector>
      {isCreating && (
        <ErasureDialog
          onClose={() => setCreating(false)}
          onCreated={(id) => {
            setCreating(false);
            change({ erasure: id });
          }}
        />
      )}
    </>
  );
}

/** Returns the erasure that the address names: from the list if it is loaded there, otherwise read by its id. */
function useOpen(id: string | undefined, listed: readonly Erasure[]): Erasure | undefined {
  const known = listed.find((erasure) => erasure.id === id);
  const enabled = id !== undefined && known === undefined;
  const params = { erasure_id: id ?? "" };
  const { data } = useNamed(useRead(TELEMETRY_SETTINGS_ROUTES.getTelemetryErasure, { params }, { enabled }));
  return known ?? (data?.id === id ? data : undefined);
}

const STATES: Readonly<Record<Erasure["state"], readonly [StateKind, string]>> = {
  pending: ["none", "waiting"],
  running: ["warn", "at work"],
  done: ["go", "done"],
  failed: ["stop", "failed"],
};

function ErasureState({ state }: { state: Erasure["state"] }): ReactNode {
  const [kind, text] = STATES[state];
  return <State kind={kind}>{text}</State>;
}

const COLUMNS: readonly Column<Erasure>[] = [
  { title: "Id", cell: ({ id }) => <span className="mono">{id}</span> },
  { title: "State", cell: ({ state }) => <ErasureState state={state} /> },
  { title: "Types", cell: ({ types }) => types.join(", ") },
  { title: "Rows erased", number: true, cell: ({ rows_erased }) => countText(rows_erased) },
  { title: "Done by", cell: ({ directories }) => <Progress of={directories} /> },
  { title: "Asked for", cell: ({ created_at }) => <Time at={created_at} /> },
  { title: "Finished", cell: ({ finished_at }) => <Time at={finished_at} none="not yet" /> },
];

function Progress({ of: directories }: { of: readonly Share[] }): ReactNode {
  const done = directories.filter(({ state }) => state === "done").length;
  return (
    <span>
      {done} of {plural(directories.length, "directory", "directories")}
    </span>
  );
}

function ErasureInspector({ erasure, onClose }: { erasure: Erasure; onClose: () => void }): ReactNode {
  const nameOf = useNames();
  return (
    <Inspector title="Erasure" onClose={onClose}>
      <div role="status">
        <ErasureState state={erasure.state} />
      </div>
      {erasure.state === "failed" && (
        <p role="note" className="rounded border border-stop bg-stop-2 px-3 py-2">
          A file could not be rewritten; the server’s log has the reason. Fix it, then request the erasure again.
        </p>
      )}
      <Facts
        items={[
          ["Id", <Copyable key="id" text={erasure.id} />],
          ["Types", erasure.types.join(", ")],
          ["Rows erased", countText(erasure.rows_erased)],
          ["Rewritten files", countText(erasure.files_rewritten)],
          ["Requested by", nameOf(erasure.created_by) ?? erasure.created_by],
          ["Asked for", <Time key="created" at={erasure.created_at} />],
          ["Finished", <Time key="finished" at={erasure.finished_at} none="not yet" />],
          ["Digest", <Copyable key="digest" text={erasure.match_digest} />],
        ]}
      />
      <p className="text-ink-2">
        The conditions are deleted when the erasure is done. The audit log has the digest of the request; the same
        request has the same digest. Backups still have the rows, so after a restore, request the erasure again.
      </p>
      <h3>Directories</h3>
      <div className="rounded border border-line">
        <Table label="Directories" items={erasure.directories} columns={SHARES} keyOf={({ id }) => id} />
      </div>
      {erasure.quarantined.length > 0 && (
        <>
          <h3>Files that a person must check</h3>
          <ul className="list-disc pl-5">
            {erasure.quarantined.map((file) => (
              <li key={file}>
                <code>{file}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </Inspector>
  );
}

const SHARES: readonly Column<Share>[] = [
  { title: "Directory", cell: ({ id }) => <span className="mono">{id}</span> },
  { title: "State", cell: ({ state }) => <ErasureState state={state} /> },
  { title: "Rows", number: true, cell: ({ rows_erased }) => countText(rows_erased) },
  { title: "Finished", cell: ({ finished_at }) => <Time at={finished_at} none="not yet" /> },
  { title: "Note", cell: ({ detail }) => detail ?? "" },
];

function NoErasures(): ReactNode {
  return (
    <Empty title="There are no erasures">
      <p>Use an erasure to delete a person’s data: matching rows are removed from all files. From a terminal:</p>
      <CopyBlock
        label="Command that requests an erasure"
        text={`curl -sS ${location.origin}/v1/telemetry/erasures -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\\n  -d '{"types": ["logs", "traces"], "match": {"attributes": {"user": "ann@example.org"}}}'`}
      />
    </Empty>
  );
}
