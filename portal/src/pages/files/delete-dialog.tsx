import { FILE_ROUTES } from "@mooring/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import type { ProjectsOf } from "~/app/environment.tsx";
import { useOrganization } from "~/app/scope.ts";
import { DangerDialog } from "~/kit/dialog.tsx";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { plural } from "~/kit/figures.ts";
import { isTypable } from "~/kit/foreign.ts";
import { useSay } from "~/kit/toast.tsx";

interface Deletable {
  readonly id: string;
  readonly filename: string;
}

interface DeleteDialogProps {
  files: readonly Deletable[];
  /** The projects that they are in. */
  projectId: ProjectsOf;
  onDone: () => void;
  onClose: () => void;
}

/** Deletes one file or several, one after the other; those that are gone already count as deleted. */
export function DeleteDialog({ files, projectId, onDone, onClose }: DeleteDialogProps): ReactNode {
  const say = useSay();
  const queries = useQueryClient();
  const { client, slug } = useOrganization();
  const [gone, setGone] = useState(0);
  const [single] = files.length === 1 ? files : [];
  const remove = useMutation({
    mutationFn: async () => {
      for (const [index, { id }] of files.slice(gone).entries()) {
        await client.call(FILE_ROUTES.deleteFile, { params: { file_id: id } });
        setGone(gone + index + 1);
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: [slug, FILE_ROUTES.listFiles.operationId] }),
    onSuccess: () => {
      say(`${plural(files.length, "file")} deleted`);
      onClose();
      onDone();
    },
  });
  return (
    <DangerDialog
      title={single === undefined ? `Delete ${plural(files.length, "file")}` : "Delete this file"}
      projectId={projectId}
      type={typeOf(files)}
      action={remove.isPending ? `${gone} of ${files.length} deleted` : "Delete"}
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
      about={
        <div className="flex flex-col gap-2">
          <ul className="max-h-40 overflow-auto">
            {files.slice(0, 20).map(({ id, filename }) => (
              <li key={id} className="mono [overflow-wrap:anywhere]">
                <ForeignText text={filename} />
              </li>
            ))}
            {files.length > 20 && <li>and {files.length - 20} more</li>}
          </ul>
          <p>
            Share links end at once, and downloads that are going on break off or come to their end. There is no trash:
            this can't be undone.
          </p>
        </div>
      }
    />
  );
}

/** The name itself where it can be typed as it looks. */
function typeOf(files: readonly Deletable[]): string {
  const [first] = files;
  if (files.length > 1 || first === undefined) return `delete ${files.length} files`;
  return isTypable(first.filename) ? first.filename : "delete";
}
