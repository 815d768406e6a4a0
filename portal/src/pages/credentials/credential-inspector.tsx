import { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { AddressesText } from "~/access/addresses-field.tsx";
import { PendingNote } from "~/access/pending.tsx";
import { useAct, useRead } from "~/api/queries.ts";
import { useNamed } from "~/app/absent.tsx";
import { useConnect } from "~/app/connect/connect.tsx";
import { useMayIn } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { useMe } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { cn } from "~/kit/cn.ts";
import { Copyable } from "~/kit/copy.tsx";
import { Inspector } from "~/kit/inspector.tsx";
import { Facts, Loaded } from "~/kit/page.tsx";
import { Badge, State } from "~/kit/state.tsx";
import { Time, useNow } from "~/kit/time.tsx";
import { usePeople } from "~/access/people.ts";
import { ActivityPart } from "./activity.tsx";
import { usePolicy } from "./grant.ts";
import { Owner } from "./owner.tsx";
import { countdown, ownerLeft, stateOf, whyCut } from "./state.ts";
import { TrustedIssuers } from "./trusted-issuers.tsx";
import { topicOf } from "./topic-of.ts";
import type { Credential } from "./types.ts";

export type Act = "rotate" | "edit" | "revoke";

interface InspectorProps {
  id: string;
  onClose: () => void;
  onAct: (act: Act, credential: Credential) => void;
}

const RENEWED_MS = 15_000;

/** One credential: what it may do and why not all of it, its secrets, what it did lately. */
export function CredentialInspector({ id, onClose, onAct }: InspectorProps): ReactNode {
  const read = useRead(ORGANIZATION_ROUTES.getCredential, { params: { credential_id: id } }, { refetchMs: RENEWED_MS });
  const result = useNamed(read);
  const shown = result.data?.id === id ? result.data : undefined;
  return (
    <Inspector title={shown?.name ?? "Credential"} onClose={onClose}>
      <Loaded result={{ data: shown, error: result.error }}>
        {(credential) => <Details credential={credential} onAct={onAct} />}
      </Loaded>
    </Inspector>
  );
}

function Details({ credential, onAct }: { credential: Credential; onAct: InspectorProps["onAct"] }): ReactNode {
  return (
    <>
      {credential.pending && credential.revoked_at === null && <Approval credential={credential} />}
      <Acts credential={credential} onAct={onAct} />
      <About credential={credential} />
      <Part title="Permissions">
        <Permissions credential={credential} />
      </Part>
      <Part title="Secrets">
        <Secrets credential={credential} />
      </Part>
      {credential.kind === "app" && credential.revoked_at === null && (
        <Part title="Trusted issuers">
          <TrustedIssuers id={credential.id} />
        </Part>
      )}
      <Part title="Activity">
        <ActivityPart id={credential.id} />
        <AuditLink id={credential.id} />
      </Part>
    </>
  );
}

function Approval({ credential }: { credential: Credential }): ReactNode {
  const approve = useAct(ORGANIZATION_ROUTES.approveCredential, {
    changes: [ORGANIZATION_ROUTES.listCredentials, ORGANIZATION_ROUTES.getCredential],
  });
  return (
    <PendingNote
      what="credential"
      projectId={credential.project_id}
      busy={approve.isPending}
      error={approve.error}
      onApprove={() => approve.mutate({ params: { credential_id: credential.id } })}
    />
  );
}

function AuditLink({ id }: { id: string }): ReactNode {
  if (!useMayIn(null, "audit:read")) return null;
  return (
    <PageLink page="audit" search={{ target: id }}>
      In the audit log
    </PageLink>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <section className="flex min-w-0 flex-col gap-2 border-t border-line pt-3">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Acts({ credential, onAct }: { credential: Credential; onAct: InspectorProps["onAct"] }): ReactNode {
  const connect = useConnect();
  const mayWrite = useMayIn(credential.project_id, "credentials:write");
  const why = mayWrite ? undefined : "Your role lacks credentials:write";
  if (credential.revoked_at !== null) return null;
  const isPersonal = credential.kind === "personal";
  return (
    <div className="flex flex-wrap gap-2">
      {!isPersonal && (
        <>
          <Button
            onClick={() =>
              connect({ topic: topicOf(credential.effective_scopes), credential: { clientId: credential.client_id } })
            }
          >
            Connect
          </Button>
          <Button onClick={() => onAct("rotate", credential)} disabled={!mayWrite} title={why}>
            Rotate
          </Button>
        </>
      )}
      <Button onClick={() => onAct("edit", credential)} disabled={!mayWrite} title={why}>
        Change
      </Button>
      <Button look="danger" onClick={() => onAct("revoke", credential)} disabled={!mayWrite} title={why}>
        Revoke
      </Button>
      {why !== undefined && <p className="w-full text-s text-ink-2">{why}.</p>}
    </div>
  );
}

function About({ credential }: { credential: Credential }): ReactNode {
  const people = usePeople();
  const now = useNow(10_000);
  const me = useMe();
  const project = me?.projects.find(({ id }) => id === credential.project_id);
  const { kind, text } = stateOf(credential, ownerLeft(credential.created_by, people), now.getTime());
  return (
    <Facts
      items={[
        [
          "State",
          <State key="state" kind={kind}>
            {text}
          </State>,
        ],
        ["Kind", credential.kind === "app" ? "Of a program" : "Personal access token"],
        ["Client id", <Copyable key="id" text={credential.client_id} />],
        [
          "Reaches",
          credential.project_id === null ? "The whole organization" : (project?.name ?? credential.project_id),
        ],
        ["Used from", <AddressesText key="from" ranges={credential.allowed_addresses} />],
        ["Made by", <Owner key="owner" id={credential.created_by} />],
        ["Made", <Time key="made" at={credential.created_at} />],
        ["Ends", <Time key="ends" at={credential.expires_at} />],
        ...(credential.revoked_at === null
          ? []
          : [["Revoked", <Time key="revoked" at={credential.revoked_at} />] as const]),
        ...(credential.revoked_with === null
          ? []
          : [["With its parent", <Owner key="with" id={credential.revoked_with} />] as const]),
        [
          "Last used",
          <span key="used">
            <Time at={credential.last_used_at} />
            {credential.last_used_ip !== null && (
              <>
                {" "}
                from <code>{credential.last_used_ip}</code>
              </>
            )}
          </span>,
        ],
      ]}
    />
  );
}

function Permissions({ credential }: { credential: Credential }): ReactNode {
  const policy = usePolicy();
  const hasOwnerLeft = ownerLeft(credential.created_by, usePeople());
  return (
    <ul className="grid grid-cols-2 gap-1">
      {credential.scopes.map((scope) => {
        const counts = credential.effective_scopes.includes(scope);
        return (
          <li key={scope} className={cn("min-w-0", !counts && "col-span-2")}>
            <State kind={credential.revoked_at !== null ? "none" : counts ? "go" : "stop"}>
              <code>{scope}</code>
            </State>
            {!counts && credential.revoked_at === null && (
              <span className="block text-s text-ink-2">
                does not count:{" "}
                {credential.pending
                  ? "it waits for an approval"
                  : whyCut(scope, { policyScopes: policy.scopes, hasOwnerLeft })}
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function Secrets({ credential: { secrets, kind } }: { credential: Credential }): ReactNode {
  const isTwo = secrets.length > 1;
  const now = useNow(isTwo ? 1000 : 0);
  if (secrets.length === 0) return <p className="text-ink-2">None that is accepted.</p>;
  return (
    <ul className="flex flex-col gap-2">
      {secrets.map((secret, index) => {
        const left = secret.expires_at === null ? null : countdown(secret.expires_at, now.getTime());
        return (
          <li key={secret.id}>
            <p className="flex flex-wrap items-center gap-x-2">
              <code>…{secret.hint}</code>
              {isTwo && <Badge>{index === 0 ? "new" : "old"}</Badge>}
              <span className="text-ink-2">
                made <Time at={secret.created_at} />, last used <Time at={secret.last_used_at} />
              </span>
            </p>
            {isTwo && index > 0 && (
              <State kind="warn">
                <span className="whitespace-normal tabular-nums">
                  {left === null ? "Ends now" : `Ends in ${left}`}
                  {secret.last_used_at === null ? "; not used any more" : ": see that nothing uses it by then"}
                </span>
              </State>
            )}
          </li>
        );
      })}
      {kind === "personal" && <li className="text-ink-2">A personal token has no other secret.</li>}
    </ul>
  );
}
