import type { ReactNode } from "react";
import type { NewCredential } from "~/access/credentials.ts";
import { PendingSecretNote } from "~/access/pending.tsx";
import { SecretDialog } from "~/access/secret-dialog.tsx";
import { useAddresses } from "~/api/addresses.ts";
import { useConnect } from "~/app/connect/connect.tsx";
import { SnippetChoice } from "~/app/connect/snippet-choice.tsx";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Facts } from "~/kit/page.tsx";
import { secretSnippets } from "./secret-snippets.ts";
import { TestNow } from "./test-now.tsx";
import { topicOf } from "./topic-of.ts";

/** The secret of a new or rotated credential, with snippets that store it and a test. */
export function CreatedDialog({ created, onClose }: { created: NewCredential; onClose: () => void }): ReactNode {
  const { client_secret: clientSecret } = created;
  return (
    <SecretDialog
      title={`Secret of ${created.name}`}
      another="Rotate the credential to get another one."
      hasSecret={clientSecret !== null}
      onClose={onClose}
    >
      {clientSecret !== null && <WithSecret created={created} clientSecret={clientSecret} />}
    </SecretDialog>
  );
}

function WithSecret({ created, clientSecret }: { created: NewCredential; clientSecret: string }): ReactNode {
  const addresses = useAddresses();
  const connect = useConnect();
  const snippets = secretSnippets({
    clientId: created.client_id,
    clientSecret,
    name: created.name,
    identityUrl: addresses?.identity_url ?? location.origin,
    registryDomain: addresses?.registry_domain ?? location.host,
    mayRegistry: created.effective_scopes.some((scope) => scope.startsWith("registry:")),
  });
  return (
    <>
      <Facts
        items={[
          ["Client id", <CopyBlock key="id" text={created.client_id} label="client id" />],
          ["Client secret", <CopyBlock key="secret" text={clientSecret} label="client secret" />],
        ]}
      />
      {created.pending ? (
        <PendingSecretNote noun="credential" />
      ) : (
        <TestNow clientId={created.client_id} clientSecret={clientSecret} />
      )}
      <SnippetChoice label="Store the secret" snippets={snippets} />
      <p>
        <Button
          onClick={() =>
            connect({
              topic: topicOf(created.effective_scopes),
              credential: { clientId: created.client_id, clientSecret },
            })
          }
        >
          More commands with this secret
        </Button>
      </p>
    </>
  );
}
