import {
  ORG_ROLE_SCOPES,
  ORG_ROLES,
  PROJECT_ROLE_SCOPES,
  PROJECT_ROLES,
  SCOPE_DESCRIPTIONS,
  SCOPES,
  type Scope,
} from "@mooring/contract";
import type { ReactNode } from "react";
import { PageLink } from "~/app/page-link.tsx";
import { useMe } from "~/app/scope.ts";
import { Section } from "~/kit/page.tsx";
import { cn } from "~/kit/cn.ts";
import { CustomRoles } from "./custom-roles.tsx";
import { groupsOf } from "~/access/permissions.ts";

interface RoleColumn {
  readonly title: string;
  readonly scopes: readonly Scope[];
  readonly isMine: boolean;
}

/** Shows the permissions of each role. */
export function RoleMatrix(): ReactNode {
  const me = useMe();
  const ofOrganization = ORG_ROLES.map((role) => ({
    title: role,
    scopes: ORG_ROLE_SCOPES[role],
    isMine: me?.role === role,
  }));
  const ofProject = PROJECT_ROLES.map((role) => ({ title: role, scopes: PROJECT_ROLE_SCOPES[role], isMine: false }));
  return (
    <>
      <Section
        title="In the organization"
        about="These also apply in every project that is not private. Only owners manage owners."
        flush
      >
        <Matrix label="Permissions of roles in the organization" columns={ofOrganization} />
      </Section>
      <Section title="In a project" about="Within the project, these add to the role in the organization." flush>
        <Matrix label="Permissions of roles in a project" columns={ofProject} />
      </Section>
      <CustomRoles />
    </>
  );
}

function Matrix({ label, columns }: { label: string; columns: readonly RoleColumn[] }): ReactNode {
  return (
    <div className="relative w-full overflow-x-auto" tabIndex={0} role="group" aria-label={label}>
      <table className="w-full border-collapse">
        <thead>
          <tr>
            <th scope="col" className="h-[30px] border-b border-line px-3.5 text-left text-s font-medium text-ink-3">
              Permission
            </th>
            {columns.map(({ title, isMine, scopes }) => (
              <th
                key={title}
                scope="col"
                className={cn(
                  "h-[30px] border-b border-line px-3.5 text-left text-s font-medium whitespace-nowrap text-ink-3",
                  isMine && "bg-sea-2 text-ink",
                )}
              >
                {title}
                {isMine && " (you)"} <span className="font-normal">{scopes.length}</span>
              </th>
            ))}
          </tr>
        </thead>
        {groupsOf(SCOPES).map(({ title, scopes }) => (
          <tbody key={title}>
            <tr>
              <th
                scope="rowgroup"
                colSpan={columns.length + 1}
                className="h-[30px] border-b border-line bg-well px-3.5 text-left font-medium"
              >
                {title}
              </th>
            </tr>
            {scopes.map((scope) => (
              <ScopeRow key={scope} scope={scope} columns={columns} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

function ScopeRow({ scope, columns }: { scope: Scope; columns: readonly RoleColumn[] }): ReactNode {
  return (
    <tr>
      <th scope="row" className="h-[30px] border-b border-line px-3.5 text-left font-normal">
        <PageLink page="roles" search={{ tab: "who", permission: scope }}>
          <code>{scope}</code>
        </PageLink>{" "}
        <span className="text-ink-2 max-sm:hidden">{SCOPE_DESCRIPTIONS[scope]}</span>
      </th>
      {columns.map(({ title, scopes, isMine }) => (
        <td key={title} className={cn("h-[30px] border-b border-line px-3.5", isMine && "bg-sea-2")}>
          {scopes.includes(scope) ? (
            <span className="text-go">
              <span aria-hidden="true">✓</span>
              <span className="sr-only">yes</span>
            </span>
          ) : (
            <span className="text-ink-3">
              <span aria-hidden="true">·</span>
              <span className="sr-only">no</span>
            </span>
          )}
        </td>
      ))}
    </tr>
  );
}
