import type { ReactNode } from "react";
import { useSearchState } from "~/app/search.ts";
import { Page as Frame } from "~/kit/page.tsx";
import { Tabs } from "~/kit/tabs.tsx";
import { Policies } from "./policies.tsx";
import { RoleMatrix } from "./role-matrix.tsx";
import { WhoCan, type WhoSearch } from "./who-can.tsx";

type RolesSearch = WhoSearch & { readonly tab: string | undefined };

const TABS = ["roles", "who", "policies"];

/** The permissions of roles, who has a permission and why, and the organization's policy. */
export function Page(): ReactNode {
  const [search, change] = useSearchState<RolesSearch>();
  return (
    <Frame
      title="Roles and policies"
      about="The permissions of all roles. A credential never has more permissions than its creator, and never more than the policy allows."
    >
      <Tabs
        label="Parts of this page"
        value={TABS.find((tab) => tab === search.tab) ?? "roles"}
        onChange={(tab) => change({ tab })}
        tabs={[
          { id: "roles", title: "Roles", content: <RoleMatrix /> },
          { id: "who", title: "Who can do this?", content: <WhoCan search={search} onChange={change} /> },
          { id: "policies", title: "Policies", content: <Policies /> },
        ]}
      />
    </Frame>
  );
}
