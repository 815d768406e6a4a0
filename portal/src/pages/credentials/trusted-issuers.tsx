import { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useList } from "~/api/queries.ts";
import { PageLink } from "~/app/page-link.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";

/** Lists the issuers whose tokens can sign in as the credential. */
export function TrustedIssuers({ id }: { id: string }): ReactNode {
  const { items, error, isPending } = useList(ORGANIZATION_ROUTES.listTrusts, {
    query: { credential: id, limit: 100 },
  });
  if (error !== null) return <ErrorNote error={error} />;
  return (
    <>
      {items.length === 0 && !isPending && <p className="text-ink-2">None: it signs in only with its secret.</p>}
      <ul className="flex flex-col gap-1">
        {items.map((trust) => (
          <li key={trust.id} className="min-w-0 [overflow-wrap:anywhere]">
            <PageLink page="trusts" search={{ trust: trust.id }}>
              <ForeignText text={trust.name} />
            </PageLink>{" "}
            <code className="text-s text-ink-2">{visibleText(trust.subject)}</code>
          </li>
        ))}
      </ul>
      <PageLink page="trusts" search={{ credential: id, new: true }}>
        Create trust
      </PageLink>
    </>
  );
}
