import { ApiError, type Client } from "@mooring/client";
import { ORGANIZATION_ROUTES, type LimitedState, type MemberRole, type ResultOf } from "@mooring/contract";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { createContext, use, useMemo } from "react";
import { organizationClient } from "~/api/clients.ts";
import { useSession, type SignedIn } from "~/api/session.ts";
import type { WithState } from "./project-state.ts";

/** Means the whole organization, in the place of a project in an address. */
export const WHOLE_ORGANIZATION = "-";

export type Me = ResultOf<typeof ORGANIZATION_ROUTES.getMe>;

/** With its state as `/v1/me` shows it, or as the project's own address does. */
export type Project = Omit<Me["projects"][number], LimitedState> & WithState;
export type Refusal = NonNullable<SignedIn["organizations"][number]["refused"]>;
/** The state of an organization, with the operator's reason. */
export type Suspension = Pick<
  SignedIn["organizations"][number],
  "state" | "state_reason" | "suspended_at" | "deletes_at"
>;

export interface Organization {
  readonly slug: string;
  readonly name: string;
  readonly role: MemberRole | null;
  readonly client: Client;
}

/**
 * Whether the person sees that a private project exists, but is not a member of it, as owners do. A list of projects that
 * is not complete says nothing.
 */
export function isOutside(me: Me | undefined, project: Pick<Project, "id" | "visibility">): boolean {
  if (me === undefined || me.projects_next_cursor !== null || project.visibility !== "private") return false;
  return !me.projects.some(({ id }) => id === project.id);
}

/** The names in an address; undefined on pages outside of an organization. */
interface AddressParams {
  readonly org?: string;
  readonly project?: string;
  readonly app?: string;
  readonly webhook?: string;
}

export function useAddress(): AddressParams {
  // The router's type would be circular, because it depends on every page. So the parameters are checked here.
  const params: unknown = useParams({ strict: false });
  return params as AddressParams;
}

/** The organization and project in the address. If the person may not see them, they count as absent. */
export type Place =
  /** A page outside of organizations. */
  | { readonly kind: "outside" }
  | { readonly kind: "loading" | "failed"; readonly error: Error | null; readonly retry: () => void }
  /** The organization refuses this session, for example without a second factor. */
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly suspension: Suspension }
  /** `me` has the projects to choose from, if only the project is absent. */
  | { readonly kind: "absent"; readonly me: Me | undefined }
  | { readonly kind: "found"; readonly organization: Organization; readonly me: Me; readonly project: Project | null };

/** The organization and project of all parts of a page. The shell sets them. */
export const PlaceContext = createContext<Place>({ kind: "outside" });

export function usePlace(): Place {
  return use(PlaceContext);
}

/** Finds the objects that the address names. A page is shown, and sends requests, only once they are found. */
export function useFindPlace(): Place {
  const { org, project = WHOLE_ORGANIZATION } = useAddress();
  const known = useSession().organizations.find(({ slug }) => slug === org);
  const isOpen = known !== undefined && known.refused === null;
  const { data: me, error, refetch } = useQuery({ ...meQuery(org ?? ""), enabled: isOpen });
  const listed = me?.projects.find(({ slug }) => slug === project);
  const isWhole = project === WHOLE_ORGANIZATION;
  const mustAsk = isOpen && me !== undefined && !isWhole && listed === undefined;
  const asked = useQuery({ ...unlistedProjectQuery(org ?? "", project), enabled: mustAsk });
  return useMemo((): Place => {
    if (org === undefined) return { kind: "outside" };
    if (known === undefined) return { kind: "absent", me: undefined };
    if (known.refused !== null) return { kind: "refused", refusal: known.refused, suspension: known };
    const { slug, name, role } = known;
    const found = { kind: "found", organization: { slug, name, role, client: organizationClient(slug) } } as const;
    if (me !== undefined && isWhole) return { ...found, me, project: null };
    const there = listed ?? asked.data;
    if (me !== undefined && there !== undefined) {
      if (there === null || isOutside(me, there)) return { kind: "absent", me };
      return { ...found, me, project: there };
    }
    const failure = me === undefined ? error : asked.error;
    const retry = (): void => void (me === undefined ? refetch() : asked.refetch());
    return { kind: failure === null ? "loading" : "failed", error: failure, retry };
  }, [org, known, me, isWhole, listed, error, refetch, asked.data, asked.error, asked.refetch]);
}

/**
 * Reads a project that is not in the list of `/v1/me`, because it is new or the list is full. Null: it is absent or
 * hidden.
 */
function unlistedProjectQuery(org: string, slug: string) {
  return queryOptions<Project | null>({
    queryKey: [org, "project of the address", slug],
    queryFn: async ({ signal, client: queries }) => {
      try {
        const input = { params: { project_id: slug }, signal };
        const project = await organizationClient(org).call(ORGANIZATION_ROUTES.getProject, input);
        // The API also finds a project by its id. In an address only the slug is valid.
        if (project.slug !== slug) return null;
        await queries.refetchQueries({ queryKey: meQuery(org).queryKey });
        return { ...project, role: null, custom_role: null, scopes: [] };
      } catch (error) {
        if (error instanceof ApiError && ABSENT_STATUSES.has(error.status)) return null;
        throw error;
      }
    },
    staleTime: 0,
    gcTime: 0,
  });
}

/** Statuses of objects that are absent, hidden or unreadable, and of invalid names. */
const ABSENT_STATUSES: ReadonlySet<number> = new Set([400, 403, 404]);

/** Returns the organization that the address names. @throws Error if none is found, unless `optional` */
export function useOrganization(): Organization;
export function useOrganization(options: { optional: boolean }): Organization | null;
export function useOrganization({ optional = false } = {}): Organization | null {
  const place = usePlace();
  if (place.kind === "found") return place.organization;
  if (optional) return null;
  throw new Error("the address names no organization");
}

/**
 * Returns the project that the address names. Null: the whole organization.
 * @throws Error if the place is not found, so that no page shows more than its address names
 */
export function useProject(): Project | null {
  const place = usePlace();
  if (place.kind !== "found") throw new Error("the address names no project");
  return place.project;
}

/** Returns the names in the address, for links to other pages: `/o/$org/$project/…`. */
export function useScopeParams(): { org: string; project: string } {
  const { org = "", project = WHOLE_ORGANIZATION } = useAddress();
  return { org, project };
}

/** Returns the person in this organization, with their permissions, or undefined while they are loading. */
export function useMe(): Me | undefined {
  const place = usePlace();
  return place.kind === "found" || place.kind === "absent" ? place.me : undefined;
}

/** Reads the person with their permissions in an organization. */
export function meQuery(org: string) {
  return queryOptions<Me>({
    queryKey: [org, ORGANIZATION_ROUTES.getMe.operationId],
    queryFn: ({ signal }) => organizationClient(org).call(ORGANIZATION_ROUTES.getMe, { signal }),
    staleTime: 30_000,
  });
}

const LAST = "mooring.organization";

/** Returns the organization that this browser showed last. */
export function lastOrganization(): string | null {
  return localStorage.getItem(LAST);
}

export function rememberOrganization(org: string): void {
  localStorage.setItem(LAST, org);
}
