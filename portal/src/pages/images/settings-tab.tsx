import { REGISTRY_API_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useWhyNotIn } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { Button } from "~/kit/button.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { bytesText, plural } from "~/kit/figures.ts";
import { Section } from "~/kit/page.tsx";
import { PROSE_LINK } from "~/kit/prose-link.ts";
import { State } from "~/kit/state.tsx";
import { useSay } from "~/kit/toast.tsx";
import type { Repository } from "./images.ts";
import { useVersionedChange } from "~/kit/versioned.tsx";

const CHANGES = [
  REGISTRY_API_ROUTES.getImageRepository,
  REGISTRY_API_ROUTES.listImageRepositories,
  REGISTRY_API_ROUTES.listImageTags,
  REGISTRY_API_ROUTES.getImageManifest,
];

/** Sets who may pull, and empties the repository. */
export function SettingsTab({ repository }: { repository: Repository }): ReactNode {
  const [open, setOpen] = useState<"public" | "empty" | null>(null);
  const why = useWhyNotIn(repository.project_id, "apps:write");
  const mayWrite = why === undefined;
  const whyKept = useWhyNotIn(repository.project_id, "registry:delete");
  const mayDelete = whyKept === undefined;
  const isEmpty = repository.manifests === 0;
  return (
    <>
      <Section title="Who may pull">
        {repository.public ? (
          <State kind="warn">everybody, without credentials</State>
        ) : (
          <State kind="go">those with registry:pull in this project</State>
        )}
        <div>
          <Button disabled={!mayWrite} title={why} onClick={() => setOpen("public")}>
            {repository.public ? "Make private…" : "Make public…"}
          </Button>
        </div>
      </Section>
      <Section title="Danger">
        <p className="text-ink-2">
          This deletes all images. The app and its bucket stay. To delete the app as well, delete its images first, then
          go to{" "}
          <PageLink page="buckets" search={{ bucket: repository.slug }} className={PROSE_LINK}>
            its bucket
          </PageLink>
          .
        </p>
        <div>
          <Button
            look="danger"
            disabled={!mayDelete || isEmpty}
            title={isEmpty ? "Nothing is here" : whyKept}
            onClick={() => setOpen("empty")}
          >
            Delete all images…
          </Button>
        </div>
      </Section>
      {open === "public" && <PublicDialog repository={repository} onClose={() => setOpen(null)} />}
      {open === "empty" && <EmptyDialog repository={repository} onClose={() => setOpen(null)} />}
    </>
  );
}

interface DialogProps {
  repository: Repository;
  onClose: () => void;
}

function PublicDialog({ repository, onClose }: DialogProps): ReactNode {
  const update = useVersionedChange(REGISTRY_API_ROUTES.updateImageRepository, { changes: CHANGES, onDone: onClose });
  const willBe = !repository.public;
  return (
    <DangerDialog
      title={willBe ? "Make public" : "Make private"}
      projectId={repository.project_id}
      type={willBe ? repository.slug : undefined}
      action={willBe ? "Make public" : "Make private"}
      busy={update.isPending}
      error={update.error}
      onClose={onClose}
      onConfirm={() => update.mutate({ params: { app_id: repository.slug }, body: { public: willBe }, etag: null })}
      about={
        willBe ? (
          <p>
            Everybody who can reach the registry may list and pull all {plural(repository.tags, "tag")} of{" "}
            <code>{repository.name}</code>, and also later ones, without signing in. The server then does not know who
            pulled.
          </p>
        ) : (
          <p>
            Pulls without credentials will be refused. The repository has been pulled {plural(repository.pulls, "time")}
            .
          </p>
        )
      }
    />
  );
}

function EmptyDialog({ repository, onClose }: DialogProps): ReactNode {
  const say = useSay();
  const empty = useAct(REGISTRY_API_ROUTES.emptyImageRepository, {
    changes: CHANGES,
    onDone: () => {
      say(`${repository.slug} has no images any more`);
      onClose();
    },
  });
  return (
    <DangerDialog
      title={`Delete all images of ${repository.slug}`}
      projectId={repository.project_id}
      type={repository.slug}
      action="Delete all images"
      busy={empty.isPending}
      error={empty.error}
      onClose={onClose}
      onConfirm={() => empty.mutate({ params: { app_id: repository.slug } })}
      about={
        <p>
          This deletes {plural(repository.tags, "tag")} and {plural(repository.manifests, "manifest")},{" "}
          {bytesText(repository.size_bytes)}. Pulls of <code>{repository.name}</code> will fail, for example when a
          cluster restarts a container, or in builds that use it. They go to the trash, and can be restored for a time.
        </p>
      }
    />
  );
}
