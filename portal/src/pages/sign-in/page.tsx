import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState, type ReactNode } from "react";
import { sessionQuery } from "~/api/session.ts";
import { useSearchState } from "~/app/search.ts";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Loading } from "~/kit/page.tsx";
import { useSignInMethods } from "~/people/sign-in-methods.ts";
import { CookieNote, mayKeepCookies } from "~/people/cookie-note.tsx";
import { useBegunSession } from "~/people/finish.ts";
import { FirstStep } from "./first-step.tsx";
import { OpenFrame } from "~/people/frame.tsx";
import { safeReturnTo } from "./return-to.ts";
import { SecondStep, type SecondStepNeeded, type StepResult } from "~/people/second-step.tsx";

type Search = { return_to: string; email: string; error: string };

/** Signs a person in, in one or two steps. A signed-in person continues to the requested page. */
export function Page(): ReactNode {
  const [search] = useSearchState<Search>();
  const navigate = useNavigate();
  const { data: session, error } = useQuery(sessionQuery);
  const returnTo = safeReturnTo(search.return_to);
  const isIn = session !== null && session !== undefined;
  useEffect(() => {
    if (isIn) void navigate({ href: returnTo, replace: true });
  }, [isIn, navigate, returnTo]);
  if (isIn || (session === undefined && error === null))
    return (
      <OpenFrame title="Sign in">
        <Loading what={isIn ? "Continuing" : "Checking the session"} />
      </OpenFrame>
    );
  return <SignIn search={search} returnTo={returnTo} unreachable={error} />;
}

function SignIn({
  search,
  returnTo,
  unreachable,
}: {
  search: Partial<Search>;
  returnTo: string;
  unreachable: Error | null;
}): ReactNode {
  const [second, setSecond] = useState<SecondStepNeeded | null>(null);
  const [lost, setLost] = useState(false);
  const begun = useBegunSession();
  const { methods, passkeyPage } = useSignInMethods();
  const elsewhere = passkeyPage(`/sign-in?return_to=${encodeURIComponent(returnTo)}`);
  const failure = oidcFailureText(search.error);
  const onStep = (step: StepResult): void => {
    if (step.ticket !== null) setSecond({ ...step, ticket: step.ticket });
    // With a session, the page redirects.
    else
      begun().then(
        (session) => setLost(session === null),
        // The error is in the session query, and is shown above the form.
        () => undefined,
      );
  };
  if (second !== null && !lost)
    return (
      <OpenFrame title="One more step" about="The password is correct.">
        <SecondStep needed={second} onDone={onStep} onRestart={() => setSecond(null)} />
      </OpenFrame>
    );
  return (
    <OpenFrame
      title="Sign in"
      foot={
        <>
          {elsewhere !== null && (
            <p>
              Passkeys don’t work at this address.{" "}
              <a href={elsewhere} className="text-sea underline">
                Open the portal at localhost
              </a>{" "}
              to use one.
            </p>
          )}
          <p>
            <Link to="/reset" className="text-sea underline">
              Lost your password?
            </Link>{" "}
            No account? Ask an owner of your organization to invite you.
          </p>
        </>
      }
    >
      {(lost || !mayKeepCookies()) && <CookieNote after={lost} />}
      <ErrorNote error={unreachable} />
      {failure !== null && (
        <p role="alert" className="rounded border border-stop bg-stop-2 px-3 py-2">
          {failure}
        </p>
      )}
      <FirstStep methods={methods} email={search.email ?? ""} returnTo={returnTo} onStep={onStep} />
    </OpenFrame>
  );
}

/** Returns the message for a failed single sign-on. The server adds its code to the address. */
function oidcFailureText(code: string | undefined): string | null {
  if (code === "oidc_failed") return "The sign-in with the other service failed. Try again, or sign in another way.";
  if (code === "oidc_unreachable")
    return "The other service can't be reached now. Try again later, or sign in another way.";
  if (code === "oidc_unknown")
    return "The identity provider signed you in, but no account here has your address. Ask an owner of your organization to invite you.";
  if (code === "oidc_other")
    return "There is an account with your address here, but it is linked to another identity of the other service. If the account is yours, sign in with your password or passkey. Then link this identity under Account, Signing in. If the mailbox belonged to somebody else before, ask the operator of the server.";
  return null;
}
