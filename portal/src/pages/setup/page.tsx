import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { ConfirmationProvider } from "~/api/confirmation.tsx";
import { sessionQuery } from "~/api/session.ts";
import { ButtonLink } from "~/kit/button.tsx";
import { useSignInMethods } from "~/people/sign-in-methods.ts";
import { CookieNote, mayKeepCookies } from "~/people/cookie-note.tsx";
import { useBegunSession } from "~/people/finish.ts";
import { OpenFrame, Steps } from "~/people/frame.tsx";
import { forgetLinkToken, useLinkToken } from "~/people/link-token.ts";
import { AccountStep, UsedLink } from "./account-step.tsx";
import { CredentialStep, type SetUpResult } from "./credential-step.tsx";
import { SecureStep } from "./secure-step.tsx";

const STEPS = ["Your account", "Secure it", "First credential"];

/** Sets up an owner's account in three steps: account, second factor, first credential. */
export function Page(): ReactNode {
  const token = useLinkToken();
  const begun = useBegunSession();
  const { data: session } = useQuery(sessionQuery);
  const [result, setResult] = useState<SetUpResult | null>(null);
  const [usedToken, setUsedToken] = useState<string | null>(null);
  const [isLast, setIsLast] = useState(false);
  const onSetUp = async (done: SetUpResult): Promise<void> => {
    forgetLinkToken();
    const signedIn = await begun().catch(() => null);
    // Without a session, a second factor cannot be set up.
    setIsLast(signedIn === null);
    setResult(done);
  };
  if (result === null && token === "") return <NoSecret signedInAs={session?.user.email} />;
  if (result === null && token === usedToken)
    return (
      <OpenFrame title="This set-up link does not work any more">
        <UsedLink />
      </OpenFrame>
    );
  if (result === null)
    return (
      <OpenFrame
        title="Set up the owner’s account"
        about="You own an organization on this server. Choose your name and a password."
        steps={<Steps titles={STEPS} current={0} />}
        foot={<Before token={token} signedInAs={session?.user.email} />}
      >
        {!mayKeepCookies() && <CookieNote />}
        <AccountStep token={token} onDone={(done) => void onSetUp(done)} onUsed={() => setUsedToken(token)} />
      </OpenFrame>
    );
  if (!isLast && session)
    return (
      <ConfirmationProvider>
        <OpenFrame
          title="Secure the account"
          about="The password of an owner gives access to everything, so add a second factor."
          steps={<Steps titles={STEPS} current={1} />}
        >
          <SecureStep onNext={() => setIsLast(true)} />
        </OpenFrame>
      </ConfirmationProvider>
    );
  return (
    <OpenFrame
      title="Your first credential"
      about={<AboutCredential result={result} />}
      steps={<Steps titles={STEPS} current={2} />}
      wide
    >
      {!session && <CookieNote after />}
      <CredentialStep result={result} signedIn={Boolean(session)} />
    </OpenFrame>
  );
}

function AboutCredential({ result: { organization, project } }: { result: SetUpResult }): ReactNode {
  const reach = project === null ? organization.slug : `the project ${project.slug} of ${organization.slug}`;
  return `For programs that send telemetry to ${reach}, query it, store files and push images. It has no other permissions. Create other credentials under Credentials.`;
}

/** Warns that the current session ends, and that passkeys need another address of this server. */
function Before({ token, signedInAs }: { token: string; signedInAs: string | undefined }): ReactNode {
  const elsewhere = useSignInMethods().passkeyPage(`/setup#${token}`);
  return (
    <>
      {signedInAs !== undefined && (
        <p>You are signed in as {signedInAs}. Setting up ends that session in this browser.</p>
      )}
      {elsewhere !== null && (
        <p>
          Browsers do not allow passkeys at <code>{location.host}</code>. To use one,{" "}
          <a href={elsewhere} className="text-sea underline">
            open this link at localhost
          </a>
          .
        </p>
      )}
    </>
  );
}

function NoSecret({ signedInAs }: { signedInAs: string | undefined }): ReactNode {
  return (
    <OpenFrame title="Set up the owner’s account">
      <p>
        This address has no secret. Open the complete set-up link, with the part after the <code>#</code>. After a
        reload, open the link again.
      </p>
      <p className="text-ink-2">
        The server prints a link each time it starts, until somebody has set up the first account.
      </p>
      <ButtonLink look="main" to={signedInAs === undefined ? "/sign-in" : "/"} className="self-start">
        {signedInAs === undefined ? "Sign in" : "Go to the start"}
      </ButtonLink>
    </OpenFrame>
  );
}
