import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useList, useRead } from "~/api/queries.ts";
import { useNamed } from "~/app/absent.tsx";
import { useMayIn, useWhyNotIn } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { Button } from "~/kit/button.tsx";
import { Copyable, CopyBlock, CopyButton } from "~/kit/copy.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Inspector } from "~/kit/inspector.tsx";
import { Facts, Loaded } from "~/kit/page.tsx";
import { curlOf } from "~/kit/shell.ts";
import { Time } from "~/kit/time.tsx";
import { reaches, scopesText } from "~/access/s3-keys.ts";
import { RenameApp } from "~/app/rename-app.tsx";
import { SnippetTabs } from "~/access/snippet-tabs.tsx";
import { bucketCommands, type App } from "./apps.ts";
import { DeleteBucketDialog } from "./delete-bucket-dialog.tsx";

/** Shows one bucket: its addresses, its access, and how to use it. */
export function BucketInspector({ slug, onClose }: { slug: string; onClose: () => void }): ReactNode {
  const read = useRead(ORGANIZATION_ROUTES.getApp, { params: { app_id: slug }, purpose: "read the bucket" });
  const result = useNamed(read, ({ project_id }) => project_id);
  return (
    <Inspector title={<code>{slug}</code>} onClose={onClose}>
      <Loaded result={result}>{(app) => <BucketDetails app={app} onDeleted={onClose} />}</Loaded>
    </Inspector>
  );
}

function BucketDetails({ app, onDeleted }: { app: App; onDeleted: () => void }): ReactNode {
  const endpoint = useAddresses()?.s3_endpoint ?? "";
  const why = useWhyNotIn(app.project_id, "apps:write");
  const mayWrite = why === undefined;
  const [open, setOpen] = useState<"rename" | "delete" | null>(null);
  const commands = bucketCommands(endpoint, app.bucket);
  return (
    <>
      <BucketFacts app={app} endpoint={endpoint} />
      <div className="flex flex-wrap gap-2">
        <Button disabled={!mayWrite} title={why} onClick={() => setOpen("rename")}>
          Rename…
        </Button>
        <CopyButton text={curlOf(`${location.origin}/v1/apps/${app.slug}`)} label="Copy as curl" />
        <Button look="danger" disabled={!mayWrite} title={why} onClick={() => setOpen("delete")}>
          Delete…
        </Button>
      </div>
      <h3>Objects</h3>
      <p>
        <PageLink page={`buckets/${app.slug}`}>Browse the objects</PageLink>, or list and count them in a terminal:
      </p>
      <CopyBlock text={`${commands.list}\n${commands.count}`} label="list and count objects" />
      <h3>Keys with access</h3>
      <KeysOf app={app} />
      <h3>Use it</h3>
      <SnippetTabs bucket={app.bucket} />
      {open === "rename" && <RenameApp app={app} onClose={() => setOpen(null)} />}
      {open === "delete" && (
        <DeleteBucketDialog
          app={app}
          emptyCommand={commands.empty}
          onDeleted={onDeleted}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  );
}

function BucketFacts({ app, endpoint }: { app: App; endpoint: string }): ReactNode {
  return (
    <Facts
      items={[
        ["Name", <ForeignText key="name" text={app.name} />],
        ["Address", <Copyable key="address" text={`${endpoint}/${app.bucket}`} />],
        ["S3 address", <Copyable key="s3" text={`s3://${app.bucket}`} />],
        [
          "Project",
          <PageLink key="project" page="buckets" project={app.project_slug}>
            {app.project_slug}
          </PageLink>,
        ],
        [
          "Images",
          <PageLink key="images" page={`images/${app.slug}`}>
            {app.repository}
          </PageLink>,
        ],
        ["Id", <Copyable key="id" text={app.id} />],
        ["Created", <Time key="created" at={app.created_at} />],
      ]}
    />
  );
}

function KeysOf({ app }: { app: App }): ReactNode {
  const mayRead = useMayIn(app.project_id, "credentials:read");
  const keys = useList(
    ORGANIZATION_ROUTES.listS3Keys,
    { query: { limit: 100 }, purpose: "list the keys" },
    { enabled: mayRead },
  );
  if (!mayRead) return <p className="text-ink-2">You need credentials:read to see them.</p>;
  if (keys.error !== null) return <ErrorNote error={keys.error} />;
  const reaching = keys.items.filter((key) => reaches(key, app));
  return (
    <>
      {reaching.length === 0 && !keys.isPending && <p className="text-ink-2">None yet.</p>}
      <ul className="flex flex-col">
        {reaching.map((key) => (
          <li key={key.id} className="flex min-h-[30px] flex-wrap items-center gap-x-3 border-t border-line">
            <PageLink page="s3-keys" search={{ key: key.id }}>
              <ForeignText text={key.name} />
            </PageLink>
            <span className="text-ink-2">{scopesText(key.effective_scopes)}</span>
            {key.prefix !== "" && <code>{visibleText(key.prefix)}</code>}
            <span className="ml-auto text-ink-2">
              used <Time at={key.last_used_at} />
            </span>
          </li>
        ))}
      </ul>
      {keys.hasMore && <p className="text-s text-ink-2">Among the latest {keys.items.length} keys.</p>}
      <p>
        <PageLink page="s3-keys" search={{ create: true, bucket: app.slug }}>
          Create a key for this bucket
        </PageLink>
      </p>
    </>
  );
}
