import { ApiError } from "@mooring/client";
import { useEffect, useState, type ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { ErrorNote } from "~/kit/error-note.tsx";
import { durationText } from "~/kit/figures.ts";

/** Seconds until the server wants to be asked again; 0: now. */
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

/** Why a sign-in did not go on; where it was tried too often, for how long to wait. */
export function Failure({ error, waitS }: { error: Error | null; waitS: number }): ReactNode {
  const isThrottled = error instanceof ApiError && error.retryAfterMs !== null;
  if (error instanceof ApiError && error.code === "cross_site") return <OtherAddress error={error} />;
  if (!isThrottled) return <ErrorNote error={error} />;
  if (waitS === 0) return <p role="status">You can try again now.</p>;
  return (
    <div className="rounded border border-warn bg-warn-2 px-3 py-2">
      <p role="alert">
        {error.code === "rate_limited" ? "Too many attempts. " : "The server is busy. "}
        Sign-in attempts are not checked until the wait is over.
      </p>
      <p className="mono text-s text-ink-2">try again in {waitS < 60 ? `${waitS} s` : durationText(waitS * 1000)}</p>
    </div>
  );
}

/** The page was opened at an address that the server does not know as the portal's. */
function OtherAddress({ error }: { error: ApiError }): ReactNode {
  const portal = useAddresses()?.portal_url;
  return (
    <ErrorNote error={error}>
      {portal !== undefined && (
        <p>
          The server knows its portal as{" "}
          <a href={portal} className="text-sea underline">
            {portal}
          </a>
          , not as {location.origin}. Open it there, or set portal_url.
        </p>
      )}
    </ErrorNote>
  );
}

/** The error in one field, by the pointer that the server names (RFC 6901). */
export function placeText(error: Error | null, pointer: string): string | null {
  if (!(error instanceof ApiError)) return null;
  return error.places.find((place) => place.pointer === pointer)?.detail ?? null;
}

/** The error, unless all that is wrong stands at the fields of these places already. */
export function restOf(error: Error | null, pointers: readonly string[]): Error | null {
  if (!(error instanceof ApiError) || error.places.length === 0) return error;
  return error.places.every((place) => pointers.includes(place.pointer)) ? null : error;
}
