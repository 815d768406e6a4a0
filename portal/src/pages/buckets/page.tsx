import { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useWhyNotHere, useWhyNotIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { CopyButton } from "~/kit/copy.tsx";
import { WithInspector } from "~/kit/inspector.tsx";
import { Page as Frame } from "~/kit/page.tsx";
import { curlOf } from "~/kit/shell.ts";
import { Tabs } from "~/kit/tabs.tsx";
import { useTextSearchState } from "~/kit/text-search-state.ts";
import { BucketList } from "./bucket-list.tsx";
import { BucketInspector } from "./bucket-inspector.tsx";
import { CreateBucketDialog } from "./create-bucket-dialog.tsx";
import { CreateDestinationDialog } from "./create-destination-dialog.tsx";
import { DestinationInspector } from "./destination-inspector.tsx";
import { DestinationList } from "./destination-list.tsx";
import type { SearchState } from "./search.ts";
import { StoredLine } from "./stored-line.tsx";

/** Buckets, and the destinations of their events. Each bucket is an app. */
export function Page(): ReactNode {
  const [search, setSearch] = useTextSearchState<SearchState>();
  const tab = search.tab ?? "buckets";
  const close = (): void => setSearch({ bucket: undefined, destination: undefined });
  const inspector =
    search.bucket !== undefined ? (
      <BucketInspector key={search.bucket} slug={search.bucket} onClose={close} />
    ) : search.destination !== undefined ? (
      <DestinationInspector key={search.destination} id={search.destination} onClose={close} />
    ) : null;
  return (
    <Frame
      title="Buckets"
      about="Every app has a bucket of the same name in the S3 gateway, and a repository for images."
      actions={
        <>
          <CopyButton
            text={curlOf(`${location.origin}/v1/${tab === "events" ? "s3/destinations" : "apps"}?limit=100`)}
            label="Copy as curl"
          />
          <Create tab={tab} onCreate={() => setSearch({ create: true })} />
        </>
      }
    >
      <WithInspector inspector={inspector}>
        <Tabs
          label="Buckets and their events"
          value={tab}
          onChange={(id) =>
            setSearch({
              tab: id === "buckets" ? undefined : id,
              bucket: undefined,
              destination: undefined,
              q: undefined,
            })
          }
          tabs={[
            { id: "buckets", title: "Buckets", content: <Buckets /> },
            { id: "events", title: "Event destinations", content: <DestinationList /> },
          ]}
        />
      </WithInspector>
      {search.create === true && tab === "buckets" && (
        <CreateBucketDialog
          onMade={({ slug }) => setSearch({ create: undefined, bucket: slug })}
          onClose={() => setSearch({ create: undefined })}
        />
      )}
      {search.create === true && tab === "events" && (
        <CreateDestinationDialog onClose={() => setSearch({ create: undefined })} />
      )}
    </Frame>
  );
}

function Buckets(): ReactNode {
  return (
    <>
      <StoredLine />
      <BucketList />
    </>
  );
}

function Create({ tab, onCreate }: { tab: string; onCreate: () => void }): ReactNode {
  const whyNoApp = useWhyNotHere(ORGANIZATION_ROUTES.createApp.permission);
  const whyNoDestination = useWhyNotIn(null, ORGANIZATION_ROUTES.createS3Destination.permission);
  const why = tab === "events" ? whyNoDestination : whyNoApp;
  return (
    <Button look="main" disabled={why !== undefined} title={why} onClick={onCreate}>
      {tab === "events" ? "Create destination" : "Create bucket"}
    </Button>
  );
}
