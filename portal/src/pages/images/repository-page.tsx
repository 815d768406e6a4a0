import { REGISTRY_API_ROUTES } from "@mooring/contract";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useRead } from "~/api/queries.ts";
import { useNamed } from "~/app/absent.tsx";
import { PageLink } from "~/app/page-link.tsx";
import { CopyButton, Copyable } from "~/kit/copy.tsx";
import { bytesText, countText, plural } from "~/kit/figures.ts";
import { WithInspector } from "~/kit/inspector.tsx";
import { Loaded, Page as Frame } from "~/kit/page.tsx";
import { PROSE_LINK } from "~/kit/prose-link.ts";
import { curlOf } from "~/kit/shell.ts";
import { Badge } from "~/kit/state.tsx";
import { Tabs } from "~/kit/tabs.tsx";
import { Time } from "~/kit/time.tsx";
import { useTextSearchState } from "~/kit/text-search-state.ts";
import type { Repository } from "./images.ts";
import { ImageInspector } from "./image-inspector.tsx";
import { RulesTab } from "./rules-tab.tsx";
import { referenceOf, type SearchState } from "./search.ts";
import { SettingsTab } from "./settings-tab.tsx";
import { TagList } from "./tag-list.tsx";

/** One repository: its tags, its retention rules, and who may pull. */
export function Page(): ReactNode {
  const { app = "" }: { app?: string } = useParams({ strict: false });
  const read = useRead(
    REGISTRY_API_ROUTES.getImageRepository,
    { params: { app_id: app }, purpose: "read the repository" },
    { refetchMs: 30_000 },
  );
  const result = useNamed(read, ({ project_id }) => project_id);
  return (
    <Frame
      title={result.data?.slug ?? app}
      about={
        <>
          <PageLink page="images" className={PROSE_LINK}>
            Images
          </PageLink>{" "}
          / {result.data?.slug ?? app}
        </>
      }
      actions={<CopyButton text={curlOf(`${location.origin}/v1/registry/repositories/${app}`)} label="Copy as curl" />}
    >
      <Loaded result={result}>{(repository) => <Parts key={repository.app_id} repository={repository} />}</Loaded>
    </Frame>
  );
}

function Parts({ repository }: { repository: Repository }): ReactNode {
  const [search, setSearch] = useTextSearchState<SearchState>();
  const close = (): void => setSearch({ ref: undefined });
  return (
    <>
      <Summary repository={repository} />
      <WithInspector
        inspector={
          search.ref !== undefined && (
            <ImageInspector
              key={search.ref}
              repository={repository}
              reference={referenceOf(search.ref)}
              onClose={close}
            />
          )
        }
      >
        <Tabs
          label="Parts of the repository"
          value={search.tab ?? "tags"}
          onChange={(tab) => setSearch({ tab: tab === "tags" ? undefined : tab, ref: undefined })}
          tabs={[
            { id: "tags", title: `Tags (${countText(repository.tags)})`, content: <TagList repository={repository} /> },
            { id: "rules", title: "Rules", content: <RulesTab repository={repository} /> },
            { id: "settings", title: "Settings", content: <SettingsTab repository={repository} /> },
          ]}
        />
      </WithInspector>
    </>
  );
}

function Summary({ repository }: { repository: Repository }): ReactNode {
  const domain = useAddresses()?.registry_domain ?? "";
  return (
    <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-ink-2">
      <Copyable text={`${domain}/${repository.name}`} />
      <Badge>{repository.public ? "public: everybody may pull" : "pull with credentials"}</Badge>
      <span>{plural(repository.manifests, "manifest")}</span>
      <span>{bytesText(repository.size_bytes)}</span>
      <span>{plural(repository.pulls, "pull")}</span>
      <span>
        last push <Time at={repository.last_push_at} />
      </span>
      <span>
        last pull <Time at={repository.last_pull_at} />
      </span>
    </p>
  );
}
