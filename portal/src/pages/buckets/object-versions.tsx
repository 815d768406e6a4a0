import { BUCKET_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct, useList } from "~/api/queries.ts";
import { useAbsence } from "~/app/absent.tsx";
import { useWhyNotIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { bytesText } from "~/kit/figures.ts";
import { State } from "~/kit/state.tsx";
import { More } from "~/kit/table.tsx";
import { useTextSearchState } from "~/kit/text-search-state.ts";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import { DeleteObjectsDialog } from "./delete-objects-dialog.tsx";
import type { Bucket, Line, ObjectSearch } from "./objects.ts";
import { useObjectsChanged } from "./use-objects.ts";

type Version = Extract<Line, { version_id: string | null }>;

interface ObjectVersionsProps {
  bucket: Bucket;
  objectKey: string;
  /** The shown version; undefined: the current one. */
  version: string | undefined;
}

/** Lists all versions of a key, newest first. A delete marker can be removed. */
export function ObjectVersions({ bucket, objectKey: key, version }: ObjectVersionsProps): ReactNode {
  const list = useList(BUCKET_ROUTES.listObjectVersions, {
    params: { app_id: bucket.app_id },
    query: { key, limit: 50 },
    purpose: "list the versions",
  });
  const [deleting, setDeleting] = useState<Line | null>(null);
  const [, setSearch] = useTextSearchState<ObjectSearch>();
  useAbsence(!list.isPending && list.error === null && list.items.length === 0);
  return (
    <>
      <h3>Versions</h3>
      {list.error !== null && <ErrorNote error={list.error} />}
      <ul className="flex flex-col">
        {list.items.map((each) => (
          <VersionRow
            key={each.version_id}
            bucket={bucket}
            line={each}
            isShown={version === undefined ? each.is_latest : each.version_id === version}
            onDelete={() => setDeleting(each)}
          />
        ))}
      </ul>
      {list.hasMore && <More list={list} />}
      {deleting !== null && (
        <DeleteObjectsDialog
          bucket={bucket}
          lines={[deleting]}
          onDone={() => list.items.length === 1 && setSearch({ object: undefined, version: undefined })}
          onClose={() => setDeleting(null)}
        />
      )}
    </>
  );
}

interface VersionRowProps {
  bucket: Bucket;
  line: Version;
  isShown: boolean;
  onDelete: () => void;
}

function VersionRow({ bucket, line, isShown, onDelete }: VersionRowProps): ReactNode {
  const [, setSearch] = useTextSearchState<ObjectSearch>();
  const why = useWhyNotIn(bucket.project_id, BUCKET_ROUTES.deleteObjects.permission);
  const isMarker = line.kind === "delete_marker";
  return (
    <li className="flex min-h-[30px] flex-wrap items-center gap-x-3 border-t border-line py-0.5">
      {line.last_modified !== null && <Time at={line.last_modified} />}
      {isMarker ? <State kind="stop">deleted</State> : <span className="mono">{bytesText(line.size_bytes ?? 0)}</span>}
      {line.is_latest && <span className="text-ink-2">newest</span>}
      <span className="ml-auto flex flex-wrap gap-2">
        {isMarker && line.is_latest && <UndoButton bucket={bucket} line={line} why={why} />}
        {!isMarker && !isShown && (
          <Button onClick={() => setSearch({ version: line.version_id ?? undefined })}>Show</Button>
        )}
        {!isMarker && !line.is_latest && (
          <Button look="danger" disabled={why !== undefined} title={why} onClick={onDelete}>
            Delete…
          </Button>
        )}
      </span>
    </li>
  );
}

function UndoButton({ bucket, line, why }: { bucket: Bucket; line: Version; why: string | undefined }): ReactNode {
  const say = useSay();
  const changed = useObjectsChanged();
  const undo = useAct(BUCKET_ROUTES.deleteObjects, {
    onDone: ({ items }) => {
      changed();
      const error = items[0]?.error ?? null;
      if (error === null) say("The object is restored");
      else say(error.detail, "stop");
    },
  });
  return (
    <>
      <Button
        busy={undo.isPending}
        disabled={why !== undefined}
        title={why}
        onClick={() =>
          undo.mutate({
            params: { app_id: bucket.app_id },
            body: { objects: [{ key: line.key, version_id: line.version_id ?? "" }] },
          })
        }
      >
        Undo the deletion
      </Button>
      <ErrorNote error={undo.error} />
    </>
  );
}
