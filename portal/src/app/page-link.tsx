import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useScopeParams } from "./scope.ts";

interface PageLinkProps {
  /** Path below the organization and project, as in `PAGES`, with its parameters filled in. */
  page: string;
  search?: Readonly<Record<string, unknown>>;
  /** The project, if not the current one; `-` is the whole organization. */
  project?: string;
  className?: string;
  children: ReactNode;
}

/** Returns the address of a page within an organization and project. */
export function pagePath(org: string, project: string, page: string): string {
  return `/o/${org}/${project}${page === "" ? "" : `/${page}`}`;
}

/** A link to another page of the same organization and project. */
export function PageLink({
  page,
  search,
  project,
  className = "text-sea hover:underline",
  children,
}: PageLinkProps): ReactNode {
  const scope = useScopeParams();
  return (
    <Link
      to={pagePath(scope.org, project ?? scope.project, page)}
      {...(search === undefined ? {} : { search })}
      className={className}
    >
      {children}
    </Link>
  );
}
