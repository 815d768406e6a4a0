import { ApiError } from "@mooring/client";
import { Link, useRouterState } from "@tanstack/react-router";
import { createContext, use, useLayoutEffect, useState, type ReactNode } from "react";
import { Page } from "~/kit/page.tsx";
import { PROSE_LINK } from "~/kit/prose-link.ts";
import { usePlace } from "./scope.ts";

/** The answer for every address that the person can't see. It must not say whether the object exists. */
export function Absent({ children }: { children?: ReactNode }): ReactNode {
  return (
    <Page title="Not found">
      <p className="max-w-[68ch] text-ink-2">
        Nothing that you can see has this address. It may have been deleted or renamed, or the address is mistyped. If
        somebody sent it to you, ask them to give you access.
      </p>
      <p className="flex flex-wrap gap-4">
        {children}
        <Link to="/" className={PROSE_LINK}>
          Go to the start
        </Link>
      </p>
    </Page>
  );
}

const Report = createContext<((href: string) => void) | null>(null);

/** Shows a page until the page reports that an object of its address is absent. Then it shows `instead`. */
export function AbsenceBoundary({ instead, children }: { instead: ReactNode; children: ReactNode }): ReactNode {
  const [absentHref, setAbsentHref] = useState<string | null>(null);
  const href = useShownHref();
  return <Report value={setAbsentHref}>{absentHref === href ? instead : children}</Report>;
}

interface Read<D> {
  readonly data: D | undefined;
  readonly error: Error | null;
}

/**
 * Returns the object that the address names by an id. If it is absent or hidden, or if it is in another project than
 * the address names (`projectOf` returns its project), the whole page says that it is absent.
 */
export function useNamed<D>(result: Read<D>, projectOf?: (data: D) => string | null): Read<D> {
  const isElsewhere = useIsElsewhere(result.data === undefined ? undefined : projectOf?.(result.data));
  useAbsence(isElsewhere || isNotFound(result.error));
  return { data: isElsewhere ? undefined : result.data, error: result.error };
}

/** Reports that an object of the address is absent, while `isAbsent` is true. */
export function useAbsence(isAbsent: boolean): void {
  const report = use(Report);
  const href = useShownHref();
  // A layout effect runs before the browser paints, so nothing of another project becomes visible.
  useLayoutEffect(() => {
    if (isAbsent) report?.(href);
  }, [isAbsent, report, href]);
}

/** Returns the address of the visible page. While the next page loads, it is still the previous address. */
function useShownHref(): string {
  return useRouterState({ select: ({ resolvedLocation, location }) => (resolvedLocation ?? location).href });
}

function useIsElsewhere(projectId: string | null | undefined): boolean {
  const place = usePlace();
  return projectId !== undefined && place.kind === "found" && place.project !== null && place.project.id !== projectId;
}

/** Treats a text that is not an id like an absent id. */
function isNotFound(error: Error | null): boolean {
  return error instanceof ApiError && (error.status === 404 || error.code === "invalid_parameter");
}
