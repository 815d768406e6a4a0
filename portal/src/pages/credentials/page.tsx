import { useState, type ReactNode } from "react";
import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useList } from "~/api/queries.ts";
import { useMayAnywhere, useMayIn, useProjectsFor } from "~/app/may.ts";
import { useMe, useProject } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { CopyButton } from "~/kit/copy.tsx";
import { curlOf } from "~/kit/shell.ts";
import { Loading, Page as Frame } from "~/kit/page.tsx";
import { WithInspector } from "~/kit/inspector.tsx";
import { PageLink } from "~/app/page-link.tsx";
import { CreateDialog } from "./create-dialog.tsx";
import { CreatedDialog } from "./created-dialog.tsx";
import { CredentialInspector, type Act } from "./credential-inspector.tsx";
import { CredentialList } from "./credential-list.tsx";
import { EditDialog } from "./edit-dialog.tsx";
import { RevokeDialog } from "./revoke-dialog.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import type { Credential, CredentialSearch, NewCredential } from "./types.ts";

const NO_FORM = {
  new: undefined,
  template: undefined,
  name: undefined,
  scopes: undefined,
  for_project: undefined,
  expires_days: undefined,
  without_secret: undefined,
} as const;

/** Credentials of programs and personal tokens: what they may do, who made them, what they did lately. */
export function Page(): ReactNode {
  const [search, change] = useSearchState<CredentialSearch>();
  const project = useProject();
  const me = useMe();
  const mayRead = useMayAnywhere("credentials:read");
  const mayWrite = useMayAnywhere("credentials:write");
  return (
    <Frame
      title="Credentials"
      about={<About project={project} />}
      actions={
        <>
          <CopyButton text={curlOf(`${location.origin}/v1/credentials?limit=100`)} label="Copy as curl" />
          <Button
            look="main"
            disabled={!mayWrite}
            title={mayWrite ? undefined : "Your role lacks credentials:write"}
            onClick={() => change({ new: true }, { push: true })}
          >
            New credential
          </Button>
        </>
      }
    >
      {me === undefined && <Loading />}
      {me !== undefined && !mayRead && (
        <p>
          Your role {me.role} lacks <code>credentials:read</code>, so you can't see credentials. An owner or an admin
          can give you another role.
        </p>
      )}
      {me !== undefined && mayRead && <Credentials search={search} change={change} project={project} />}
    </Frame>
  );
}

function About({ project }: { project: { readonly name: string } | null }): ReactNode {
  if (project === null) return "What programs identify themselves with, and people's access tokens.";
  return (
    <>
      Those that reach {project.name} only.{" "}
      <PageLink page="credentials" project="-" className="text-sea underline">
        All of the organization
      </PageLink>
    </>
  );
}

interface CredentialsProps {
  search: Partial<CredentialSearch>;
  change: (part: Partial<CredentialSearch>, options?: { push?: boolean }) => void;
  project: { readonly slug: string } | null;
}

function Credentials({ search, change, project }: CredentialsProps): ReactNode {
  const [made, setMade] = useState<NewCredential | null>(null);
  const home = useHome(project);
  const list = useList(ORGANIZATION_ROUTES.listCredentials, {
    query: {
      ...(project === null ? {} : { project: project.slug }),
      ...(search.revoked === true ? { include_revoked: true } : {}),
    },
  });
  return (
    <>
      <WithInspector
        inspector={
          search.credential !== undefined && (
            <Opened
              key={search.credential}
              id={search.credential}
              onMade={setMade}
              onClose={() => change({ credential: undefined })}
            />
          )
        }
      >
        <CredentialList list={list} search={search} onChange={change} />
      </WithInspector>
      {search.new !== undefined && made === null && (
        <CreateDialog
          search={search}
          project={home}
          onCreated={(credential) => {
            if (credential.client_secret !== null || credential.replayed === true) setMade(credential);
            change({ ...NO_FORM, credential: credential.id });
          }}
          onClose={() => change(NO_FORM)}
        />
      )}
      {made !== null && <CreatedDialog made={made} title={`Secret of ${made.name}`} onClose={() => setMade(null)} />}
    </>
  );
}

/** The project that a new credential is for at first: the page's, or the one in which alone one can make any. */
function useHome(project: { readonly slug: string } | null): string | null {
  const mayEverywhere = useMayIn(null, "credentials:write");
  const [own] = useProjectsFor("credentials:write");
  return project?.slug ?? (mayEverywhere ? null : (own?.slug ?? null));
}

/** The credential that is open at the side, and what is done to it. */
function Opened({
  id,
  onMade,
  onClose,
}: {
  id: string;
  onMade: (made: NewCredential) => void;
  onClose: () => void;
}): ReactNode {
  const [act, setAct] = useState<{ what: Act; credential: Credential } | null>(null);
  const stop = (): void => setAct(null);
  return (
    <>
      <CredentialInspector id={id} onClose={onClose} onAct={(what, credential) => setAct({ what, credential })} />
      {act?.what === "edit" && <EditDialog credential={act.credential} onClose={stop} />}
      {act?.what === "revoke" && <RevokeDialog credential={act.credential} onClose={stop} />}
      {act?.what === "rotate" && (
        <RotateDialog
          credential={act.credential}
          onRotated={(made) => {
            stop();
            onMade(made);
          }}
          onClose={stop}
        />
      )}
    </>
  );
}
