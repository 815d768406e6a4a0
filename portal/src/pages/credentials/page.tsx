import { RESOURCE_KINDS } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useFirstProject } from "~/access/create-dialog.tsx";
import type { Credential, NewCredential } from "~/access/credentials.ts";
import { Part } from "~/access/inspector.tsx";
import { AccessPage } from "~/access/page.tsx";
import { RotateDialog } from "~/access/rotate-dialog.tsx";
import { Secrets } from "~/access/secrets.tsx";
import { useConnect } from "~/app/connect/connect.tsx";
import { useWhyNotIn } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { useProject } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { CreateCredential } from "./create-dialog.tsx";
import { CreatedDialog } from "./created-dialog.tsx";
import { FindLeak } from "./find-leak.tsx";
import { CREDENTIALS } from "./kind.tsx";
import { topicOf } from "./topic-of.ts";
import { TrustedIssuers } from "./trusted-issuers.tsx";

const FORM_PARAMS = ["template", "name", "scopes", "for_project", "expires_days", "without_secret"];

/** Credentials of programs, and personal access tokens. */
export function Page(): ReactNode {
  const project = useProject();
  const first = useFirstProject(project);
  return (
    <AccessPage<Credential, NewCredential>
      kind={CREDENTIALS}
      title="Credentials"
      actions={<FindLeak />}
      about={<About project={project} />}
      emptyAbout="A program gets its access tokens with a credential: a client id, and a secret that is shown once."
      emptyCommand="npx mooring credential create --name shipper --scope telemetry:write --save shipper.json"
      formParams={[...FORM_PARAMS, ...RESOURCE_KINDS]}
      form={({ search, onCreated, onClose }) => (
        <CreateCredential search={search} project={first} onCreated={onCreated} onClose={onClose} />
      )}
      // A credential without a secret needs no dialog. A repeated answer shows a note.
      hasSecret={({ client_secret, replayed }) => client_secret !== null || replayed === true}
      secret={(created, onClose) => <CreatedDialog created={created} onClose={onClose} />}
      idOf={({ id }) => id}
      buttons={(credential, onSecret) =>
        credential.kind === "app" && <AppButtons credential={credential} onSecret={onSecret} />
      }
      parts={(credential) => (
        <>
          <Part title="Secrets">
            <Secrets secrets={credential.secrets}>
              {credential.kind === "personal" && (
                <li className="text-ink-2">A personal access token has no other secret.</li>
              )}
            </Secrets>
          </Part>
          {credential.kind === "app" && credential.revoked_at === null && (
            <Part title="Trusted issuers">
              <TrustedIssuers id={credential.id} />
            </Part>
          )}
        </>
      )}
    />
  );
}

function About({ project }: { project: { readonly name: string } | null }): ReactNode {
  if (project === null)
    return "Programs sign in with credentials. Personal access tokens and ingest keys are listed too.";
  return (
    <>
      Credentials of {project.name} only.{" "}
      <PageLink page="credentials" project="-" className="text-sea underline">
        All of the organization
      </PageLink>
    </>
  );
}

interface AppButtonsProps {
  credential: Credential;
  onSecret: (created: NewCredential) => void;
}

function AppButtons({ credential, onSecret }: AppButtonsProps): ReactNode {
  const connect = useConnect();
  const [isRotating, setRotating] = useState(false);
  const why = useWhyNotIn(credential.project_id, "credentials:write");
  return (
    <>
      <Button
        onClick={() =>
          connect({ topic: topicOf(credential.effective_scopes), credential: { clientId: credential.client_id } })
        }
      >
        Connect
      </Button>
      <Button onClick={() => setRotating(true)} disabled={why !== undefined} title={why}>
        Rotate
      </Button>
      {isRotating && (
        <RotateDialog
          credential={credential}
          onRotated={(created) => {
            setRotating(false);
            onSecret(created);
          }}
          onClose={() => setRotating(false)}
        />
      )}
    </>
  );
}
