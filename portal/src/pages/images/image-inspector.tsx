import { useState, type ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useNamed } from "~/app/absent.tsx";
import { useWhyNotIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { CopyButton, Copyable } from "~/kit/copy.tsx";
import { bytesText, countText } from "~/kit/figures.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { useNames } from "~/kit/names.ts";
import { Inspector } from "~/kit/inspector.tsx";
import { Facts, Loaded } from "~/kit/page.tsx";
import { curlOf } from "~/kit/shell.ts";
import { Badge } from "~/kit/state.tsx";
import { Time } from "~/kit/time.tsx";
import { useTextSearchState } from "~/kit/text-search-state.ts";
import { Commands } from "./commands.tsx";
import { DeleteImageDialog } from "./delete-image-dialog.tsx";
import { imageName, onePlatform, pullCommands, shortDigest, type Manifest, type Repository } from "./images.ts";
import { Config } from "./image-config.tsx";
import { Layers, Platforms, Referrers } from "./image-parts.tsx";
import type { SearchState } from "./search.ts";
import { useManifest } from "./use-manifest.ts";

interface ImageInspectorProps {
  repository: Repository;
  reference: string;
  onClose: () => void;
}

/** Shows one image, by tag or digest: its layers, its pull commands, its attachments. */
export function ImageInspector({ repository, reference, onClose }: ImageInspectorProps): ReactNode {
  const result = useNamed(useManifest(repository.slug, reference));
  const title = <code>{reference.includes(":") ? shortDigest(reference) : reference}</code>;
  return (
    <Inspector title={title} onClose={onClose}>
      <Loaded result={result}>
        {(manifest) => <Details repository={repository} reference={reference} manifest={manifest} />}
      </Loaded>
    </Inspector>
  );
}

interface DetailsProps {
  repository: Repository;
  reference: string;
  manifest: Manifest;
}

function Details({ repository, reference, manifest }: DetailsProps): ReactNode {
  const [, setSearch] = useTextSearchState<SearchState>();
  const [deleting, setDeleting] = useState<string | null>(null);
  const whyKept = useWhyNotIn(repository.project_id, "registry:delete");
  const mayDelete = whyKept === undefined;
  const references = reference === manifest.digest ? [reference] : [reference, manifest.digest];
  const domain = useAddresses()?.registry_domain ?? "";
  const goTo = (digest: string): void => setSearch({ ref: digest }, { push: true });
  const api = `${location.origin}/v1/registry/repositories/${repository.slug}/manifests/${encodeURIComponent(reference)}`;
  return (
    <>
      <ManifestFacts manifest={manifest} goTo={goTo} />
      <div className="flex flex-wrap gap-2">
        <CopyButton text={manifest.digest} label="Copy digest" />
        <CopyButton text={curlOf(api)} label="Copy as curl" />
        {references.map((each) => (
          <Button key={each} look="danger" disabled={!mayDelete} title={whyKept} onClick={() => setDeleting(each)}>
            {each.includes(":") ? "Delete image…" : "Delete tag…"}
          </Button>
        ))}
      </div>
      <Pull repository={repository} reference={reference} manifest={manifest} domain={domain} />
      {manifest.platforms.length > 0 && <Platforms manifest={manifest} goTo={goTo} />}
      {manifest.layers.length > 0 && <Layers manifest={manifest} />}
      <Annotations manifest={manifest} />
      {manifest.image_config !== null && <Config config={manifest.image_config} />}
      <Referrers manifest={manifest} goTo={goTo} />
      {deleting !== null && (
        <DeleteImageDialog
          repository={repository}
          reference={deleting}
          manifest={manifest}
          onDone={() => setSearch({ ref: undefined })}
          onClose={() => setDeleting(null)}
        />
      )}
    </>
  );
}

function ManifestFacts({ manifest, goTo }: { manifest: Manifest; goTo: (digest: string) => void }): ReactNode {
  const { subject } = manifest;
  const platform = onePlatform(manifest);
  const nameOf = useNames();
  return (
    <Facts
      items={[
        ["Digest", <Copyable key="digest" text={manifest.digest} />],
        [
          "Tags",
          <span key="tags" className="flex flex-wrap gap-1">
            {manifest.tags.length === 0 ? "none" : manifest.tags.map((tag) => <Badge key={tag}>{tag}</Badge>)}
          </span>,
        ],
        ...(platform === null ? [] : [["Platform", <ForeignText key="platform" text={platform} />] as const]),
        ["Size", bytesText(manifest.total_size_bytes)],
        ["Media type", <code key="type">{visibleText(manifest.media_type)}</code>],
        ...(manifest.artifact_type === null || manifest.artifact_type === manifest.config?.media_type
          ? []
          : [["Artifact", <code key="artifact">{visibleText(manifest.artifact_type)}</code>] as const]),
        ...(subject === null
          ? []
          : [
              [
                "About",
                <button
                  key="subject"
                  type="button"
                  className="mono text-sea hover:underline"
                  onClick={() => goTo(subject)}
                >
                  {shortDigest(subject)}
                </button>,
              ] as const,
            ]),
        ["Pushed", <Time key="pushed" at={manifest.created_at} />],
        [
          "Pushed by",
          <Copyable
            key="by"
            text={manifest.created_by}
            shown={visibleText(nameOf(manifest.created_by) ?? manifest.created_by)}
          />,
        ],
        ["Pulls", countText(manifest.pulls)],
        ["Last pull", <Time key="pull" at={manifest.last_pull_at} />],
      ]}
    />
  );
}

function Pull({ repository, reference, manifest, domain }: DetailsProps & { domain: string }): ReactNode {
  const [byDigest, setByDigest] = useState(reference.includes(":"));
  const image = imageName(domain, repository.name, byDigest ? manifest.digest : reference);
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="flex-1">Pull</h3>
        {!reference.includes(":") && (
          <Button aria-pressed={byDigest} onClick={() => setByDigest(!byDigest)}>
            {byDigest ? "By tag" : "By digest"}
          </Button>
        )}
      </div>
      <Commands label="Pull by" commands={pullCommands(image)} />
    </>
  );
}

function Annotations({ manifest }: { manifest: Manifest }): ReactNode {
  const annotations = Object.entries(manifest.annotations);
  return (
    <>
      <h3>Annotations</h3>
      {annotations.length > 0 && (
        <Facts
          items={annotations.map(([name, value]) => [
            visibleText(name),
            <code key={name} className="whitespace-pre-wrap">
              {visibleText(value, { lines: true })}
            </code>,
          ])}
        />
      )}
      {annotations.length === 0 && <p className="text-ink-2">The manifest has no annotations.</p>}
    </>
  );
}
