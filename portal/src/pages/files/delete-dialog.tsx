import { FILE_ROUTES } from "@mooring/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import type { ProjectsOf } from "~/app/environment.tsx";
import { useOrganization } from "~/app/scope.ts";
import { DangerDialog } from "~/kit/dialog.tsx";
import { Checkbox } from "~/kit/field.tsx";
import { plural } from "~/kit/figures.ts";
import { useSay } from "~/kit/toast.tsx";
import { filesChanged } from "./changed.ts";
import { NameList, typeOf } from "./name-list.tsx";

interface Deletable {
  readonly id: string;
  readonly filename: string;
  readonly versions?: number;
}

interface DeleteDialogProps {
  files: readonly Deletable[];
  /** The projects of the files. */
  projectId: ProjectsOf;
  onDone: () => void;
  onClose: () => void;
}

/** Deletes files one after the other, into the trash or for good. Files that are already deleted count as deleted. */
export function DeleteDialog({ files, projectId, onDone, onClose }: DeleteDialogProps): ReactNode {
  const say = useSay();
  const queries = useQueryClient();
  const { client, slug } = useOrganization();
  const [gone, setGone] = useState(0);
  const [isWanted, setWanted] = useState(false);
  const settings = useRead(FILE_ROUTES.getFileSettings, {});
  const days = settings.data?.data.effective_trash_days;
  const permanent = isWanted || days === 0;
  const remove = useMutation({
    mutationFn: async () => {
      const query = permanent ? { permanent } : {};
      for (const [index, { id }] of files.slice(gone).entries()) {
        await client.call(FILE_ROUTES.deleteFile, { params: { file_id: id }, query });
        setGone(gone + index + 1);
      }
    },
    onSettled: () => filesChanged(queries, slug),
    onSuccess: () => {
      say(`${plural(files.length, "file")} ${permanent ? "deleted for good" : "moved to the trash"}`);
      onClose();
      onDone();
    },
  });
  return (
    <DangerDialog
      title={files.length === 1 ? "Delete this file" : `Delete ${plural(files.length, "file")}`}
      projectId={projectId}
      type={permanent ? typeOf(files) : undefined}
      action={
        remove.isPending ? `${gone} of ${files.length} deleted` : permanent ? "Delete for good" : "Move to the trash"
      }
      busy={remove.isPending || settings.isPending}
      error={remove.error ?? settings.error}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
      about={
        <div className="flex flex-col gap-2">
          <NameList files={files} />
          <p>
            Share links stop working at once. Running downloads may be interrupted.
            {files.some(({ versions = 1 }) => versions > 1) && " Earlier versions stay."}{" "}
            {permanent
              ? "This cannot be undone."
              : days !== undefined &&
                `You can restore it from the trash for ${plural(days, "day")}. Until then its bytes count towards the quota.`}
          </p>
          {days !== 0 && (
            <Checkbox
              label="Delete permanently, without the trash"
              checked={isWanted}
              onChange={({ target }) => setWanted(target.checked)}
            />
          )}
        </div>
      }
    />
  );
}
