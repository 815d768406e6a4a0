import { WEBHOOK_ROUTES, WEBHOOK_SENDERS, type BodyOf, type ResultOf, type WebhookSender } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useProjectsFor } from "~/app/may.ts";
import { useProject } from "~/app/scope.ts";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { SelectField, TextField } from "~/kit/field.tsx";
import { FindSelectField } from "~/kit/find-select-field.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { CreatedWebhook } from "./created-webhook.tsx";
import { DeduplicationFields, HandshakeFields, VerificationFields } from "./fields.tsx";
import { submitKeys } from "./keys.ts";
import { PRESETS, presetOf, type Deduplication, type Handshake, type Preset, type Verification } from "./presets.ts";

type NewWebhook = ResultOf<typeof WEBHOOK_ROUTES.createWebhook>;

/** Creates a webhook, and then shows how to set up the sender. */
export function CreateWebhook({ onClose }: { onClose: () => void }): ReactNode {
  const [preset, setPreset] = useState<Preset>(presetOf("github"));
  const [made, setMade] = useState<{ webhook: NewWebhook; secret: string | undefined } | null>(null);
  if (made !== null)
    return <CreatedWebhook made={made.webhook} secret={made.secret} preset={preset} onClose={onClose} />;
  return (
    <Dialog title="Create webhook" about="An address that accepts events for a project." onClose={onClose} wide>
      <Form
        preset={preset}
        onPreset={setPreset}
        onClose={onClose}
        onMade={(webhook, secret) => setMade({ webhook, secret })}
      />
    </Dialog>
  );
}

interface Draft {
  readonly name: string;
  /** Empty: the first one. */
  readonly project: string;
  readonly verification: Verification;
  readonly secret: string;
  readonly verifyToken: string;
  readonly handshakes: readonly Handshake[];
  readonly deduplication: Deduplication;
}

function bodyOf(draft: Draft, preset: Preset): BodyOf<typeof WEBHOOK_ROUTES.createWebhook> {
  const { name, project, verification, secret, verifyToken, handshakes, deduplication } = draft;
  return {
    name: name.trim(),
    project,
    verification,
    handshakes: [...handshakes],
    deduplication,
    ...(secret === "" || preset.secret === null ? {} : { secret }),
    ...(verifyToken === "" ? {} : { verify_token: verifyToken }),
  };
}

interface FormProps {
  preset: Preset;
  onPreset: (preset: Preset) => void;
  onMade: (made: NewWebhook, secret: string | undefined) => void;
  onClose: () => void;
}

function Form({ preset, onPreset, onMade, onClose }: FormProps): ReactNode {
  const first = useProjectsFor("webhooks:write")[0]?.slug ?? "";
  const [draft, setDraft] = useState<Draft>({
    name: "",
    project: useProject()?.slug ?? "",
    verification: preset.verification,
    secret: "",
    verifyToken: "",
    handshakes: preset.handshakes,
    deduplication: { by: "auto" },
  });
  const project = draft.project || first;
  const set = (part: Partial<Draft>): void => setDraft({ ...draft, ...part });
  const body = bodyOf({ ...draft, project }, preset);
  const create = useAct(WEBHOOK_ROUTES.createWebhook, {
    changes: [WEBHOOK_ROUTES.listWebhooks],
    onDone: (webhook) => onMade(webhook, body.secret),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate({ body });
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={submit} onKeyDown={submitKeys}>
      <div className="grid gap-4 sm:grid-cols-2">
        <PlaceFields name={draft.name} project={project} set={set} />
        <PresetField
          preset={preset}
          onChange={(chosen) => {
            onPreset(chosen);
            set({ verification: chosen.verification, handshakes: chosen.handshakes });
          }}
        />
        <SecretField preset={preset} secret={draft.secret} set={set} />
      </div>
      <VerificationFields
        value={draft.verification}
        onChange={(verification) => set({ verification })}
        withScheme={false}
      />
      <details open={preset.handshakes.length > 0}>
        <summary className="font-medium">Handshakes and repetitions</summary>
        <div className="flex flex-col gap-4 pt-3">
          <HandshakeFields
            value={draft.handshakes}
            onChange={(handshakes) => set({ handshakes })}
            verifyToken={draft.verifyToken}
            onVerifyToken={(verifyToken) => set({ verifyToken })}
          />
          <DeduplicationFields value={draft.deduplication} onChange={(deduplication) => set({ deduplication })} />
        </div>
      </details>
      <ErrorNote error={create.error} />
      <FormActions action="Create" busy={create.isPending} disabled={project === ""} onCancel={onClose} />
    </form>
  );
}

type Set = (part: Partial<Draft>) => void;

function PlaceFields({ name, project, set }: { name: string; project: string; set: Set }): ReactNode {
  const projects = useProjectsFor("webhooks:write");
  return (
    <>
      <SelectField label="Project" value={project} onChange={(event) => set({ project: event.target.value })}>
        {projects.map(({ slug, name: title }) => (
          <option key={slug} value={slug}>
            {visibleText(title)}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Name"
        required
        maxLength={100}
        placeholder="orders"
        value={name}
        onChange={(event) => set({ name: event.target.value })}
      />
    </>
  );
}

function SecretField({ preset, secret, set }: { preset: Preset; secret: string; set: Set }): ReactNode {
  if (preset.secret === null) return null;
  const isOptional = preset.makesSecret === true;
  return (
    <TextField
      label={isOptional ? "Secret (optional)" : "Secret"}
      hint={secretHint(preset)}
      required={!isOptional}
      minLength={8}
      maxLength={500}
      value={secret}
      className="mono"
      onChange={(event) => set({ secret: event.target.value })}
    />
  );
}

/** Says what to enter, and where the sender has it. */
function secretHint({ id, secret }: Preset): string | null {
  const where = Object.hasOwn(WEBHOOK_SENDERS, id) ? WEBHOOK_SENDERS[id as WebhookSender].where : "";
  return where === "" ? secret : `${secret}. ${where}`;
}

function PresetField({ preset, onChange }: { preset: Preset; onChange: (preset: Preset) => void }): ReactNode {
  return (
    <FindSelectField
      findLabel="Find a sender"
      label="The sender, and its verification scheme"
      hint={
        preset.secret === null
          ? "Everybody who knows the address can send. Unverified requests are accepted."
          : undefined
      }
      value={preset.id}
      choices={PRESETS}
      onChange={(id) => onChange(presetOf(id))}
    />
  );
}
