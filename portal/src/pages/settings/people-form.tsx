import { ORGANIZATION_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useMayIn } from "~/app/may.ts";
import { Button, ButtonLink } from "~/kit/button.tsx";
import { Checkbox } from "~/kit/field.tsx";
import { Section } from "~/kit/page.tsx";
import { useSay } from "~/kit/toast.tsx";
import { ChangeError, useVersionedChange, type Versioned } from "~/kit/versioned.tsx";
import { useSignInMethods } from "~/people/sign-in-methods.ts";

type Organization = ResultOf<typeof ORGANIZATION_ROUTES.getOrganization>;

/**
 * Sets the sign-in methods that the organization requires. The person who requires one must have used it in this
 * session.
 */
export function PeopleForm({
  versioned: { value, etag },
  onReload,
}: {
  versioned: Versioned<Organization>;
  onReload: () => void;
}): ReactNode {
  const mayWrite = useMayIn(null, "org:write");
  const { second_factor_required: present, sign_in: presentSignIn } = value.policy;
  const [isRequired, setRequired] = useState(present);
  const [byProvider, setByProvider] = useState(presentSignIn === "provider");
  const say = useSay();
  const save = useVersionedChange(ORGANIZATION_ROUTES.updateOrganization, {
    changes: [ORGANIZATION_ROUTES.getOrganization],
    onDone: () => say("Saved. The policy applies from everybody’s next request."),
  });
  const isChanged = isRequired !== present || byProvider !== (presentSignIn === "provider");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const policy = { second_factor_required: isRequired, sign_in: byProvider ? "provider" : "any" } as const;
    save.mutate({ params: {}, body: { policy }, etag });
  };
  return (
    <Section
      title="Sign-in of people"
      about="Applies to all members, in the portal and with personal access tokens. Credentials of programs are not affected."
    >
      <form onSubmit={submit}>
        <fieldset disabled={!mayWrite} className="flex min-w-0 flex-col gap-4">
          <Checkbox
            label="A second factor is required"
            why="An authenticator app or a passkey. Members without one have no access until they set one up. The portal shows them how. With single sign-on, the identity provider is responsible for a second factor."
            checked={isRequired}
            onChange={(event) => setRequired(event.target.checked)}
          />
          <ProviderField value={byProvider} onChange={setByProvider} />
          <p className="max-w-[72ch] text-ink-2">
            You can only require a method that you used in this session. Other sessions without it lose access to this
            organization at once.
          </p>
          <ChangeError
            error={save.error}
            onReload={() => {
              save.reset();
              onReload();
            }}
          />
          {save.error !== null && (
            <ButtonLink to="/account" search={{ tab: "sign-in" }} className="self-start">
              Set up your sign-in methods
            </ButtonLink>
          )}
          <Button look="main" type="submit" className="self-start" busy={save.isPending} disabled={!isChanged}>
            Save
          </Button>
        </fieldset>
      </form>
    </Section>
  );
}

function ProviderField({ value, onChange }: { value: boolean; onChange: (value: boolean) => void }): ReactNode {
  const provider = useSignInMethods().methods?.oidc?.name ?? null;
  return (
    <Checkbox
      label={provider === null ? "Allow only single sign-on" : `Allow only sign-in with ${provider}`}
      why={
        provider === null
          ? "This server has no single sign-on. Its operator can set it up."
          : "Members who sign in with a password or passkey of this server have no access to this organization. Personal access tokens work for members who have linked their identity."
      }
      checked={value}
      disabled={provider === null && !value}
      onChange={(event) => onChange(event.target.checked)}
    />
  );
}
