import { useQuery } from "@tanstack/react-query";
import { useMemo, type ReactNode } from "react";
import { organizationClient } from "~/api/clients.ts";
import { useSession } from "~/api/session.ts";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Loading } from "~/kit/page.tsx";
import { meQuery, PlaceContext, type Place } from "./scope.ts";

interface WithinOrganizationProps {
  slug: string;
  /** Shown if the person is not a member, or the organization refuses the session. */
  otherwise: ReactNode;
  children: ReactNode;
}

/** Lets a part of a page outside of organizations read one organization, as its own pages do. */
export function WithinOrganization({ slug, otherwise, children }: WithinOrganizationProps): ReactNode {
  const known = useSession().organizations.find((each) => each.slug === slug);
  const isOpen = known !== undefined && known.refused === null;
  const { data: me, error } = useQuery({ ...meQuery(slug), enabled: isOpen });
  const place = useMemo((): Place | null => {
    if (known === undefined || me === undefined) return null;
    const { name, role } = known;
    return { kind: "found", organization: { slug, name, role, client: organizationClient(slug) }, me, project: null };
  }, [known, me, slug]);
  if (!isOpen) return otherwise;
  if (place === null) return error === null ? <Loading /> : <ErrorNote error={error} />;
  return <PlaceContext value={place}>{children}</PlaceContext>;
}
