import type { Client } from "@mooring/client";
import { BUCKET_ROUTES } from "@mooring/contract";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState, type ReactNode } from "react";
import { useOrganization } from "~/app/scope.ts";
import { DangerDialog } from "~/kit/dialog.tsx";
import { countText, plural } from "~/kit/figures.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { useSay } from "~/kit/toast.tsx";
import type { Bucket, Line } from "./objects.ts";
import { useObjectsChanged } from "./use-objects.ts";

const AT_ONCE = 500;
const NAMES_SHOWN = 8;

interface Wanted {
  readonly key: string;
  readonly version_id?: string;
}

interface DeleteObjectsDialogProps {
  bucket: Bucket;
  lines: readonly Line[];
  onDone: () => void;
  onClose: () => void;
}

/** Deletes objects, versions, and folders with their content. */
export function DeleteObjectsDialog({ bucket, lines, onDone, onClose }: DeleteObjectsDialogProps): ReactNode {
  const say = useSay();
  const { client } = useOrganization();
  const changed = useObjectsChanged();
  const [gone, setGone] = useState(0);
  const isClosed = useRef(false);
  const remove = useMutation({
    mutationFn: async () => {
      let count = 0;
      for await (const some of wantedOf(client, bucket.app_id, lines)) {
        if (isClosed.current) return count;
        count += await deleteSome(client, bucket.app_id, some);
        setGone(count);
      }
      return count;
    },
    onSettled: changed,
    onSuccess: (count) => {
      say(`${plural(count, "object")} deleted`);
      onClose();
      onDone();
    },
  });
  const close = (): void => {
    isClosed.current = true;
    onClose();
  };
  return (
    <DangerDialog
      title={`Delete ${lines.length === 1 ? "this" : plural(lines.length, "row")} from ${bucket.bucket}`}
      type={isForGood(bucket, lines) ? bucket.bucket : undefined}
      projectId={bucket.project_id}
      action={remove.isPending ? `${countText(gone)} deleted` : "Delete"}
      busy={remove.isPending}
      error={remove.error}
      onClose={close}
      onConfirm={() => remove.mutate()}
      about={<About bucket={bucket} lines={lines} />}
    />
  );
}

function About({ bucket, lines }: Pick<DeleteObjectsDialogProps, "bucket" | "lines">): ReactNode {
  const hidden = lines.length - NAMES_SHOWN;
  return (
    <div className="flex flex-col gap-2">
      <ul className="max-h-48 overflow-auto [overflow-wrap:anywhere]">
        {lines.slice(0, NAMES_SHOWN).map((line) => (
          <li key={`${line.kind} ${line.key} ${"version_id" in line ? line.version_id : ""}`} className="mono">
            <ForeignText text={line.key} />
            {line.kind === "prefix" && <span className="font-sans text-ink-2"> and its content</span>}
            {line.kind === "version" && <span className="font-sans text-ink-2"> this version</span>}
            {line.kind === "delete_marker" && <span className="font-sans text-ink-2"> the delete marker</span>}
          </li>
        ))}
        {hidden > 0 && <li className="text-ink-2">and {countText(hidden)} more</li>}
      </ul>
      <p>
        {isForGood(bucket, lines)
          ? "This cannot be undone. Links to deleted objects stop working."
          : "The bucket has versions: a deleted object leaves a delete marker. Delete the marker to restore it."}
      </p>
    </div>
  );
}

/** Whether the deletion can't be undone: without versions, or for a single version. */
function isForGood({ versioning }: Bucket, lines: readonly Line[]): boolean {
  return versioning !== "enabled" || lines.some(({ kind }) => kind === "version");
}

/** Yields the objects to delete in batches. Folders are listed during the deletion. */
async function* wantedOf(client: Client, app: string, lines: readonly Line[]): AsyncIterable<readonly Wanted[]> {
  const plain = lines.filter(({ kind }) => kind !== "prefix").map(wantedBy);
  for (let at = 0; at < plain.length; at += AT_ONCE) yield plain.slice(at, at + AT_ONCE);
  for (const { key: prefix } of lines.filter(({ kind }) => kind === "prefix")) {
    let cursor: string | undefined;
    do {
      const query = { prefix, limit: AT_ONCE, ...(cursor === undefined ? {} : { cursor }) };
      const page = await client.call(BUCKET_ROUTES.listObjects, { params: { app_id: app }, query });
      if (page.items.length > 0) yield page.items.map(({ key }) => ({ key }));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }
}

function wantedBy(line: Line): Wanted {
  const version = line.kind === "version" || line.kind === "delete_marker" ? line.version_id : null;
  return { key: line.key, ...(version === null ? {} : { version_id: version }) };
}

/** Deletes objects and returns how many. @throws Error with the reason for the first object that was not deleted */
async function deleteSome(client: Client, app: string, objects: readonly Wanted[]): Promise<number> {
  const { items } = await client.call(BUCKET_ROUTES.deleteObjects, {
    params: { app_id: app },
    body: { objects: [...objects] },
  });
  const kept = items.filter(({ error }) => error !== null);
  const [first] = kept;
  if (first?.error !== null && first !== undefined)
    throw new Error(`${plural(kept.length, "object")} not deleted. ${first.key}: ${first.error.detail}`);
  return items.length;
}
