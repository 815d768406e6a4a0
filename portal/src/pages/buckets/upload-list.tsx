import type { ReactNode } from "react";
import { Button, IconButton } from "~/kit/button.tsx";
import { bytesText, plural } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { ProgressBar } from "~/kit/progress-bar.tsx";
import type { ObjectUploads, UploadView } from "./object-uploads.ts";

/** The running uploads to the bucket. */
export function UploadList({ uploads, views }: { uploads: ObjectUploads; views: readonly UploadView[] }): ReactNode {
  if (views.length === 0) return null;
  const done = views.filter(({ state }) => state === "done").length;
  return (
    <Section
      title="Uploads"
      flush
      about={
        <span role="status" aria-live="polite">
          {done} of {plural(views.length, "object")} uploaded
        </span>
      }
      actions={done > 0 && <Button onClick={() => uploads.forgetDone()}>Clear finished</Button>}
    >
      <ul className="max-h-56 overflow-auto" tabIndex={0} aria-label="uploads">
        {views.map((view) => (
          <UploadRow key={view.id} view={view} uploads={uploads} />
        ))}
      </ul>
    </Section>
  );
}

function UploadRow({ view, uploads }: { view: UploadView; uploads: ObjectUploads }): ReactNode {
  const { id, key, state, sentBytes, sizeBytes, error } = view;
  const shown = visibleText(key);
  const percent = state === "done" ? 100 : sizeBytes === 0 ? 0 : Math.floor((sentBytes / sizeBytes) * 100);
  return (
    <li className="flex min-h-[30px] flex-wrap items-center gap-x-3 border-b border-line px-3.5 py-1 last:border-b-0">
      <span className="mono min-w-0 flex-1 basis-40 truncate" title={shown}>
        <ForeignText text={key} />
      </span>
      <ProgressBar label={shown} percent={percent} />
      <span className="mono text-ink-2">{bytesText(sizeBytes)}</span>
      <State kind={state === "done" ? "go" : state === "failed" ? "stop" : "none"}>{state}</State>
      {state === "failed" && (
        <IconButton label={`Try ${shown} again`} onClick={() => uploads.retry(id)}>
          ↻
        </IconButton>
      )}
      <IconButton
        label={state === "done" || state === "failed" ? `Remove ${shown} from the list` : `Discard ${shown}`}
        onClick={() => uploads.remove(id)}
      >
        ✕
      </IconButton>
      {error !== null && <span className="w-full text-s text-stop">{visibleText(error)}</span>}
    </li>
  );
}
