import { PORTAL_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useSession } from "~/api/session.ts";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Section } from "~/kit/page.tsx";
import { useSay } from "~/kit/toast.tsx";
import { placeText, restOf } from "~/people/failure.tsx";
import { NewPassword } from "~/people/new-password.tsx";
import { PASSWORD_LENGTH_MIN } from "~/people/password-hint.ts";
import { useRenewSession } from "~/people/renew-session.ts";

/** Changes the password. The confirmation asks for the old one, unless the person gave it in the last ten minutes. */
export function PasswordSection(): ReactNode {
  const { user, security } = useSession();
  const [password, setPassword] = useState("");
  const renew = useRenewSession();
  const say = useSay();
  const change = useAct(PORTAL_ROUTES.changePassword, {
    changes: [PORTAL_ROUTES.listSessions],
    onDone: () => {
      setPassword("");
      renew();
      say("The password is changed. All your other sessions have ended.");
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    change.mutate({ body: { password }, purpose: "change the password" });
  };
  const place = placeText(change.error, "/password");
  return (
    <Section title="Password" about={security.has_password ? undefined : "you have none: you sign in another way"}>
      <form onSubmit={submit} className="flex max-w-[420px] flex-col gap-3">
        <input type="hidden" name="username" autoComplete="username" value={user.email} readOnly />
        <NewPassword
          label="New password"
          value={password}
          onChange={setPassword}
          error={place}
          known={[user.name, user.email]}
        />
        <p className="text-s text-ink-2">
          This ends all your other sessions. Credentials and personal access tokens stay valid.
        </p>
        <ErrorNote error={restOf(change.error, ["/password"])} />
        <Button
          type="submit"
          className="self-start"
          busy={change.isPending}
          disabled={Array.from(password).length < PASSWORD_LENGTH_MIN}
        >
          {security.has_password ? "Change the password" : "Set a password"}
        </Button>
      </form>
    </Section>
  );
}
