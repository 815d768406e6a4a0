import { useState, type ReactNode } from "react";
import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useList } from "~/api/queries.ts";
import { useMay, useProject } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { Page as Frame } from "~/kit/page.tsx";
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
} as const;

/** Credentials of programs and personal tokens: what they may do, who made them, what they did lately. */
export function Page(): ReactNode {
  const [search, change] = useSearchState<CredentialSearch>();
  const project = useProject();
  const mayWrite = useMay("credentials:write");
  const [made, setMade] = useState<NewCredential | null>(null);
  const list = useList(ORGANIZATION_ROUTES.listCredentials, {
    query: {
      ...(project === null ? {} : { project: project.slug }),
      ...(search.revoked === true ? { include_revoked: true } : {}),
    },
  });
  return (
    <Frame
      title="Credentials"
      about={
        project === null ? (
          "What programs identify themselves with, and people's access tokens."
        ) : (
          <>
            Those that reach {project.name} only.{" "}
            <PageLink page="credentials" project="-" className="text-sea underline">
              All of the organization
            </PageLink>
          </>
        )
      }
      actions={
        <Button
          look="main"
          disabled={!mayWrite}
          title={mayWrite ? undefined : "Your role lacks credentials:write"}
          onClick={() => change({ new: true }, { push: true })}
        >
          New credential
        </Button>
      }
    >
      <WithInspector
        inspector={
          search.credential !== undefined && (
            <Opened id={search.credential} onMade={setMade} onClose={() => change({ credential: undefined })} />
          )
        }
      >
        <CredentialList list={list} search={search} onChange={change} />
      </WithInspector>
      {search.new !== undefined && made === null && (
        <CreateDialog
          search={search}
          project={project?.slug ?? null}
          onCreated={(credential) => {
            setMade(credential);
            change({ ...NO_FORM, credential: credential.id });
          }}
          onClose={() => change(NO_FORM)}
        />
      )}
      {made !== null && <CreatedDialog made={made} title={`Secret of ${made.name}`} onClose={() => setMade(null)} />}
    </Frame>
  );
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
