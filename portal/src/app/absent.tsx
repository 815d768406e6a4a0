import { ApiError } from "@mooring/client";
import { Link, useRouterState } from "@tanstack/react-router";
import { createContext, use, useLayoutEffect, useState, type ReactNode } from "react";
import { Page } from "~/kit/page.tsx";
import { PROSE_LINK } from "~/kit/prose-link.ts";
import { usePlace } from "./scope.ts";

/** The one answer to an address of an object that the person can't see: it must not say whether the object exists. */
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

/** Around a page: shows it until it reports that something that the address names is absent, and then `instead`. */
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
 * The object that the address names by an id. When it is absent or hidden, the whole page is that answer. The same for
 * an object of another project than the address names, where `projectOf` returns its project.
 */
export function useNamed<D>(result: Read<D>, projectOf?: (data: D) => string | null): Read<D> {
  const isElsewhere = useIsElsewhere(result.data === undefined ? undefined : projectOf?.(result.data));
  useAbsence(isElsewhere || isNotFound(result.error));
  return { data: isElsewhere ? undefined : result.data, error: result.error };
}

/** Says, while it is true, that something that the address names is absent. */
export function useAbsence(isAbsent: boolean): void {
  const report = use(Report);
  const href = useShownHref();
  // Before the browser paints: nothing of another project is seen.
  useLayoutEffect(() => {
    if (isAbsent) report?.(href);
  }, [isAbsent, report, href]);
}

/** The address of the page in sight: while another one is on its way, this is still the former. */
function useShownHref(): string {
  return useRouterState({ select: ({ resolvedLocation, location }) => (resolvedLocation ?? location).href });
}

function useIsElsewhere(projectId: string | null | undefined): boolean {
  const place = usePlace();
  return projectId !== undefined && place.kind === "found" && place.project !== null && place.project.id !== projectId;
}

/** Text that can't be an id gets the answer of an absent id. */
function isNotFound(error: Error | null): boolean {
  return error instanceof ApiError && (error.status === 404 || error.code === "invalid_parameter");
}
