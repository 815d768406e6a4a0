import type { ReactNode } from "react";
import { useSession } from "~/api/session.ts";
import { buttonClass, ButtonLink } from "~/kit/button.tsx";
import { Empty, Page } from "~/kit/page.tsx";
import type { Refusal } from "./scope.ts";

/** In the place of every page of an organization that asks for more than this session shows. */
export function Refused({ refusal }: { refusal: Refusal }): ReactNode {
  const { security } = useSession();
  if (refusal === "provider_sign_in_required")
    return (
      <Page title="Single sign-on is required">
        <Empty
          title="This organization takes people who sign in by single sign-on only"
          action={
            <a
              href={`/api/sign-in/oidc?return_to=${encodeURIComponent(location.pathname + location.search)}`}
              className={buttonClass("main")}
            >
              Sign in by single sign-on
            </a>
          }
        >
          <p>You signed in another way. Your other organizations and your account are open as before.</p>
        </Empty>
      </Page>
    );
  const hasFactor = security.has_totp || security.passkeys > 0;
  return (
    <Page title="A second factor is required">
      <Empty
        title="This organization requires a second factor"
        action={
          <ButtonLink look="main" to="/account" search={{ tab: "sign-in" }}>
            {hasFactor ? "Go to your account" : "Set one up"}
          </ButtonLink>
        }
      >
        <p>
          {hasFactor
            ? "You have one, and signed in without it: sign out, and sign in with it."
            : "Set up an authenticator app or a passkey. It opens this organization at once."}
        </p>
      </Empty>
    </Page>
  );
}
