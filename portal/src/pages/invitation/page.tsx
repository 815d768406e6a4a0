import { PORTAL_ROUTES } from "@mooring/contract";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { sessionClient } from "~/api/clients.ts";
import { sessionQuery } from "~/api/session.ts";
import { pagePath } from "~/app/page-link.tsx";
import { useSearchState } from "~/app/search.ts";
import { WHOLE_ORGANIZATION } from "~/app/scope.ts";
import { Button, ButtonLink } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Loading } from "~/kit/page.tsx";
import { useSay } from "~/kit/toast.tsx";
import { CookieNote, mayKeepCookies } from "~/people/cookie-note.tsx";
import { useBegunSession } from "~/people/finish.ts";
import { OpenFrame } from "~/people/frame.tsx";
import { forgetLinkToken, useLinkToken } from "~/people/link-token.ts";
import { SecondStep, type SecondStepNeeded, type StepResult } from "~/people/second-step.tsx";
import { AcceptForm, type Accepted } from "./accept-form.tsx";
import { AcceptSignedIn } from "./accept-signed-in.tsx";

/** The state between acceptance and sign-in. */
interface Joined {
  readonly accepted: Accepted;
  /** The password, for another attempt to sign in. It is only in memory. */
  readonly password: string;
  readonly second: SecondStepNeeded | null;
  readonly error: Error | null;
}

/** Accepts an invitation, then signs in with the same password. */
export function Page(): ReactNode {
  const token = useLinkToken();
  const [search] = useSearchState<{ error: string }>();
  const { data: session } = useQuery(sessionQuery);
  const [asOther, setAsOther] = useState(false);
  const arrive = useArrive();
  const [joined, setJoined] = useState<Joined | null>(null);
  const goOn = useGoOn(setJoined);
  const enter = async (accepted: Accepted, password: string): Promise<void> => {
    const start: Joined = { accepted, password, second: null, error: null };
    setJoined(start);
    try {
      const body = { email: accepted.user.email, password };
      await goOn(start, await sessionClient.call(PORTAL_ROUTES.signInWithPassword, { body, purpose: "sign in" }));
    } catch (error) {
      setJoined({ ...start, error: error as Error });
    }
  };
  const onAccepted = (accepted: Accepted, password: string): void => {
    forgetLinkToken();
    void enter(accepted, password);
  };
  if (joined !== null)
    return (
      <Entering
        joined={joined}
        onStep={(step) =>
          void goOn(joined, step).catch((error: unknown) => setJoined({ ...joined, error: error as Error }))
        }
        onAgain={() => void enter(joined.accepted, joined.password)}
      />
    );
  if (token === "") return <NoSecret wasNotInvited={search.error === "oidc_not_invited"} />;
  const isIn = session !== null && session !== undefined;
  return (
    <OpenFrame
      title="Accept the invitation"
      about="You were invited to an organization on this server."
      foot={
        isIn &&
        asOther && <p>You are signed in as {session.user.email}. Accepting ends that session in this browser.</p>
      }
    >
      {!mayKeepCookies() && <CookieNote />}
      {isIn && !asOther ? (
        <AcceptSignedIn
          token={token}
          user={session.user}
          onOther={() => setAsOther(true)}
          onDone={(accepted) => {
            forgetLinkToken();
            void arrive(accepted);
          }}
        />
      ) : (
        <AcceptForm token={token} onDone={onAccepted} />
      )}
    </OpenFrame>
  );
}

/** Continues to the organization, without cached data. False: the browser did not save the cookie. */
function useArrive(): (accepted: Pick<Accepted, "organization" | "role">) => Promise<boolean> {
  const begun = useBegunSession();
  const navigate = useNavigate();
  const say = useSay();
  return async ({ organization, role }) => {
    if ((await begun()) === null) return false;
    say(`You are now a member of ${organization.name}, as ${role}.`);
    await navigate({ to: pagePath(organization.slug, WHOLE_ORGANIZATION, ""), replace: true });
    return true;
  };
}

/** Shows the next view after a step of the sign-in: another step, the organization, or an error. */
function useGoOn(setJoined: (joined: Joined) => void): (joined: Joined, step: StepResult) => Promise<void> {
  const arrive = useArrive();
  return async (joined, step) => {
    if (step.ticket !== null) return setJoined({ ...joined, second: { ...step, ticket: step.ticket }, error: null });
    if (!(await arrive(joined.accepted)))
      setJoined({ ...joined, second: null, error: new Error("The browser did not save the cookie of the sign-in.") });
  };
}

function Entering({
  joined: { accepted, second, error },
  onStep,
  onAgain,
}: {
  joined: Joined;
  onStep: (step: StepResult) => void;
  onAgain: () => void;
}): ReactNode {
  return (
    <OpenFrame
      title={`You joined ${accepted.organization.name}`}
      about={`As ${accepted.role}, with the address ${accepted.user.email}.`}
    >
      {error !== null ? (
        <>
          {!mayKeepCookies() && <CookieNote after />}
          <ErrorNote error={error} />
          <Button look="main" onClick={onAgain}>
            Try to sign in again
          </Button>
        </>
      ) : second === null ? (
        <Loading what="Signing in" />
      ) : (
        <SecondStep key={second.ticket} needed={second} onDone={onStep} onRestart={onAgain} />
      )}
    </OpenFrame>
  );
}

function NoSecret({ wasNotInvited }: { wasNotInvited: boolean }): ReactNode {
  return (
    <OpenFrame title="Accept the invitation">
      {wasNotInvited && (
        <p role="alert" className="rounded border border-stop bg-stop-2 px-3 py-2">
          Either the identity provider does not confirm that the invited address is yours, or the invitation is no
          longer valid.
        </p>
      )}
      <p>
        This address has no secret. Open the complete link of the invitation, with the part after the <code>#</code>.
        After a reload, open the link again.
      </p>
      <ButtonLink look="main" to="/sign-in" className="self-start">
        Sign in
      </ButtonLink>
    </OpenFrame>
  );
}
