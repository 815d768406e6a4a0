import { useState, type ReactNode } from "react";
import { useNavigate } from "@tanstack/react-router";
import { CookieNote, mayKeepCookies } from "~/people/cookie-note.tsx";
import { useBegunSession } from "~/people/finish.ts";
import { OpenFrame } from "~/people/frame.tsx";
import { forgetLinkToken, useLinkToken } from "~/people/link-token.ts";
import { SecondStep, type SecondStepNeeded, type StepResult } from "~/people/second-step.tsx";
import { RequestForm } from "./request-form.tsx";
import { ResetForm } from "./reset-form.tsx";

/**
 * Resets a lost password. First the person requests a link by e-mail. With the link, they set a new password and sign
 * in.
 */
export function Page(): ReactNode {
  const token = useLinkToken();
  const navigate = useNavigate();
  const begun = useBegunSession();
  const [second, setSecond] = useState<SecondStepNeeded | null>(null);
  const [isLost, setLost] = useState(false);
  const onStep = async (step: StepResult): Promise<void> => {
    forgetLinkToken();
    if (step.ticket !== null) return setSecond({ ...step, ticket: step.ticket });
    if ((await begun().catch(() => null)) === null) return setLost(true);
    await navigate({ to: "/", replace: true });
  };
  const restart = (): void => void navigate({ to: "/sign-in" });
  if (isLost)
    return (
      <OpenFrame title="Your password is set">
        <CookieNote after />
      </OpenFrame>
    );
  if (second !== null)
    return (
      <OpenFrame
        title="One more step"
        about="Your password is set. Sign-in still asks for a code of your authenticator app."
      >
        <SecondStep needed={second} onDone={(step) => void onStep(step)} onRestart={restart} />
        <p className="text-s text-ink-2">
          If you have lost the app and the recovery codes, ask the operator of the server for a link that removes them.
        </p>
      </OpenFrame>
    );
  return (
    <OpenFrame title={token === "" ? "Lost your password?" : "Set a new password"}>
      {!mayKeepCookies() && <CookieNote />}
      {token === "" ? <RequestForm /> : <ResetForm token={token} onStep={(step) => void onStep(step)} />}
    </OpenFrame>
  );
}
