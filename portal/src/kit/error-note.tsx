import { ApiError } from "@mooring/client";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";

/** Shows an error, what to do, and the request's id. */
export function ErrorNote({ error, children }: { error: Error | null; children?: ReactNode }): ReactNode {
  if (error === null) return null;
  return (
    <div role="alert" className="rounded border border-stop bg-stop-2 px-3 py-2 [overflow-wrap:anywhere] text-ink">
      <p className="whitespace-pre-line">{messageOf(error)}</p>
      {error instanceof ApiError && (
        <p className="text-s text-ink-2">
          <code>{error.code}</code>
          {error.requestId !== null && (
            <>
              , request <code>{error.requestId}</code>
            </>
          )}
        </p>
      )}
      {children ?? (isOvertaken(error) && <Button onClick={() => location.reload()}>Reload</Button>)}
    </div>
  );
}

/** Whether the change failed because somebody else changed the object first. */
export function isOvertaken(error: Error | null): boolean {
  return error instanceof ApiError && error.code === "concurrent_update";
}

/** Returns the message without the status and the request's id. */
export function messageOf(error: Error): string {
  if (!(error instanceof ApiError)) return error.message;
  return error.message.replace(/ \(\d{3} [a-z_]+(?:, request id [^)]*)?\)/, "").replace(/^cannot /, "Cannot ");
}
