import { WEBHOOK_ROUTES, type BodyOf, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useMe, useProject } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { Dialog, DialogActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { SelectField, TextField } from "~/kit/field.tsx";
import { CreatedWebhook } from "./created-webhook.tsx";
import { DeduplicationFields, HandshakeFields, VerificationFields } from "./fields.tsx";
import { submitKeys } from "./keys.ts";
import { PRESETS, presetOf, type Deduplication, type Handshake, type Preset, type Verification } from "./presets.ts";

type NewWebhook = ResultOf<typeof WEBHOOK_ROUTES.createWebhook>;

/** Makes a webhook, and then says what to do at the sender. */
export function CreateWebhook({ onClose }: { onClose: () => void }): ReactNode {
  const [preset, setPreset] = useState<Preset>(presetOf("github"));
  const [made, setMade] = useState<{ webhook: NewWebhook; secret: string | undefined } | null>(null);
  if (made !== null)
    return <CreatedWebhook made={made.webhook} secret={made.secret} preset={preset} onClose={onClose} />;
  return (
    <Dialog title="Create a webhook" about="An address that takes events into a project." onClose={onClose} wide>
      <Form
        preset={preset}
        onPreset={setPreset}
        onClose={onClose}
        onMade={(webhook, secret) => setMade({ webhook, secret })}
      />
    </Dialog>
  );
}

function Form({
  preset,
  onPreset,
  onMade,
  onClose,
}: {
  preset: Preset;
  onPreset: (preset: Preset) => void;
  onMade: (made: NewWebhook, secret: string | undefined) => void;
  onClose: () => void;
}): ReactNode {
  const projects = useMe()?.projects ?? [];
  const present = useProject();
  const [name, setName] = useState("");
  const [project, setProject] = useState(present?.slug ?? projects[0]?.slug ?? "");
  const [verification, setVerification] = useState<Verification>(preset.verification);
  const [secret, setSecret] = useState("");
  const [verifyToken, setVerifyToken] = useState("");
  const [handshakes, setHandshakes] = useState<readonly Handshake[]>(preset.handshakes);
  const [deduplication, setDeduplication] = useState<Deduplication>({ by: "auto" });
  const create = useAct(WEBHOOK_ROUTES.createWebhook, {
    changes: [WEBHOOK_ROUTES.listWebhooks],
    onDone: (webhook) => onMade(webhook, secret === "" ? undefined : secret),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const body: BodyOf<typeof WEBHOOK_ROUTES.createWebhook> = {
      name: name.trim(),
      project,
      verification,
      handshakes: [...handshakes],
      deduplication,
      ...(secret === "" ? {} : { secret }),
      ...(verifyToken === "" ? {} : { verify_token: verifyToken }),
    };
    create.mutate({ body });
  };
  const needsSecret = preset.secret !== null && preset.makesSecret !== true;
  return (
    <form className="flex flex-col gap-4" onSubmit={submit} onKeyDown={submitKeys}>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label="Project" value={project} onChange={(event) => setProject(event.target.value)}>
          {projects.map(({ slug, name: title }) => (
            <option key={slug} value={slug}>
              {title}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Name"
          required
          maxLength={100}
          placeholder="orders"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <PresetField
          preset={preset}
          onChange={(id) => {
            const chosen = presetOf(id);
            onPreset(chosen);
            setVerification(chosen.verification);
            setHandshakes(chosen.handshakes);
          }}
        />
        {preset.secret !== null && (
          <TextField
            label={preset.makesSecret === true ? "Secret (optional)" : "Secret"}
            hint={preset.secret}
            required={needsSecret}
            minLength={8}
            maxLength={500}
            value={secret}
            className="mono"
            onChange={(event) => setSecret(event.target.value)}
          />
        )}
      </div>
      <VerificationFields value={verification} onChange={setVerification} withScheme={false} />
      <details open={preset.handshakes.length > 0}>
        <summary className="font-medium">Handshakes and repetitions</summary>
        <div className="flex flex-col gap-4 pt-3">
          <HandshakeFields
            value={handshakes}
            onChange={setHandshakes}
            verifyToken={verifyToken}
            onVerifyToken={setVerifyToken}
          />
          <DeduplicationFields value={deduplication} onChange={setDeduplication} />
        </div>
      </details>
      <ErrorNote error={create.error} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="main" type="submit" busy={create.isPending} disabled={project === ""}>
          Create
        </Button>
      </DialogActions>
    </form>
  );
}

function PresetField({ preset, onChange }: { preset: Preset; onChange: (id: string) => void }): ReactNode {
  return (
    <SelectField
      label="Who sends, and how it proves that"
      hint={
        preset.id === "none" ? "Whoever knows the address can send; what can't be verified is not refused." : undefined
      }
      value={preset.id}
      onChange={(event) => onChange(event.target.value)}
    >
      {PRESETS.map(({ id, title }) => (
        <option key={id} value={id}>
          {title}
        </option>
      ))}
    </SelectField>
  );
}
