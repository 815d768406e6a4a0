import { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useMayIn } from "~/app/may.ts";
import { useProject } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { Page as Frame } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { Tabs } from "~/kit/tabs.tsx";
import { VersionedForm } from "~/kit/versioned.tsx";
import { Erasures } from "./erasures.tsx";
import { IngestRules } from "./ingest-rules.tsx";
import { OrganizationForm } from "./organization-form.tsx";
import { PolicyForm } from "./policy-form.tsx";
import { PeopleForm } from "./people-form.tsx";
import { Retention } from "./retention.tsx";
import { WebhookRetention } from "./webhook-retention.tsx";

/** The settings of the whole organization. */
export function Page(): ReactNode {
  const mayWrite = useMayIn(null, "org:write");
  const project = useProject();
  const [{ tab = "organization" }, change] = useSearchState<{ tab?: string | undefined }>();
  const tabs = [
    { id: "organization", title: "Organization", content: <OrganizationTab /> },
    { id: "people", title: "People", content: <PeopleTab /> },
    { id: "credentials", title: "Credential policy", content: <PolicyTab /> },
    { id: "telemetry", title: "Telemetry", content: <Retention /> },
    { id: "rules", title: "Ingest rules", content: <IngestRules /> },
    { id: "erasures", title: "Erasures", content: <Erasures /> },
    {
      id: "webhooks",
      title: project === null ? "Webhooks" : `Webhooks of ${project.name}`,
      content: <WebhookRetention project={project} />,
    },
  ];
  const value = tabs.some(({ id }) => id === tab) ? tab : "organization";
  return (
    <Frame
      title="Settings"
      about="Settings of the whole organization. Owners and admins change them. Every change is in the audit log."
    >
      {!mayWrite && (
        <p>
          <State kind="none">read only</State> To change them, you need <code>org:write</code>, which your role lacks.
        </p>
      )}
      <Tabs
        label="Settings"
        tabs={tabs}
        value={value}
        onChange={(next) => change({ tab: next === "organization" ? undefined : next }, { push: true })}
      />
    </Frame>
  );
}

function OrganizationTab(): ReactNode {
  return (
    <VersionedForm row={ORGANIZATION_ROUTES.getOrganization} params={{}}>
      {(versioned, onReload) => <OrganizationForm versioned={versioned} onReload={onReload} />}
    </VersionedForm>
  );
}

function PeopleTab(): ReactNode {
  return (
    <VersionedForm row={ORGANIZATION_ROUTES.getOrganization} params={{}}>
      {(versioned, onReload) => <PeopleForm versioned={versioned} onReload={onReload} />}
    </VersionedForm>
  );
}

function PolicyTab(): ReactNode {
  return (
    <VersionedForm row={ORGANIZATION_ROUTES.getOrganization} params={{}}>
      {(versioned, onReload) => <PolicyForm versioned={versioned} onReload={onReload} />}
    </VersionedForm>
  );
}
