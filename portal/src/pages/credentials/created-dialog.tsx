import type { ReactNode } from "react";
import type { NewCredential } from "~/access/credentials.ts";
import { PendingSecretNote } from "~/access/pending.tsx";
import { useAddresses } from "~/api/addresses.ts";
import { useConnect } from "~/app/connect/connect.tsx";
import { SnippetChoice } from "~/app/connect/snippet-choice.tsx";
import { Button } from "~/kit/button.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { SecretDialog } from "~/kit/secret-dialog.tsx";
import { secretSnippets } from "./secret-snippets.ts";
import { TestNow } from "./test-now.tsx";
import { topicOf } from "./topic-of.ts";

/** The secret of a new or rotated credential, with snippets that store it and a test. */
export function CreatedDialog({ created, onClose }: { created: NewCredential; onClose: () => void }): ReactNode {
  const { client_secret: clientSecret } = created;
  return (
    <SecretDialog
      title={`Secret of ${visibleText(created.name)}`}
      label="Client secret"
      secret={clientSecret}
      beside={[["Client id", created.client_id]]}
      another="Rotate the credential to get another one."
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
