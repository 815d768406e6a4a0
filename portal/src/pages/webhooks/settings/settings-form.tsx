import { WEBHOOK_ROUTES, WEBHOOK_SENDERS, type ResultOf, type WebhookSender } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useMayIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { Checkbox, Field, TextArea, TextField } from "~/kit/field.tsx";
import { useSay } from "~/kit/toast.tsx";
import { ChangeError, useVersionedChange, type Versioned } from "~/kit/versioned.tsx";
import { DeduplicationFields, HandshakeFields, VerificationFields } from "../setup/fields.tsx";
import { submitKeys } from "../setup/keys.ts";
import { changeOf, draftOf, type Draft } from "./webhook-form.ts";

type Webhook = ResultOf<typeof WEBHOOK_ROUTES.getWebhook>;

const CHANGES = [WEBHOOK_ROUTES.getWebhook, WEBHOOK_ROUTES.listWebhooks];

/** Changes the settings of a webhook. It does not overwrite other people's changes. */
export function SettingsForm({ read, onReload }: { read: Versioned<Webhook>; onReload: () => void }): ReactNode {
  const mayWrite = useMayIn(read.value.project_id, "webhooks:write");
  const say = useSay();
  const { base, draft, setDraft, takeNext } = useDraft(read);
  const { value: webhook, etag } = base;
  const save = useVersionedChange(WEBHOOK_ROUTES.updateWebhook, {
    changes: CHANGES,
    onDone: () => {
      takeNext();
      say("Saved. It applies from the next request.");
    },
  });
  const change = changeOf(webhook, draft);
  const set = (part: Partial<Draft>): void => setDraft({ ...draft, ...part });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (change !== null) save.mutate({ params: { webhook_id: webhook.id }, body: change, etag });
  };
  return (
    <form onSubmit={submit} onKeyDown={submitKeys}>
      <fieldset disabled={!mayWrite} className="flex flex-col gap-5">
        <NameFields draft={draft} set={set} />
        <VerificationFields value={draft.verification} onChange={(verification) => set({ verification })} />
        {needsSecret(webhook, draft) && <SecretField draft={draft} set={set} />}
        <AllowedAddresses draft={draft} set={set} />
        <HandshakeFields
          value={draft.handshakes}
          onChange={(handshakes) => set({ handshakes })}
          verifyToken={draft.verifyToken}
          onVerifyToken={(verifyToken) => set({ verifyToken })}
        />
        <DeduplicationFields value={draft.deduplication} onChange={(deduplication) => set({ deduplication })} />
        <ResponseFields draft={draft} set={set} />
        <ChangeError
          error={save.error}
          onReload={() => {
            save.reset();
            takeNext();
            onReload();
          }}
        />
        <div className="flex flex-wrap items-center gap-3">
          <Button look="main" type="submit" busy={save.isPending} disabled={change === null}>
            Save
          </Button>
          <span className="text-ink-2">
            {change === null
              ? "Nothing is changed."
              : `Changes ${Object.keys(change).join(", ").replaceAll("_", " ")}.`}
          </span>
        </div>
      </fieldset>
    </form>
  );
}

/** Holds the edited settings and their version. A newer version replaces them only while the form is unchanged. */
function useDraft(read: Versioned<Webhook>) {
  const [base, setBase] = useState(read);
  const [draft, setDraft] = useState<Draft>(() => draftOf(read.value));
  const [takes, setTakes] = useState(false);
  if (read !== base && (takes || changeOf(base.value, draft) === null)) {
    setBase(read);
    setDraft(draftOf(read.value));
    setTakes(false);
  }
  return { base, draft, setDraft, takeNext: () => setTakes(true) };
}

function needsSecret(webhook: Webhook, { verification }: Draft): boolean {
  return hasSecret(verification.scheme) && (verification.scheme !== webhook.verification.scheme || !webhook.has_secret);
}

function hasSecret(scheme: string): boolean {
  if (!Object.hasOwn(WEBHOOK_SENDERS, scheme)) return scheme !== "none";
  return WEBHOOK_SENDERS[scheme as WebhookSender].secret !== null;
}

interface Part {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
}

function NameFields({ draft, set }: Part): ReactNode {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Name"
        required
        maxLength={100}
        value={draft.name}
        onChange={(event) => set({ name: event.target.value })}
      />
      <TextField
        label="Events are kept for (days)"
        hint="Empty: the project’s setting. Fewer days delete older events."
        type="number"
        min={1}
        max={36_500}
        value={draft.retentionDays}
        onChange={(event) => set({ retentionDays: event.target.value })}
      />
    </div>
  );
}

function SecretField({ draft, set }: Part): ReactNode {
  return (
    <TextField
      label="Secret of this scheme"
      hint={`${secretHint(draft.verification.scheme)}It is used as soon as it is saved. To replace the secret of the current scheme with an overlap, rotate it.`}
      type="password"
      autoComplete="off"
      minLength={8}
      maxLength={500}
      value={draft.secret}
      onChange={(event) => set({ secret: event.target.value })}
    />
  );
}

/** Says what to enter for a sender, and where it has it. */
function secretHint(scheme: string): string {
  if (!Object.hasOwn(WEBHOOK_SENDERS, scheme)) return "";
  const { secret, where } = WEBHOOK_SENDERS[scheme as WebhookSender];
  return `Enter ${secret}. ${where} `;
}

function AllowedAddresses({ draft, set }: Part): ReactNode {
  return (
    <Field
      label="Addresses that may send"
      hint="One address or CIDR range per line, in addition to the scheme. Empty: any."
    >
      {(bound) => (
        <TextArea
          {...bound}
          className="mono"
          placeholder={"192.0.2.0/24\n2001:db8::/32"}
          value={draft.allowedIps}
          onChange={(event) => set({ allowedIps: event.target.value })}
        />
      )}
    </Field>
  );
}

const ANSWER = { status: 200, content_type: "text/plain", body: "ok" };

function ResponseFields({ draft: { response }, set }: Part): ReactNode {
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="pb-1 font-medium">Answer to the sender</legend>
      <Checkbox
        label="A custom answer, instead of the event’s id as JSON"
        checked={response !== null}
        onChange={(event) => set({ response: event.target.checked ? ANSWER : null })}
      />
      {response !== null && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Status"
            type="number"
            min={200}
            max={299}
            required
            value={response.status}
            onChange={(event) => set({ response: { ...response, status: Number(event.target.value) } })}
          />
          <TextField
            label="Content type"
            required
            className="mono"
            value={response.content_type}
            onChange={(event) => set({ response: { ...response, content_type: event.target.value } })}
          />
          <Field label="Text" hint="At most 4096 characters">
            {(bound) => (
              <TextArea
                {...bound}
                className="mono"
                maxLength={4096}
                value={response.body}
                onChange={(event) => set({ response: { ...response, body: event.target.value } })}
              />
            )}
          </Field>
        </div>
      )}
    </fieldset>
  );
}
