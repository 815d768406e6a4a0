import { lazy, Suspense, type ReactNode } from "react";
import { ProjectBadges } from "~/app/environment.tsx";
import { useMayHere, useMayIn } from "~/app/may.ts";
import { stateWordsOf } from "~/app/project-state.ts";
import { useOrganization, useProject, useScopeParams } from "~/app/scope.ts";
import { Page as Frame, Section } from "~/kit/page.tsx";
import { Activity } from "./activity.tsx";
import { Checklist } from "./checklist.tsx";
import { Endings } from "./endings.tsx";
import { Entries } from "./entries.tsx";
import { Expiring } from "./expiring.tsx";
import { Quotas } from "./quotas.tsx";
import { Services } from "./services.tsx";

/** The chart comes after the first view. */
const LastHour = lazy(async () => ({ default: (await import("./last-hour.tsx")).LastHour }));

/** The home page: the first steps, and the state of the services. */
export function Page(): ReactNode {
  const organization = useOrganization();
  const { project: slug } = useScopeParams();
  const project = useProject();
  const mayQuery = useMayHere("telemetry:read");
  const mayAudit = useMayIn(null, "audit:read");
  const mayOrganization = useMayIn(null, "org:read");
  return (
    <Frame title={project?.name ?? organization.name} about={<About />}>
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <Checklist key={slug} />
          {mayQuery && (
            <Suspense fallback={<Later />}>
              <LastHour />
            </Suspense>
          )}
        </div>
        <Services />
      </div>
      <Expiring />
      <Endings />
      {project?.visibility === "private" && <Entries project={project} />}
      <div className="grid items-start gap-4 xl:grid-cols-2">
        {mayAudit && <Activity />}
        {mayOrganization && <Quotas />}
      </div>
    </Frame>
  );
}

/** Has the height of the chart. */
function Later(): ReactNode {
  return (
    <Section title="Last hour" about="entries per minute">
      <div className="h-[184px]" />
    </Section>
  );
}

function About(): ReactNode {
  const project = useProject();
  if (project === null) return "All projects of the organization.";
  const words = stateWordsOf(project);
  return (
    <span className="flex flex-wrap items-center gap-2">
      One project of the organization. <ProjectBadges project={project} />
      {words !== undefined && ` It is ${words.summary}.`}
    </span>
  );
}
