import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct, useRead } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { InlineBar } from "~/kit/chart/inline-bar.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { bytesText, plural } from "~/kit/figures.ts";
import { Empty, Facts, Loaded, Section } from "~/kit/page.tsx";
import { State, type StateKind } from "~/kit/state.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import { RestoreDialog } from "./restore-dialog.tsx";

type Backups = ResultOf<typeof PORTAL_ROUTES.listBackups>;
type Backup = Backups["items"][number];

const REFRESH_MS = 3_000;
const KINDS: Record<Backup["state"], StateKind> = { good: "go", damaged: "stop" };

const COMMAND = "mooring backup --to /mnt/backups --data-dir ./data";

/** Lists the backups, and creates a new one. */
export function BackupSection({ paused }: { paused: boolean }): ReactNode {
  const backups = useRead(PORTAL_ROUTES.listBackups, {}, paused ? {} : { refetchMs: REFRESH_MS });
  const { data } = backups;
  const good = data?.items.filter(({ state }) => state === "good") ?? [];
  return (
    <Section
      title="Backups"
      about={data && plural(good.length, "good backup")}
      actions={data && <BackUpButton backups={data} />}
      flush
    >
      <Loaded result={backups}>
        {(now) => (
          <>
            <div className="flex flex-col gap-3 p-3.5">
              <LastState backups={now} />
            </div>
            <BackupTable backups={now} />
            <RestoreTable paused={paused} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function BackUpButton({ backups }: { backups: Backups }): ReactNode {
  const say = useSay();
  const create = useAct(PORTAL_ROUTES.createBackup, {
    changes: [PORTAL_ROUTES.listBackups],
    onDone: () => say("The backup has started."),
  });
  const why = backups.reason ?? (backups.running === null ? undefined : `A ${backups.running} is running.`);
  return (
    <>
      <ErrorNote error={create.error} />
      <Button
        look="main"
        busy={create.isPending}
        disabled={why !== undefined}
        title={why}
        onClick={() => create.mutate({ body: {}, purpose: "make a backup" })}
      >
        Back up now
      </Button>
    </>
  );
}

/** Shows the state of backups: the last good one, a failure, or a running one. */
function LastState({ backups }: { backups: Backups }): ReactNode {
  const {
    directory,
    reason,
    failure,
    running,
    running_since: since,
    interval_hours: hours,
    keep,
    key,
    trial,
  } = backups;
  const newest = backups.items.find(({ state }) => state === "good")?.made ?? null;
  return (
    <>
      {reason !== null && <p>{reason}</p>}
      {failure !== null && (
        <div role="alert" className="[overflow-wrap:anywhere]">
          <State kind="stop">The last backup failed</State> <Time at={failure.at} />
          <p>{failure.detail}</p>
        </div>
      )}
      <Facts
        items={[
          ["Last good", newest === null ? <State kind="warn">none</State> : <Time key="last" at={newest.started_at} />],
          [
            "Now",
            since === null ? (
              "nothing runs"
            ) : (
              <span key="now">
                {running} since <Time at={since} />
              </span>
            ),
          ],
          ["Place", directory === null ? "not set" : <code key="dir">{directory}</code>],
          ["Schedule", hours === 0 ? "none" : `every ${plural(hours, "hour")}`],
          ["Kept", keptText(keep)],
          ["Key", key === null ? "none yet" : <KeyState key="key" backupKey={key} />],
          ["Trial restore", trial === null ? "none yet" : <TrialState key="trial" trial={trial} />],
        ]}
      />
      <p className="max-w-[80ch] text-s text-ink-2">
        A backup contains all data that was acknowledged before it started, but not the master key. It is encrypted:
        keep <code>backup.key</code> and <code>master.key</code> in another place. A place on the same disk does not
        protect against a broken disk.
      </p>
    </>
  );
}

function keptText({ latest, hourly, daily, weekly, monthly }: Backups["keep"]): string {
  return `the newest ${latest}, and those of ${plural(hourly, "hour")}, ${plural(daily, "day")}, ${plural(weekly, "week")}, ${plural(monthly, "month")}`;
}

function KeyState({ backupKey: { id, confirmed } }: { backupKey: NonNullable<Backups["key"]> }): ReactNode {
  return (
    <>
      <code>{id}</code>{" "}
      {confirmed ? (
        "a copy was confirmed"
      ) : (
        <State kind="warn">no copy elsewhere was confirmed: run mooring backup key</State>
      )}
    </>
  );
}

function TrialState({ trial }: { trial: NonNullable<Backups["trial"]> }): ReactNode {
  return (
    <>
      <State kind={trial.ok ? "go" : "stop"}>{trial.ok ? "succeeded" : "failed"}</State> <Time at={trial.at} />{" "}
      {trial.detail}
    </>
  );
}

function BackupTable({ backups }: { backups: Backups }): ReactNode {
  const [deleting, setDeleting] = useState<Backup | null>(null);
  const [restoring, setRestoring] = useState<string | null>(null);
  if (backups.items.length === 0)
    return (
      <Empty title="No backup yet">
        <p>A backup has the state of this server at one moment.</p>
        <CopyBlock text={COMMAND} label="command that makes a backup" />
      </Empty>
    );
  const largest = Math.max(1, ...backups.items.map(({ made }) => made?.bytes ?? 0));
  return (
    <>
      <Table
        label="Backups, newest first"
        columns={columns(setDeleting, setRestoring, largest)}
        items={backups.items}
        keyOf={({ name }) => name}
      />
      {restoring !== null && <RestoreDialog backup={restoring} onClose={() => setRestoring(null)} />}
      {deleting !== null && <DeleteDialog backup={deleting} onClose={() => setDeleting(null)} />}
    </>
  );
}

function columns(
  onDelete: (backup: Backup) => void,
  onRestore: (name: string) => void,
  largest: number,
): readonly Column<Backup>[] {
  return [
    { title: "Name", grow: true, cell: ({ name }) => <code>{name}</code> },
    { title: "State", cell: ({ state, fault }) => <State kind={KINDS[state]}>{fault ?? state}</State> },
    { title: "Of", cell: ({ made }) => made !== null && <Time at={made.started_at} /> },
    { title: "Files", number: true, cell: ({ made }) => made?.files ?? "" },
    { title: "Size", number: true, cell: ({ made }) => made !== null && bytesText(made.bytes) },
    { title: "Compared", cell: ({ made }) => made !== null && <InlineBar share={made.bytes / largest} /> },
    { title: "New", number: true, cell: ({ made }) => made !== null && bytesText(made.added_bytes) },
    { title: "Version", cell: ({ made }) => made !== null && <code>{made.version}</code> },
    {
      title: "Restore",
      cell: ({ name, state }) =>
        state === "good" && (
          <Button look="quiet" className="h-6" aria-label={`Restore a part of ${name}`} onClick={() => onRestore(name)}>
            Restore
          </Button>
        ),
    },
    {
      title: "Delete",
      cell: (backup) => (
        <Button look="quiet" className="h-6" aria-label={`Delete ${backup.name}`} onClick={() => onDelete(backup)}>
          Delete
        </Button>
      ),
    },
  ];
}

function DeleteDialog({ backup, onClose }: { backup: Backup; onClose: () => void }): ReactNode {
  const say = useSay();
  const remove = useAct(PORTAL_ROUTES.deleteBackup, {
    changes: [PORTAL_ROUTES.listBackups],
    onDone: () => {
      say(`${backup.name} was deleted.`);
      onClose();
    },
  });
  const isGood = backup.state === "good";
  return (
    <DangerDialog
      title="Delete the backup"
      about={
        isGood
          ? "It is deleted permanently. Data that is only in this backup is lost."
          : "It can't be read, so nothing can be restored from it."
      }
      type={isGood ? backup.name : undefined}
      action="Delete"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params: { name: backup.name }, purpose: "delete the backup" })}
      onClose={onClose}
    />
  );
}

type Restore = ResultOf<typeof PORTAL_ROUTES.listRestores>["items"][number];

const RESTORE_KINDS: Record<Restore["state"], StateKind> = { running: "none", done: "go", failed: "stop" };

/** Lists the restores of parts of backups. */
function RestoreTable({ paused }: { paused: boolean }): ReactNode {
  const { data } = useRead(PORTAL_ROUTES.listRestores, {}, paused ? {} : { refetchMs: REFRESH_MS });
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Table
      label="Restores of parts since the start, newest first"
      columns={RESTORE_COLUMNS}
      items={data.items}
      keyOf={({ id }) => id}
    />
  );
}

const RESTORE_COLUMNS: readonly Column<Restore>[] = [
  {
    title: "Restored part",
    grow: true,
    cell: ({ kind, organization, name }) => (
      <>
        {kind} <code>{[organization, name].filter((part) => part !== null).join("/")}</code>
      </>
    ),
  },
  { title: "State", cell: ({ state }) => <State kind={RESTORE_KINDS[state]}>{state}</State> },
  { title: "Began", cell: ({ started_at: at }) => <Time at={at} /> },
  { title: "Credentials", cell: ({ credentials }) => credentials },
  { title: "Result", cell: ({ detail }) => detail ?? "" },
];
