import { FILE_ROUTES } from "@mooring/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useWhyNotHere, useWhyNotIn } from "~/app/may.ts";
import { useMe, useOrganization } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { bytesText, countText, plural } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { useNames } from "~/kit/names.ts";
import { Empty, Section } from "~/kit/page.tsx";
import { curlOf } from "~/kit/shell.ts";
import { ListTable, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import { filesChanged } from "./changed.ts";
import type { TrashedFile } from "./files.ts";
import { NameList, typeOf } from "./name-list.tsx";
import { TrashDaysDialog } from "./trash-days-dialog.tsx";
import { useTrash, type TrashList } from "./use-files.ts";

/** Lists deleted files. Each can be restored or deleted for good, and the trash can be emptied. */
export function Trash({ project, onBack }: { project: string | undefined; onBack: () => void }): ReactNode {
  const list = useTrash(project);
  const whyNotEmpty = useWhyNotHere(FILE_ROUTES.emptyTrash.permission);
  const whyNotChange = useWhyNotIn(null, FILE_ROUTES.updateFileSettings.permission);
  const [dialog, setDialog] = useState<"empty" | "days" | null>(null);
  const nameOf = useNames();
  const me = useMe();
  const { total = 0, bytes, days } = list;
  return (
    <Section
      title="Trash"
      flush
      about={
        <span role="status">
          {total > 0 && `${plural(total, "file")}, ${bytesText(bytes)}, which count towards the quota. `}
          {days !== undefined && keptText(days)}
        </span>
      }
      actions={
        <>
          <Button disabled={whyNotChange !== undefined} title={whyNotChange} onClick={() => setDialog("days")}>
            Change the days…
          </Button>
          <Button
            look="danger"
            disabled={whyNotEmpty !== undefined || total === 0}
            title={whyNotEmpty}
            onClick={() => setDialog("empty")}
          >
            Empty the trash…
          </Button>
        </>
      }
    >
      <ListTable
        label="files in the trash"
        list={list}
        keyOf={({ id }) => id}
        empty={<NothingDeleted onBack={onBack} />}
        columns={columnsOf(nameOf, (id) => me?.projects.find((each) => each.id === id)?.slug ?? id)}
      />
      {dialog === "days" && <TrashDaysDialog onClose={() => setDialog(null)} />}
      {dialog === "empty" && <EmptyDialog list={list} project={project} onClose={() => setDialog(null)} />}
    </Section>
  );
}

function keptText(days: number): string {
  return days === 0 ? "Deleted files are not kept." : `Deleted files are kept for ${plural(days, "day")}.`;
}

function columnsOf(nameOf: (id: string) => string | undefined, slugOf: (id: string) => string): Column<TrashedFile>[] {
  return [
    { title: "Name", grow: true, cell: ({ filename }) => <ForeignText text={filename} /> },
    { title: "Size", number: true, cell: ({ size_bytes }) => bytesText(size_bytes) },
    { title: "Project", cell: ({ project_id: id }) => (id === null ? "the organization" : slugOf(id)) },
    { title: "Deleted", cell: ({ deleted_at }) => <Time at={deleted_at} /> },
    { title: "By", cell: ({ deleted_by: id }) => (id === null ? "the server" : visibleText(nameOf(id) ?? id)) },
    { title: "Gone", cell: ({ purge_at }) => <Time at={purge_at} /> },
    { title: "Actions", cell: (file) => <Actions file={file} /> },
  ];
}

function Actions({ file }: { file: TrashedFile }): ReactNode {
  const { client, slug } = useOrganization();
  const queries = useQueryClient();
  const say = useSay();
  const whyNotRestore = useWhyNotIn(file.project_id, FILE_ROUTES.restoreFile.permission);
  const whyNotPurge = useWhyNotIn(file.project_id, FILE_ROUTES.purgeFile.permission);
  const [isPurging, setPurging] = useState(false);
  const name = visibleText(file.filename);
  const restore = useMutation({
    mutationFn: () => client.call(FILE_ROUTES.restoreFile, { params: { file_id: file.id } }),
    onSuccess: () => say(`${name} is restored`),
    onSettled: () => filesChanged(queries, slug),
  });
  return (
    <span className="flex items-center gap-2">
      <Button
        busy={restore.isPending}
        disabled={whyNotRestore !== undefined}
        title={whyNotRestore}
        onClick={() => restore.mutate()}
      >
        Restore<span className="sr-only"> {name}</span>
      </Button>
      <Button look="danger" disabled={whyNotPurge !== undefined} title={whyNotPurge} onClick={() => setPurging(true)}>
        Delete for good…<span className="sr-only"> {name}</span>
      </Button>
      <ErrorNote error={restore.error} />
      {isPurging && <PurgeDialog file={file} onClose={() => setPurging(false)} />}
    </span>
  );
}

function PurgeDialog({ file, onClose }: { file: TrashedFile; onClose: () => void }): ReactNode {
  const { client, slug } = useOrganization();
  const queries = useQueryClient();
  const say = useSay();
  const purge = useMutation({
    mutationFn: () => client.call(FILE_ROUTES.purgeFile, { params: { file_id: file.id } }),
    onSuccess: async () => {
      say("1 file deleted permanently");
      onClose();
      await filesChanged(queries, slug);
    },
  });
  return (
    <DangerDialog
      title="Delete this file for good"
      projectId={file.project_id}
      type={typeOf([file])}
      action="Delete for good"
      busy={purge.isPending}
      error={purge.error}
      onClose={onClose}
      onConfirm={() => purge.mutate()}
      about={
        <div className="flex flex-col gap-2">
          <NameList files={[file]} />
          <p>{bytesText(file.size_bytes)} will be free at once. This cannot be undone.</p>
        </div>
      }
    />
  );
}

interface EmptyDialogProps {
  list: TrashList;
  project: string | undefined;
  onClose: () => void;
}

function EmptyDialog({ list, project, onClose }: EmptyDialogProps): ReactNode {
  const { total = 0, bytes } = list;
  const { client, slug } = useOrganization();
  const queries = useQueryClient();
  const say = useSay();
  const empty = useMutation({
    mutationFn: async () => (await client.call(FILE_ROUTES.emptyTrash, { query: { project } })).data,
    onSuccess: ({ files, bytes: free }) => {
      say(`${plural(files, "file")} deleted for good, ${bytesText(free)} freed`);
      onClose();
    },
    onSettled: () => filesChanged(queries, slug),
  });
  return (
    <DangerDialog
      title="Empty the trash"
      projectId={list.items.map((file) => file.project_id)}
      type="empty the trash"
      action="Delete all for good"
      busy={empty.isPending}
      error={empty.error}
      onClose={onClose}
      onConfirm={() => empty.mutate()}
      about={
        <p>
          {countText(total)} {total === 1 ? "file" : "files"} ({bytesText(bytes)}){" "}
          {project === undefined ? "of every project that you see" : "of this project"} will be deleted for good. This
          cannot be undone.
        </p>
      }
    />
  );
}

function NothingDeleted({ onBack }: { onBack: () => void }): ReactNode {
  return (
    <Empty title="The trash is empty" action={<Button onClick={onBack}>Back to the files</Button>}>
      <p>Deleted files are listed here. You can restore them until their retention ends.</p>
      <CopyBlock text={curlOf(`${location.origin}/v1/files/trash`)} />
    </Empty>
  );
}
