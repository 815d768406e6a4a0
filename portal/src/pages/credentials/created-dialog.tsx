import { useState, type ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { useConnect } from "~/app/connect/connect.tsx";
import { SnippetChoice } from "~/app/connect/snippet-choice.tsx";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { Facts } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { secretSnippets } from "./secret-snippets.ts";
import { TestNow } from "./test-now.tsx";
import { topicOf } from "./topic-of.ts";
import type { NewCredential } from "./types.ts";

/** A secret in the one moment in which it can be seen: where to put it, and whether it works. */
export function CreatedDialog({
  made,
  title,
  onClose,
}: {
  made: NewCredential;
  title: string;
  onClose: () => void;
}): ReactNode {
  const [isAsked, setIsAsked] = useState(false);
  const [isKept, setIsKept] = useState(made.client_secret === null);
  const close = (): void => (isKept || isAsked ? onClose() : setIsAsked(true));
  return (
    <Dialog
      holdsSecret
      title={title}
      about="The secret is shown this once. Put it where it belongs before you close this."
      onClose={close}
      wide
    >
      {isAsked && (
        <p role="alert" className="rounded border border-warn bg-warn-2 px-3 py-2">
          The secret is gone when this closes; another one is made by rotating. Close once more if that is right.
        </p>
      )}
      {made.client_secret === null ? (
        <p>This answer was given before, and a secret is shown once only. Rotate the credential to get another one.</p>
      ) : (
        <WithSecret made={made} clientSecret={made.client_secret} />
      )}
      <DialogActions>
        <Button
          look="main"
          onClick={() => {
            setIsKept(true);
            onClose();
          }}
        >
          I have put it away
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function WithSecret({ made, clientSecret }: { made: NewCredential; clientSecret: string }): ReactNode {
  const addresses = useAddresses();
  const connect = useConnect();
  const snippets = secretSnippets({
    clientId: made.client_id,
    clientSecret,
    name: made.name,
    identityUrl: addresses?.identity_url ?? location.origin,
    registryDomain: addresses?.registry_domain ?? location.host,
    mayRegistry: made.effective_scopes.some((scope) => scope.startsWith("registry:")),
  });
  return (
    <>
      <Facts
        items={[
          ["Client id", <CopyBlock key="id" text={made.client_id} label="client id" />],
          ["Client secret", <CopyBlock key="secret" text={clientSecret} label="client secret" />],
        ]}
      />
      {made.pending ? (
        <p>
          <State kind="warn">
            <span className="whitespace-normal">
              It waits for an approval: put the secret away now, and ask an owner or admin to approve the credential.
            </span>
          </State>
        </p>
      ) : (
        <TestNow clientId={made.client_id} clientSecret={clientSecret} />
      )}
      <SnippetChoice label="Where to put it" snippets={snippets} />
      <p>
        <Button
          onClick={() =>
            connect({ topic: topicOf(made.effective_scopes), credential: { clientId: made.client_id, clientSecret } })
          }
        >
          More commands with this secret
        </Button>
      </p>
    </>
  );
}
