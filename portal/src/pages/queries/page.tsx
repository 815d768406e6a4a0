import { TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useMayIn } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { Page as Frame, Section } from "~/kit/page.tsx";
import { VersionedForm } from "~/kit/versioned.tsx";
import { EndedQueries } from "./ended.tsx";
import { RunningQueries } from "./running.tsx";
import { SettingsForm } from "./settings-form.tsx";

/** SQL statements: those that run, and the slow ones with the reasons. */
export function Page(): ReactNode {
  const managesAll = useMayIn(null, "queries:manage");
  const mayReadSettings = useMayIn(null, "org:read");
  return (
    <Frame
      title="Queries"
      about={
        managesAll
          ? "The SQL statements of everybody in the organization: those that run, and why slow ones took long."
          : "Your SQL statements: those that run, and why slow ones took long."
      }
      actions={
        <PageLink page="sql" className="self-center px-2 text-sea hover:underline">
          SQL editor
        </PageLink>
      }
    >
      <RunningQueries />
      <EndedQueries />
      {mayReadSettings && (
        <Section title="Recording">
          <VersionedForm row={TELEMETRY_SETTINGS_ROUTES.getQueryLogSettings} params={{}}>
            {(versioned, onReload) => <SettingsForm versioned={versioned} onReload={onReload} />}
          </VersionedForm>
        </Section>
      )}
    </Frame>
  );
}
