import type { PORTAL_ROUTES, ResultOf } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { pagePath } from "~/app/page-link.tsx";
import { WHOLE_ORGANIZATION } from "~/app/scope.ts";
import { Button, ButtonLink } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { State } from "~/kit/state.tsx";
import { Tabs } from "~/kit/tabs.tsx";
import { downloadText } from "~/people/download.ts";
import { envFile, firstLogCommands, tokenCommand } from "./snippets.ts";

export type SetUpResult = ResultOf<typeof PORTAL_ROUTES.setUp>;

/** Shows the first credential once, with first commands. */
export function CredentialStep({ result, signedIn }: { result: SetUpResult; signedIn: boolean }): ReactNode {
  const { credential, user } = result;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {credential === null ? (
        <p>
          No credential was created, because the organization's policy does not allow credentials to send telemetry,
          store files and push images. An owner can change the policy under Settings.
        </p>
      ) : (
        <Secret credential={credential} addresses={result.addresses} />
      )}
      <p>
        You sign in here as <code className="break-all">{user.email}</code>, with your password.
      </p>
      <Onward result={result} signedIn={signedIn} />
      <p className="text-s text-ink-2">
        The home page has a list of first steps: a log entry, a file, an image, a webhook. Each turns green when it is
        done.
      </p>
    </div>
  );
}

function Secret({
  credential,
  addresses,
}: {
  credential: NonNullable<SetUpResult["credential"]>;
  addresses: SetUpResult["addresses"];
}): ReactNode {
  const [tab, setTab] = useState("env");
  const [at] = useState(() => new Date().toISOString());
  const first = {
    clientId: credential.client_id,
    clientSecret: credential.client_secret,
    portalUrl: addresses.portal_url,
    identityUrl: addresses.identity_url,
    ingestUrl: addresses.ingest_url,
    queryUrl: addresses.query_url,
  };
  const env = envFile(first);
  const tabs = [
    ["env", ".env", env],
    ["token", "Token by curl", tokenCommand(first)],
    ["log", "First log entry", firstLogCommands(first, at)],
  ] as const;
  return (
    <>
      <State kind="warn">
        <span className="whitespace-normal">The secret is shown only once. Save it with your passwords.</span>
      </State>
      <dl className="grid gap-x-4 gap-y-2 sm:grid-cols-[max-content_minmax(0,1fr)] sm:items-center">
        <dt className="text-ink-3">Client id</dt>
        <dd className="min-w-0">
          <CopyBlock text={credential.client_id} label="Client id" />
        </dd>
        <dt className="text-ink-3">Client secret</dt>
        <dd className="min-w-0">
          <CopyBlock text={credential.client_secret} label="Client secret" />
        </dd>
      </dl>
      <Tabs
        label="Ways to use it"
        value={tab}
        onChange={setTab}
        tabs={tabs.map(([id, title, text]) => ({ id, title, content: <CopyBlock text={text} label={title} /> }))}
      />
      <Button className="self-start" onClick={() => downloadText("mooring.env", env)}>
        Download .env
      </Button>
    </>
  );
}

/** A link to the credential's project, where the sent data is shown. */
function Onward({
  result: { organization, project },
  signedIn,
}: {
  result: SetUpResult;
  signedIn: boolean;
}): ReactNode {
  const path = pagePath(organization.slug, project?.slug ?? WHOLE_ORGANIZATION, "");
  return (
    <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line pt-4">
      <ButtonLink look="main" {...(signedIn ? { to: path } : { to: "/sign-in", search: { return_to: path } })}>
        {signedIn ? `Go to ${project?.slug ?? organization.slug}` : "Sign in"}
      </ButtonLink>
    </div>
  );
}
