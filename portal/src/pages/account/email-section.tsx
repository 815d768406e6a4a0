import { PORTAL_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useSession } from "~/api/session.ts";
import { Button } from "~/kit/button.tsx";
import { Copyable } from "~/kit/copy.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { Facts, Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { useSay } from "~/kit/toast.tsx";
import { placeText, restOf } from "~/people/failure.tsx";
import { useRenewSession } from "~/people/renew-session.ts";

/** The person's e-mail address for signing in: its verification and its change. */
export function EmailSection(): ReactNode {
  const { user, sends_email: sendsEmail } = useSession();
  return (
    <Section title="Sign-in address">
      <Facts
        items={[
          ["You sign in as", <Copyable key="email" text={user.email} />],
          [
            "Proved",
            <State key="state" kind={user.email_verified ? "go" : "warn"}>
              {user.email_verified ? "yes" : "not yet"}
            </State>,
          ],
        ]}
      />
      {!user.email_verified && <Unverified canMail={sendsEmail} />}
      <ChangeForm key={user.email} canMail={sendsEmail} />
    </Section>
  );
}

function Unverified({ canMail }: { canMail: boolean }): ReactNode {
  const say = useSay();
  const request = useAct(PORTAL_ROUTES.requestVerification, {
    onDone: () => say("The link was sent. It works once, within an hour."),
  });
  return (
    <div className="flex flex-col items-start gap-2">
      <p className="max-w-[72ch] text-ink-2">
        Nobody has verified that this address is yours. The first verification, by e-mail or single sign-on, removes all
        earlier sign-in methods: password, sessions, passkeys, authenticator app and personal access tokens.
      </p>
      {canMail ? (
        <Button busy={request.isPending} onClick={() => request.mutate({ body: {}, purpose: "send the link" })}>
          Send me a link
        </Button>
      ) : (
        <p className="text-ink-2">This server sends no e-mail. Its operator can create a link for you instead.</p>
      )}
      <ErrorNote error={request.error} />
    </div>
  );
}

function ChangeForm({ canMail }: { canMail: boolean }): ReactNode {
  const { user } = useSession();
  const [email, setEmail] = useState("");
  const renew = useRenewSession();
  const say = useSay();
  const change = useAct(PORTAL_ROUTES.changeEmail, {
    onDone: (changed) => {
      renew();
      say(`You sign in as ${changed.email} now.`);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    change.mutate({ body: { email: email.trim() }, purpose: "change your address" });
  };
  return (
    <form onSubmit={submit} className="mt-3 flex max-w-[420px] flex-col gap-3 border-t border-line pt-3">
      <TextField
        label="New address"
        type="email"
        autoComplete="email"
        autoCapitalize="none"
        maxLength={254}
        required
        error={placeText(change.error, "/email") === null ? null : "This is not an e-mail address."}
        hint={
          canMail
            ? "The change applies at once. The new address is verified when you open the link in the e-mail. The old address gets a message too."
            : "The change applies at once, to the sign-in and to docker login."
        }
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <ErrorNote error={restOf(change.error, ["/email"])} />
      <Button
        type="submit"
        className="self-start"
        busy={change.isPending}
        disabled={email.trim() === "" || email.trim().toLowerCase() === user.email}
      >
        Change the address
      </Button>
    </form>
  );
}
