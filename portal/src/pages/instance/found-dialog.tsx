import { PORTAL_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useRenewSession } from "~/people/renew-session.ts";
import { placeText, restOf } from "~/people/failure.tsx";
import { Button } from "~/kit/button.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { State } from "~/kit/state.tsx";
import { slugOf } from "./slug.ts";

type Founded = ResultOf<typeof PORTAL_ROUTES.createOrganization>;

/** As the contract has it, in the form that browsers want: a hyphen within brackets is escaped. */
const SLUG = String.raw`[a-z0-9][a-z0-9\-]{0,37}[a-z0-9]`;

/** Founds an organization for its owner, then shows the link that the owner needs, once. */
export function FoundDialog({ onClose }: { onClose: () => void }): ReactNode {
  const [name, setName] = useState("");
  const [slug, setSlug] = useState<string | null>(null);
  const [email, setEmail] = useState("");
  const renew = useRenewSession();
  const found = useAct(PORTAL_ROUTES.createOrganization, {
    changes: [PORTAL_ROUTES.listOrganizations],
    onDone: renew,
  });
  if (found.data !== undefined) return <FoundedDialog founded={found.data} email={email} onClose={onClose} />;
  const shownSlug = slug ?? slugOf(name);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    found.mutate({
      body: { name: name.trim(), slug: shownSlug, owner_email: email.trim() },
      purpose: "found the organization",
    });
  };
  return (
    <Dialog
      title="Create organization"
      about="Its owner gets a set-up link. You do not become a member."
      onClose={onClose}
    >
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label="Name"
          autoFocus
          required
          maxLength={100}
          error={placeText(found.error, "/name")}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Slug"
          hint="In addresses, names of images and commands. 2 to 39 of a-z, 0-9 and hyphens; it cannot be changed later."
          className="mono"
          required
          pattern={SLUG}
          error={placeText(found.error, "/slug")}
          value={shownSlug}
          onChange={(event) => setSlug(event.target.value)}
        />
        <TextField
          label="E-mail address of the owner"
          hint="Somebody with an account here becomes owner at once; others get a set-up link."
          type="email"
          required
          error={placeText(found.error, "/owner_email")}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <ErrorNote error={restOf(found.error, ["/name", "/slug", "/owner_email"])} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="main" type="submit" busy={found.isPending}>
            Found
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function FoundedDialog({
  founded,
  email,
  onClose,
}: {
  founded: Founded;
  email: string;
  onClose: () => void;
}): ReactNode {
  return (
    <Dialog holdsSecret title={`${founded.name} was founded`} onClose={onClose} wide>
      {founded.setup_url === null ? (
        <p>
          {email} has an account and is its owner: <code>{founded.slug}</code> appears there at their next visit.
        </p>
      ) : (
        <>
          {founded.email !== null && founded.email.failure === null ? (
            <p>
              This set-up link was sent to {email} by e-mail. It works once, within a day. The person who opens it
              becomes the owner.
            </p>
          ) : (
            <p>
              Send this set-up link to {email}, so that only they can read it. It works once, within a day. The person
              who opens it becomes the owner.
            </p>
          )}
          {founded.email !== null && founded.email.failure !== null && (
            <p role="alert" className="[overflow-wrap:anywhere]">
              {founded.email.failure}
            </p>
          )}
          <CopyBlock text={founded.setup_url} label="Set-up link" />
          <State kind="warn">
            <span className="whitespace-normal">It is shown only once.</span>
          </State>
        </>
      )}
      <DialogActions>
        <Button look="main" onClick={onClose}>
          {founded.setup_url === null ? "Close" : "I have sent it"}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
