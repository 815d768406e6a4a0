import { PORTAL_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { useSession } from "~/api/session.ts";
import { Absent } from "~/app/absent.tsx";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Loading, Page as Frame } from "~/kit/page.tsx";
import { Tabs } from "~/kit/tabs.tsx";
import { Time } from "~/kit/time.tsx";
import { AccountSection } from "./account-section.tsx";
import { BackupSection } from "./backup-section.tsx";
import { JobSection } from "./job-section.tsx";
import { KeySection } from "./key-section.tsx";
import { MailSection } from "./mail-section.tsx";
import { MetricsTab } from "./metrics-tab.tsx";
import { NodeSection } from "./node-section.tsx";
import { OperatorSection } from "./operator-section.tsx";
import { OperatorTokenSection } from "./operator-token-section.tsx";
import { OrganizationSection } from "./organization-section.tsx";
import { ProblemSection } from "./problem-section.tsx";
import { CheckSection, FactSection } from "./state-section.tsx";
import { VersionSection } from "./version-section.tsx";
import type { Instance } from "./types.ts";

const REFRESH_MS = 5_000;

/** The server's state and settings, for the operator. */
export function Page(): ReactNode {
  const { user } = useSession();
  return user.instance_admin ? <AdminPage /> : <Absent />;
}

function AdminPage(): ReactNode {
  const [search, setSearch] = useSearchState<{ tab: string; paused: boolean | undefined }>();
  const isPaused = search.paused === true;
  const instance = useRead(PORTAL_ROUTES.getInstance, {}, isPaused ? {} : { refetchMs: REFRESH_MS });
  const { data, error, dataUpdatedAt } = instance;
  const tabs = [
    ["state", "State", (now: Instance) => <StateTab instance={now} />],
    ["metrics", "Metrics", (now: Instance) => <MetricsTab instance={now} />],
    ["keys", "Signing keys", (now: Instance) => <KeySection keys={now.signing_keys} />],
    ["jobs", "Jobs", () => <JobSection paused={isPaused} />],
    ["backups", "Backups", () => <BackupSection paused={isPaused} />],
    ["email", "E-mail", (now: Instance) => <MailSection mail={now.mail} />],
    ["organizations", "Organizations", () => <OrganizationSection />],
    ["accounts", "Accounts", () => <AccountSection />],
    ["operators", "Operators", () => <OperatorTab />],
  ] as const;
  return (
    <Frame
      title="Instance"
      about={
        data && (
          <>
            Mooring <code>{data.version}</code>, running since <Time at={data.started_at} />
          </>
        )
      }
      actions={
        <>
          {dataUpdatedAt > 0 && (
            <span className="self-center text-s text-ink-2">
              read at <span className="mono">{new Date(dataUpdatedAt).toLocaleTimeString("en-GB")}</span>
            </span>
          )}
          <Button aria-pressed={isPaused} onClick={() => setSearch({ paused: isPaused ? undefined : true })}>
            {isPaused ? "Resume" : "Pause"}
          </Button>
        </>
      }
    >
      <ErrorNote error={error}>
        {data && <p className="text-s">The page shows the last data that it has loaded.</p>}
      </ErrorNote>
      {data === undefined && error === null && <Loading />}
      {data !== undefined && (
        <Tabs
          label="Instance"
          value={tabs.find(([id]) => id === search.tab)?.[0] ?? "state"}
          onChange={(tab) => setSearch({ tab })}
          tabs={tabs.map(([id, title, content]) => ({ id, title, content: content(data) }))}
        />
      )}
    </Frame>
  );
}

function OperatorTab(): ReactNode {
  return (
    <>
      <OperatorSection />
      <OperatorTokenSection />
    </>
  );
}

function StateTab({ instance }: { instance: Instance }): ReactNode {
  return (
    <>
      <ProblemSection problems={instance.problems} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <CheckSection checks={instance.checks} />
        <FactSection instance={instance} />
      </div>
      <VersionSection version={instance.version} build={instance.build} />
      <NodeSection nodes={instance.nodes} latest={instance.latest_change} />
    </>
  );
}
