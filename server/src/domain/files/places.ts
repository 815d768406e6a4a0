import type { Principal } from "#domain/identity/index.ts";
import { knownProjects } from "#domain/organizations/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";

/** A selection of an organization's places. */
export interface Places {
  readonly orgId: string;
  /** Only this project. */
  readonly projectId: string | undefined;
  /** All but these projects. */
  readonly hidden: readonly string[];
  /** Only these projects. Null: also the organization itself, and projects that are created meanwhile. */
  readonly only: readonly string[] | null;
}

/** Returns where the principal may see files: everywhere but in hidden projects, or in one project only. */
export async function placesOf(
  deps: { readonly metadata: Pick<MetadataStore, "read"> },
  principal: Principal,
  named: string | undefined,
): Promise<Places> {
  const bound = principal.kind === "credential" ? principal.projectId : null;
  const projectId = named ?? bound ?? undefined;
  const { orgId } = principal;
  if (projectId !== undefined) return { orgId, projectId, hidden: [], only: null };
  const { shown, hidden, unassigned } = await knownProjects(deps.metadata, principal, "files:read");
  return { orgId, projectId, ...(unassigned ? { hidden: [...hidden], only: null } : { hidden: [], only: [...shown] }) };
}

/** Returns a list for the condition `in`, which must not be empty. */
export function nonEmpty(only: readonly string[]): string[] {
  return only.length === 0 ? ["none"] : [...only];
}

/** Whether a place is selected. `place`: a project's id, or an empty text for the organization itself. */
export function isOfPlaces({ projectId, hidden, only }: Places, place: string): boolean {
  if (projectId !== undefined) return place === projectId;
  return only === null ? !hidden.includes(place) : only.includes(place);
}

const LAST_CODE_POINT = 0x10ffff;
const SURROGATES = { first: 0xd800, last: 0xdfff };

/** Returns the first text after all texts with the prefix, in the order of UTF-8 bytes. Undefined if there is none. */
export function endOfPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (char) => char.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  const next = last + 1 === SURROGATES.first ? SURROGATES.last + 1 : last + 1;
  return String.fromCodePoint(...points, next);
}
