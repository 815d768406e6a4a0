import { ApiError } from "@mooring/client";
import { useEffect, useState, type ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { ErrorNote } from "~/kit/error-note.tsx";
import { durationText } from "~/kit/figures.ts";

/** Returns the seconds until the next attempt is allowed (`Retry-After`); 0: now. */
export function useWaitS(error: Error | null): number {
  const [leftS, setLeftS] = useState(0);
  useEffect(() => {
    const waitMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    const untilMs = performance.now() + waitMs;
    const tick = (): void => setLeftS(Math.max(0, Math.ceil((untilMs - performance.now()) / 1000)));
    tick();
    if (waitMs === 0) return;
    const timer = setInterval(() => {
      tick();
      if (performance.now() >= untilMs) clearInterval(timer);
    }, 500);
    return () => clearInterval(timer);
  }, [error]);
  return leftS;
}

/** Shows why a sign-in failed, and after too many attempts how long to wait. */
export function Failure({ error, waitS }: { error: Error | null; waitS: number }): ReactNode {
  const isThrottled = error instanceof ApiError && error.retryAfterMs !== null;
  if (error instanceof ApiError && error.code === "cross_site") return <OtherAddress error={error} />;
  if (!isThrottled) return <ErrorNote error={error} />;
  if (waitS === 0) return <p role="status">You can try again now.</p>;
  return (
    <div className="rounded border border-warn bg-warn-2 px-3 py-2">
      <p role="alert">
        {error.code === "rate_limited" ? "Too many attempts. " : "The server is busy. "}
        Wait before the next attempt; earlier attempts are refused.
      </p>
      <p className="mono text-s text-ink-2">try again in {waitS < 60 ? `${waitS} s` : durationText(waitS * 1000)}</p>
    </div>
  );
}

/** Shown if the page was opened at an address that is not the portal's. */
function OtherAddress({ error }: { error: ApiError }): ReactNode {
  const portal = useAddresses()?.portal_url;
  return (
    <ErrorNote error={error}>
      {portal !== undefined && (
        <p>
          The portal's address is{" "}
          <a href={portal} className="text-sea underline">
            {portal}
          </a>
          , not as {location.origin}. Open the portal there, or ask the operator to change portal_url.
        </p>
      )}
    </ErrorNote>
  );
}

/** Returns the error in one field, by the server's JSON pointer (RFC 6901). */
export function placeText(error: Error | null, pointer: string): string | null {
  if (!(error instanceof ApiError)) return null;
  return error.places.find((place) => place.pointer === pointer)?.detail ?? null;
}

/** Returns the error, or null if the fields of these pointers show all of it. */
export function restOf(error: Error | null, pointers: readonly string[]): Error | null {
  if (!(error instanceof ApiError) || error.places.length === 0) return error;
  return error.places.every((place) => pointers.includes(place.pointer)) ? null : error;
}
