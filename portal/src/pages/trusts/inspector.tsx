import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useRead } from "~/api/queries.ts";
import { useNamed } from "~/app/absent.tsx";
import { SnippetChoice } from "~/app/connect/snippet-choice.tsx";
import { useMayIn } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { Button } from "~/kit/button.tsx";
import { Copyable } from "~/kit/copy.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Inspector } from "~/kit/inspector.tsx";
import { useNames } from "~/kit/names.ts";
import { Facts, Loaded } from "~/kit/page.tsx";
import { Time } from "~/kit/time.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { trustSnippets } from "./snippets.ts";
import { TestPanel } from "./test-panel.tsx";
import type { Trust } from "./types.ts";

const RENEWED_MS = 15_000;

/** Shows one trust: its facts, how a job uses it, a test for a token, and its deletion. */
export function TrustInspector({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const read = useRead(
    ORGANIZATION_ROUTES.getTrust,
    { params: { trust_id: id }, purpose: "read the trust" },
    { refetchMs: RENEWED_MS },
  );
  const result = useNamed(read);
  return (
    <Inspector title={result.data === undefined ? "Trust" : <ForeignText text={result.data.name} />} onClose={onClose}>
      <Loaded result={result}>{(trust) => <Details trust={trust} onDeleted={onClose} />}</Loaded>
    </Inspector>
  );
}

function Details({ trust, onDeleted }: { trust: Trust; onDeleted: () => void }): ReactNode {
  const mayWrite = useMayIn(trust.credential.project_id, "credentials:write");
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <TrustFacts trust={trust} />
      <div className="flex flex-wrap gap-2">
        <Button
          look="danger"
          disabled={!mayWrite}
          title={mayWrite ? undefined : "Your role lacks credentials:write"}
          onClick={() => setDeleting(true)}
        >
          Delete…
        </Button>
      </div>
      <h3>Use it in a job</h3>
      <UseIt trust={trust} />
      <h3>Test a token</h3>
      <TestPanel trustId={trust.id} />
      {isDeleting && <DeleteDialog trust={trust} onDeleted={onDeleted} onClose={() => setDeleting(false)} />}
    </>
  );
}

function TrustFacts({ trust }: { trust: Trust }): ReactNode {
  const nameOf = useNames();
  const claims = Object.entries(trust.claims);
  return (
    <Facts
      items={[
        [
          "Signs in as",
          <PageLink key="as" page="credentials" search={{ credential: trust.credential.id }}>
            <ForeignText text={trust.credential.name} />
          </PageLink>,
        ],
        ["Client id", <Copyable key="client" text={trust.credential.client_id} />],
        ["Issuer", <Copyable key="issuer" text={trust.issuer} shown={visibleText(trust.issuer)} />],
        ["Audience", <Copyable key="audience" text={trust.audience} shown={visibleText(trust.audience)} />],
        ["Subject", <Copyable key="subject" text={trust.subject} shown={visibleText(trust.subject)} />],
        ...(claims.length === 0
          ? []
          : [
              [
                "Claims",
                <code key="claims">{claims.map(([name, value]) => visibleText(`${name}=${value}`)).join(", ")}</code>,
              ] as const,
            ]),
        ["Created", <Time key="made" at={trust.created_at} />],
        [
          "Created by",
          <Copyable
            key="by"
            text={trust.created_by}
            shown={visibleText(nameOf(trust.created_by) ?? trust.created_by)}
          />,
        ],
        ["Last used", <LastUse key="used" trust={trust} />],
      ]}
    />
  );
}

function LastUse({ trust: { last_used_at: at, last_subject: subject } }: { trust: Trust }): ReactNode {
  return (
    <>
      <Time at={at} />
      {subject !== null && (
        <>
          {" "}
          by <code>{visibleText(subject)}</code>
        </>
      )}
    </>
  );
}

function UseIt({ trust }: { trust: Trust }): ReactNode {
  const addresses = useAddresses();
  const credential = useRead(ORGANIZATION_ROUTES.getCredential, { params: { credential_id: trust.credential.id } });
  const scopes = credential.data?.effective_scopes;
  const snippets = trustSnippets({
    issuer: trust.issuer,
    subject: trust.subject,
    audience: trust.audience,
    clientId: trust.credential.client_id,
    identityUrl: addresses?.identity_url ?? location.origin,
    registryDomain: addresses?.registry_domain ?? location.host,
    mayRegistry: scopes === undefined ? null : scopes.some((scope) => scope.startsWith("registry:")),
  });
  return <SnippetChoice label="Use it in a job" snippets={snippets} />;
}
