import type { ReactNode } from "react";
import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { useMutation } from "@tanstack/react-query";
import { organizationClient } from "~/api/clients.ts";
import { useConfirmed } from "~/api/confirmation.tsx";
import { useSession } from "~/api/session.ts";
import { Button, buttonClass, ButtonLink } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { useRenewSession } from "~/people/renew-session.ts";
import { Empty, Page } from "~/kit/page.tsx";
import { Time } from "~/kit/time.tsx";
import { useSignInMethods } from "~/people/sign-in-methods.ts";
import { useSignOut } from "~/people/sign-out.ts";
import { useAddress, type Refusal, type Suspension } from "./scope.ts";

/**
 * Replaces every page of an organization that refuses this session. It shows the reason and the remedy, with a link.
 */
export function Refused({ refusal, suspension }: { refusal: Refusal; suspension: Suspension }): ReactNode {
  if (refusal === "organization_blocked")
    return suspension.state === "deleting" ? <Deleted suspension={suspension} /> : <Blocked suspension={suspension} />;
  if (refusal === "new_sign_in_required") return <NewSignInRequired />;
  if (refusal === "address_not_allowed") return <AddressRefused />;
  return refusal === "provider_sign_in_required" ? <ProviderRequired /> : <SecondFactorRequired />;
}

/** A page that shows one requirement, with the act that meets it. */
function Requirement({
  title,
  cause,
  action,
  children,
}: {
  title: string;
  cause: string;
  action: ReactNode;
  children: ReactNode;
}): ReactNode {
  return (
    <Page title={title}>
      <h2 className="sr-only">What to do</h2>
      <Empty title={cause} action={action}>
        <p>{children}</p>
      </Empty>
    </Page>
  );
}

function Blocked({ suspension: { state_reason: reason, suspended_at: since } }: { suspension: Suspension }): ReactNode {
  return (
    <Requirement
      title="The organization is blocked"
      cause="The operator of this server blocked this organization"
      action={<ButtonLink to="/account">Go to your account</ButtonLink>}
    >
      {since !== null && (
        <>
          Since <Time at={since} />, nobody can use it.{" "}
        </>
      )}
      {reason !== null && <>The operator's reason: {reason.replace(/\.$/, "")}. </>}
      Its data is kept. Ask the operator to resume it. You can still use your other organizations and your account.
    </Requirement>
  );
}

function AddressRefused(): ReactNode {
  return (
    <Requirement
      title="Not allowed from this address"
      cause="This organization does not allow your address"
      action={
        <Button look="main" onClick={() => location.reload()}>
          Try again
        </Button>
      }
    >
      It allows people only from the addresses of its list. Use its network, or ask an owner to add your address. You
      can still use your other organizations and your account.
    </Requirement>
  );
}

/** An owner keeps the organization here. Others are refused by the server, and read why. */
function Deleted({ suspension: { deletes_at: at, suspended_at: since } }: { suspension: Suspension }): ReactNode {
  const renew = useRenewSession();
  const { org = "" } = useAddress();
  const confirmed = useConfirmed();
  const keep = useMutation({
    mutationFn: () =>
      confirmed(() =>
        organizationClient(org).call(ORGANIZATION_ROUTES.keepOrganization, {
          body: {},
          purpose: "keep the organization",
        }),
      ),
    onSuccess: () => renew(),
  });
  return (
    <Requirement
      title="The organization is deleted"
      cause="An owner or the operator deleted this organization"
      action={
        <>
          <Button look="main" busy={keep.isPending} onClick={() => keep.mutate()}>
            Keep the organization
          </Button>
          <ErrorNote error={keep.error} />
        </>
      }
    >
      {since !== null && (
        <>
          Since <Time at={since} />, nobody can use it.{" "}
        </>
      )}
      Everything in it is deleted at <Time at={at} />. Until then, an owner or the operator can keep it. You can still
      use your other organizations and your account.
    </Requirement>
  );
}

function NewSignInRequired(): ReactNode {
  const signOut = useSignOut();
  return (
    <Requirement
      title="A new sign-in is required"
      cause="An owner or admin ended your earlier sign-ins"
      action={
        <Button look="main" onClick={() => void signOut(`/sign-in?return_to=${here()}`)}>
          Sign in again
        </Button>
      }
    >
      They do this after a leak. Sign in again, and you return here. If it was a surprise, change your password too. You
      can still use your other organizations and your account.
    </Requirement>
  );
}

/** The current address, for the return after the sign-in. */
const here = (): string => encodeURIComponent(location.pathname + location.search);

function ProviderRequired(): ReactNode {
  const { methods } = useSignInMethods();
  const name = methods?.oidc?.name;
  return (
    <Requirement
      title="Single sign-on is required"
      cause="This organization accepts only single sign-on"
      action={
        name !== undefined && (
          <a href={`/api/sign-in/oidc?return_to=${here()}`} className={buttonClass("main")}>
            Sign in with {name}
          </a>
        )
      }
    >
      You signed in another way.{" "}
      {name === undefined
        ? "This server has no single sign-on now. Ask its operator to set it up."
        : `Sign in with ${name}. Then you return here.`}{" "}
      You can still use your other organizations and your account.
    </Requirement>
  );
}

function SecondFactorRequired(): ReactNode {
  const { security } = useSession();
  const signOut = useSignOut();
  const hasFactor = security.has_totp || security.passkeys > 0;
  return (
    <Requirement
      title="A second factor is required"
      cause="This organization requires a second factor"
      action={
        hasFactor ? (
          <Button look="main" onClick={() => void signOut(`/sign-in?return_to=${here()}`)}>
            Sign in again
          </Button>
        ) : (
          <ButtonLink look="main" to="/account" search={{ tab: "sign-in" }}>
            Set one up
          </ButtonLink>
        )
      }
    >
      {hasFactor
        ? "You have one, but you signed in without it. Sign in again with your authenticator app or passkey. Then you return here."
        : "Set up an authenticator app or a passkey under Account. Then open this page again."}
    </Requirement>
  );
}
