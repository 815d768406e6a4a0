import { REGISTRY_API_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useAct } from "~/api/queries.ts";
import { DangerDialog } from "~/kit/dialog.tsx";
import { plural } from "~/kit/figures.ts";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import { imageName, shortDigest, type Manifest, type Repository } from "./images.ts";

const CHANGES = [
  REGISTRY_API_ROUTES.getImageRepository,
  REGISTRY_API_ROUTES.listImageRepositories,
  REGISTRY_API_ROUTES.listImageTags,
  REGISTRY_API_ROUTES.getImageManifest,
];

interface DeleteImageDialogProps {
  repository: Repository;
  /** A tag: only the tag is deleted. A digest: the image is deleted with all its tags. */
  reference: string;
  manifest: Manifest;
  onDone: () => void;
  onClose: () => void;
}

/** Deletes a tag or an image. First shows which pulls will fail. */
export function DeleteImageDialog({
  repository,
  reference,
  manifest,
  onDone,
  onClose,
}: DeleteImageDialogProps): ReactNode {
  const say = useSay();
  const isTag = !reference.includes(":");
  const domain = useAddresses()?.registry_domain ?? "";
  const remove = useAct(REGISTRY_API_ROUTES.deleteImageManifest, {
    changes: CHANGES,
    onDone: () => {
      say(isTag ? `The tag ${reference} is deleted` : `${shortDigest(reference)} is deleted`);
      onClose();
      onDone();
    },
  });
  return (
    <DangerDialog
      title={isTag ? `Delete the tag ${reference}` : "Delete this image"}
      projectId={repository.project_id}
      type={isTag ? reference : repository.slug}
      action={isTag ? "Delete the tag" : "Delete the image"}
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate({ params: { app_id: repository.slug, reference } })}
      about={
        <div className="flex flex-col gap-2">
          <p>
            {manifest.pulls === 0 ? (
              "The image was never pulled."
            ) : (
              <>
                The image was pulled {plural(manifest.pulls, "time")}, last <Time at={manifest.last_pull_at} />.
              </>
            )}{" "}
            Pulls of{" "}
            <code className="[overflow-wrap:anywhere]">
              {imageName(domain, repository.name, isTag ? reference : shortDigest(reference))}
            </code>{" "}
            will fail with “not found”, for example when a cluster restarts a container, or in builds that use it.
          </p>
          {isTag ? (
            <AfterTag others={manifest.tags.filter((tag) => tag !== reference)} />
          ) : (
            <AfterImage manifest={manifest} />
          )}
        </div>
      }
    />
  );
}

function AfterTag({ others }: { others: readonly string[] }): ReactNode {
  return (
    <p>
      Only the tag is deleted.{" "}
      {others.length === 0
        ? "The image has no other tag. It stays available by its digest until you or the retention rules delete it."
        : `The image keeps ${plural(others.length, "other tag")}: ${tagsText(others)}.`}
    </p>
  );
}

function AfterImage({ manifest: { tags, referrers, platforms } }: { manifest: Manifest }): ReactNode {
  return (
    <>
      <p>
        {tags.length === 0
          ? "It has no tag, so only pulls by its digest fail."
          : `This also deletes ${tags.length === 1 ? "its tag" : `its ${tags.length} tags`}: ${tagsText(tags)}. Pulls by tag and by digest fail.`}
      </p>
      {(referrers.length > 0 || platforms.length > 0) && (
        <p>
          Content that no other image needs is deleted later:{" "}
          {[
            ...(platforms.length > 0 ? [plural(platforms.length, "image of a platform", "images of platforms")] : []),
            ...(referrers.length > 0 ? ["signatures and bills of materials that refer to it"] : []),
          ].join(", ")}
          .
        </p>
      )}
      <p>It goes to the trash, and can be restored for a time.</p>
    </>
  );
}

const TAGS_SHOWN = 10;

function tagsText(tags: readonly string[]): string {
  const more = tags.length - TAGS_SHOWN;
  return `${tags.slice(0, TAGS_SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
