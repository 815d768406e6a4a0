import { useEffect, useState, useSyncExternalStore, type ReactNode } from "react";
import type { PreviousUpload } from "tus-js-client";
import { Button, IconButton } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { bytesText, durationText, plural } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { Time } from "~/kit/time.tsx";
import { useTextSearchState } from "~/kit/text-search-state.ts";
import { ProgressBar } from "~/kit/progress-bar.tsx";
import type { SearchState } from "./search.ts";
import { percentOf, remainingMs, summaryOf, type UploadView } from "./upload-queue.ts";
import type { Uploads } from "./uploads.ts";
import { useUploadViews } from "./use-uploads.ts";

/** Shows the running uploads, and unfinished ones of an earlier visit. */
export function UploadTray({ uploads }: { uploads: Uploads }): ReactNode {
  const views = useUploadViews(uploads);
  const leftovers = useLeftovers(uploads);
  if (views.length === 0 && leftovers.length === 0) return null;
  const unfinished = views.filter(({ state }) => state !== "done");
  return (
    <Section
      title="Uploads"
      about={
        <span role="status" aria-live="polite">
          {summaryOf(views)}
        </span>
      }
      flush
      actions={
        <>
          {unfinished.some(({ state }) => state === "sending" || state === "waiting") && (
            <Button onClick={() => unfinished.forEach(({ id, state }) => state !== "failed" && uploads.pause(id))}>
              Pause all
            </Button>
          )}
          {unfinished.some(({ state }) => state === "paused" || state === "failed") && (
            <Button onClick={() => unfinished.forEach(({ id, state }) => state !== "sending" && uploads.resume(id))}>
              Resume all
            </Button>
          )}
          {views.length > unfinished.length && <Button onClick={() => uploads.forgetDone()}>Clear finished</Button>}
        </>
      }
    >
      <ul className="max-h-64 overflow-auto" tabIndex={0} aria-label="uploads">
        {views.map((view) => (
          <UploadRow key={view.id} view={view} uploads={uploads} />
        ))}
        {leftovers.map((upload) => (
          <Leftover key={upload.urlStorageKey} upload={upload} onGiveUp={() => void uploads.giveUp(upload)} />
        ))}
      </ul>
    </Section>
  );
}

/** Returns unfinished uploads of earlier visits. They are read again when an upload starts or ends. */
function useLeftovers(uploads: Uploads): readonly PreviousUpload[] {
  const [found, setFound] = useState<readonly PreviousUpload[]>([]);
  const revision = useSyncExternalStore(uploads.subscribe, uploads.revision);
  useEffect(() => {
    let isCurrent = true;
    void uploads.leftovers().then((all) => isCurrent && setFound(all));
    return () => {
      isCurrent = false;
    };
  }, [uploads, revision]);
  return found;
}

function UploadRow({ view, uploads }: { view: UploadView; uploads: Uploads }): ReactNode {
  const { id, name, state, error } = view;
  const shown = visibleText(name);
  return (
    <li className="flex flex-col gap-1 border-b border-line px-3.5 py-1 last:border-b-0">
      <div className="flex min-h-7 flex-wrap items-center gap-x-3">
        <span className="min-w-0 flex-1 basis-40 truncate" title={shown}>
          <UploadName view={view} />
        </span>
        <ProgressBar label={shown} percent={percentOf(view)} />
        <span className="mono w-80 text-ink-2 max-lg:w-auto">{figuresOf(view)}</span>
        <UploadState view={view} />
        <span className="flex">
          {(state === "sending" || state === "waiting") && (
            <IconButton label={`Pause ${shown}`} onClick={() => uploads.pause(id)}>
              ❚❚
            </IconButton>
          )}
          {(state === "paused" || state === "failed") && (
            <IconButton label={`Resume ${shown}`} onClick={() => uploads.resume(id)}>
              ▶
            </IconButton>
          )}
          <IconButton
            label={state === "done" ? `Remove ${shown} from the list` : `Discard ${shown}`}
            onClick={() => uploads.cancel(id)}
          >
            ✕
          </IconButton>
        </span>
      </div>
      {state === "failed" && <ErrorNote error={error} />}
    </li>
  );
}

function UploadName({ view: { name, fileId } }: { view: UploadView }): ReactNode {
  const [, setSearch] = useTextSearchState<SearchState>();
  if (fileId === null) return <ForeignText text={name} />;
  return (
    <button
      type="button"
      className="text-sea hover:underline"
      onClick={() => setSearch({ file: fileId }, { push: true })}
    >
      <ForeignText text={name} />
    </button>
  );
}

function figuresOf(view: UploadView): string {
  const { state, sentBytes, sizeBytes, bytesPerSecond } = view;
  if (state === "done") return bytesText(sizeBytes);
  const left = remainingMs(view);
  const speed = bytesPerSecond === null ? "" : `, ${bytesText(bytesPerSecond)}/s`;
  return `${bytesText(sentBytes)} of ${bytesText(sizeBytes)}${speed}${left === null ? "" : `, ${durationText(left)}`}`;
}

function UploadState({ view: { state } }: { view: UploadView }): ReactNode {
  if (state === "done") return <State kind="go">done</State>;
  if (state === "failed") return <State kind="stop">failed</State>;
  if (state === "paused") return <State kind="warn">paused</State>;
  return <State kind="none">{state}</State>;
}

function Leftover({ upload, onGiveUp }: { upload: PreviousUpload; onGiveUp: () => void }): ReactNode {
  const { filename: name = "a file", project } = upload.metadata;
  return (
    <li className="flex min-h-[30px] flex-wrap items-center gap-x-3 border-b border-line px-3.5 py-1 last:border-b-0">
      <span className="min-w-0 flex-1 basis-40 truncate">
        <ForeignText text={name} />
      </span>
      <span className="text-ink-2">
        {bytesText(upload.size ?? 0)}, started <Time at={new Date(upload.creationTime).toISOString()} />
        {project !== undefined && ` in the project ${visibleText(project)}`}. Choose the same file again to resume it.
      </span>
      <State kind="warn">interrupted</State>
      <Button onClick={onGiveUp} aria-label={`Cancel ${visibleText(name)}`}>
        Cancel
      </Button>
    </li>
  );
}

/** `3 files, 2.9 MiB`. */
export function countedText(files: readonly { readonly size_bytes: number }[]): string {
  return `${plural(files.length, "file")}, ${bytesText(files.reduce((sum, { size_bytes }) => sum + size_bytes, 0))}`;
}
