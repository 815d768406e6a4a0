import { WEBHOOK_HANDSHAKES, WEBHOOK_SCHEMES } from "@mooring/contract";
import type { ReactNode } from "react";
import { Checkbox, SelectField, TextField } from "~/kit/field.tsx";
import { FindSelectField } from "~/kit/find-select-field.tsx";
import { HANDSHAKE_NAMES, SCHEME_NAMES, type Deduplication, type Handshake, type Verification } from "./presets.ts";

/** Schemes that sign a time. */
const TIMED: ReadonlySet<string> = new Set(
  (
    "standard_webhooks svix clerk resend openai replicate polar supabase stripe paddle slack discord sendgrid mailgun zoom hubspot " +
    "linear workos contentful calendly"
  ).split(" "),
);
/** Schemes with a token for an audience. */
const AUDIENCED: ReadonlySet<string> = new Set(["google_pubsub", "azure_event_grid_entra"]);
const CHOICES = WEBHOOK_SCHEMES.map((id) => ({ id, title: SCHEME_NAMES[id] })).toSorted((a, b) =>
  a.title.localeCompare(b.title, "en"),
);
const NAMED = new Set(["hmac", "header"]);

/** The fields for the verification: the scheme and its options. */
export function VerificationFields({
  value,
  onChange,
  withScheme = true,
}: {
  value: Verification;
  onChange: (value: Verification) => void;
  withScheme?: boolean;
}): ReactNode {
  const { scheme } = value;
  if (!withScheme && !NAMED.has(scheme) && !TIMED.has(scheme) && !AUDIENCED.has(scheme)) return null;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {withScheme && (
        <FindSelectField
          findLabel="Find a sender"
          label="Verified by"
          value={scheme}
          choices={CHOICES}
          onChange={(id) => onChange({ scheme: id as Verification["scheme"] })}
        />
      )}
      {NAMED.has(scheme) && <HeaderFields value={value} onChange={onChange} />}
      {scheme === "hmac" && <HmacFields value={value} onChange={onChange} />}
      {AUDIENCED.has(scheme) && (
        <TextField
          label={scheme === "google_pubsub" ? "Audience (optional)" : "Audience"}
          hint={
            scheme === "google_pubsub"
              ? "The audience of the subscription. Empty: the address of the webhook."
              : "The application ID URI of your application in Entra."
          }
          required={scheme !== "google_pubsub"}
          maxLength={300}
          className="mono"
          value={value.audience ?? ""}
          onChange={({ target }) => {
            const { audience: _, ...rest } = value;
            onChange(target.value === "" ? rest : { ...rest, audience: target.value });
          }}
        />
      )}
      {TIMED.has(scheme) && (
        <TextField
          label="Allowed difference of the signed time (seconds)"
          type="number"
          min={1}
          max={86_400}
          placeholder="as the sender recommends"
          value={value.tolerance_s ?? ""}
          onChange={({ target }) => {
            const { tolerance_s: _, ...rest } = value;
            onChange(target.value === "" ? rest : { ...rest, tolerance_s: Number(target.value) });
          }}
        />
      )}
    </div>
  );
}

interface Part<V> {
  value: V;
  onChange: (value: V) => void;
}

function HeaderFields({ value, onChange }: Part<Verification>): ReactNode {
  return (
    <>
      <TextField
        label="Header field"
        required
        className="mono"
        value={value.header ?? ""}
        onChange={(event) => onChange({ ...value, header: event.target.value })}
      />
      <TextField
        label="Prefix (optional)"
        className="mono"
        placeholder="sha256="
        value={value.prefix ?? ""}
        onChange={(event) => onChange({ ...value, prefix: event.target.value })}
      />
    </>
  );
}

function HmacFields({ value, onChange }: Part<Verification>): ReactNode {
  return (
    <>
      <SelectField
        label="Algorithm"
        value={value.algorithm ?? "sha256"}
        onChange={(event) => onChange({ ...value, algorithm: event.target.value as "sha256" })}
      >
        {["sha256", "sha512", "sha1"].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </SelectField>
      <SelectField
        label="Written as"
        value={value.encoding ?? "hex"}
        onChange={(event) => onChange({ ...value, encoding: event.target.value as "hex" })}
      >
        <option>hex</option>
        <option>base64</option>
      </SelectField>
    </>
  );
}

/** The fields for handshakes that some senders require before they send. */
export function HandshakeFields({
  value,
  onChange,
  verifyToken,
  onVerifyToken,
}: Part<readonly Handshake[]> & { verifyToken: string; onVerifyToken: (token: string) => void }): ReactNode {
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="pb-1 font-medium">Answered handshakes</legend>
      {WEBHOOK_HANDSHAKES.map((name) => (
        <Checkbox
          key={name}
          label={HANDSHAKE_NAMES[name]}
          checked={value.includes(name)}
          onChange={({ target }) => onChange(target.checked ? [...value, name] : value.filter((each) => each !== name))}
        />
      ))}
      {value.includes("meta") && (
        <TextField
          label="Verify token for Meta"
          hint="Enter the same text in the field Verify token there. It is not shown again."
          maxLength={200}
          className="mono"
          value={verifyToken}
          onChange={(event) => onVerifyToken(event.target.value)}
        />
      )}
    </fieldset>
  );
}

/** The fields that decide how repeated events are recognized. */
export function DeduplicationFields({ value, onChange }: Part<Deduplication>): ReactNode {
  const { by } = value;
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <SelectField
        label="Repetitions are recognized by"
        value={by}
        onChange={({ target }) => {
          const { name: _, ...rest } = value;
          onChange({ ...rest, by: target.value as Deduplication["by"] });
        }}
      >
        <option value="auto">the field of the scheme or of known senders</option>
        <option value="header">a header field</option>
        <option value="pointer">a member of the JSON</option>
        <option value="none">nothing: each request is an event</option>
      </SelectField>
      {(by === "header" || by === "pointer") && (
        <TextField
          label={by === "header" ? "Header field" : "JSON pointer"}
          required
          className="mono"
          placeholder={by === "header" ? "X-Event-Id" : "/event/id"}
          value={value.name ?? ""}
          onChange={(event) => onChange({ ...value, name: event.target.value })}
        />
      )}
      {by !== "none" && (
        <TextField
          label="Remembered for (seconds)"
          type="number"
          min={1}
          max={604_800}
          placeholder="86400"
          value={value.window_s ?? ""}
          onChange={({ target }) => {
            const { window_s: _, ...rest } = value;
            onChange(target.value === "" ? rest : { ...rest, window_s: Number(target.value) });
          }}
        />
      )}
    </div>
  );
}
