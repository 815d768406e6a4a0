import type { Scope } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useAddresses } from "~/api/addresses.ts";
import { CopyBlock } from "~/kit/copy.tsx";
import { Dialog } from "~/kit/dialog.tsx";
import { SelectField } from "~/kit/field.tsx";
import { Loading } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { Tabs } from "~/kit/tabs.tsx";
import type { Topic } from "../topic.ts";
import { useOrganization, useProject } from "../scope.ts";
import { useChoices, type Choices } from "./choices.ts";
import type { ConnectRequest } from "./connect.tsx";
import { Prose } from "./prose.tsx";
import { PLACEHOLDERS, TOPIC_SCOPES, toolsFor, type SnippetInput, type Tool, type ToolId } from "./snippets/index.ts";

const TOPIC_TITLES: Readonly<Record<Topic, string>> = {
  token: "Tokens and the API",
  telemetry: "Sending telemetry",
  query: "Asking by SQL",
  files: "Files",
  s3: "Buckets (S3)",
  registry: "Container images",
  webhooks: "Webhooks",
};

interface DialogProps {
  request: ConnectRequest;
  onClose: () => void;
}

/** Commands that work as they stand, for what the page shows. */
export function ConnectDialog({ request, onClose }: DialogProps): ReactNode {
  const organization = useOrganization({ optional: true });
  return (
    <Dialog
      title="Connect"
      about="Commands with this server's addresses. They take the secret from the environment, never from the command line."
      onClose={onClose}
      wide
    >
      {organization === null ? (
        <p>Open an organization first: commands name what is in it.</p>
      ) : (
        <Connect {...request} />
      )}
    </Dialog>
  );
}

function Connect(request: ConnectRequest): ReactNode {
  const [topic, setTopic] = useState(request.topic);
  const [toolId, setToolId] = useState<ToolId>(() => toolsFor(request.topic)[0]?.id ?? "curl");
  const [app, setApp] = useState(request.app);
  const [clientId, setClientId] = useState(request.credential?.clientId);
  const [keyId, setKeyId] = useState(request.accessKey?.id);
  const addresses = useAddresses();
  const organization = useOrganization();
  const project = useProject();
  const choices = useChoices();
  if (addresses === undefined) return <Loading />;
  const credential = choices.credentials.find((item) => item.client_id === clientId) ?? choices.credentials[0];
  const input: SnippetInput = {
    topic,
    addresses,
    org: organization.slug,
    project:
      project?.slug ??
      choices.apps.find(({ slug }) => slug === app)?.project_slug ??
      choices.apps[0]?.project_slug ??
      null,
    app: app ?? choices.apps[0]?.slug ?? PLACEHOLDERS.app,
    clientId: clientId ?? credential?.client_id ?? PLACEHOLDERS.clientId,
    clientSecret: clientId === request.credential?.clientId ? request.credential?.clientSecret : undefined,
    accessKeyId: keyId ?? choices.keys[0]?.access_key_id ?? PLACEHOLDERS.accessKeyId,
    secretAccessKey: keyId === request.accessKey?.id ? request.accessKey?.secret : undefined,
  };
  const tools = toolsFor(request.topic);
  const tool = tools.find(({ id }) => id === toolId);
  const spoken = tool?.fixed ?? topic;
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-3">
        <TopicField value={spoken} fixed={tool?.fixed ?? null} onChange={setTopic} />
        {spoken === "s3" ? (
          <KeyField choices={choices} input={input} onChange={setKeyId} />
        ) : (
          <CredentialField choices={choices} input={input} onChange={setClientId} />
        )}
        <AppField choices={choices} value={input.app} onChange={setApp} />
      </div>
      {spoken !== "s3" && credential !== undefined && credential.client_id === input.clientId && (
        <Lacking needed={TOPIC_SCOPES[spoken]} held={credential.effective_scopes} />
      )}
      <Tabs
        label="Tools"
        value={toolId}
        onChange={(id) => setToolId(id as ToolId)}
        tabs={tools.map((one) => ({ id: one.id, title: one.title, content: <Snippets tool={one} input={input} /> }))}
      />
    </>
  );
}

function Snippets({ tool, input }: { tool: Tool; input: SnippetInput }): ReactNode {
  return tool.snippets({ ...input, topic: tool.fixed ?? input.topic }).map(({ title, about, text }) => (
    <section key={title} className="flex min-w-0 flex-col gap-1">
      <h3>{title}</h3>
      {about !== undefined && (
        <p className="text-ink-2">
          <Prose text={about} />
        </p>
      )}
      <CopyBlock text={text} label={title} />
    </section>
  ));
}

function Lacking({ needed, held }: { needed: readonly Scope[]; held: readonly Scope[] }): ReactNode {
  const lacking = needed.filter((scope) => !held.includes(scope));
  if (lacking.length === 0) return null;
  return (
    <p role="status">
      <State kind="warn">
        <span className="whitespace-normal">
          This credential lacks <code>{lacking.join(" ")}</code>: choose another one, or give it these permissions.
        </span>
      </State>
    </p>
  );
}

function TopicField({
  value,
  fixed,
  onChange,
}: {
  value: Topic;
  fixed: Topic | null;
  onChange: (topic: Topic) => void;
}): ReactNode {
  return (
    <SelectField
      label="For"
      value={value}
      disabled={fixed !== null}
      hint={fixed === null ? undefined : "What this tool is for"}
      onChange={(event) => onChange(event.target.value as Topic)}
    >
      {Object.entries(TOPIC_TITLES).map(([topic, title]) => (
        <option key={topic} value={topic}>
          {title}
        </option>
      ))}
    </SelectField>
  );
}

interface ChoiceProps {
  choices: Choices;
  input: SnippetInput;
  onChange: (id: string) => void;
}

function CredentialField({ choices: { credentials }, input, onChange }: ChoiceProps): ReactNode {
  const isListed = credentials.some(({ client_id }) => client_id === input.clientId);
  return (
    <SelectField label="Credential" value={input.clientId} onChange={(event) => onChange(event.target.value)}>
      {!isListed && (
        <option value={input.clientId}>
          {input.clientId === PLACEHOLDERS.clientId ? "None to choose: make one first" : input.clientId}
        </option>
      )}
      {credentials.map(({ client_id, name }) => (
        <option key={client_id} value={client_id}>
          {name} ({client_id.slice(0, 8)}…{client_id.slice(-4)})
        </option>
      ))}
    </SelectField>
  );
}

function KeyField({ choices: { keys }, input, onChange }: ChoiceProps): ReactNode {
  const isListed = keys.some(({ access_key_id }) => access_key_id === input.accessKeyId);
  return (
    <SelectField label="Access key" value={input.accessKeyId} onChange={(event) => onChange(event.target.value)}>
      {!isListed && (
        <option value={input.accessKeyId}>
          {input.accessKeyId === PLACEHOLDERS.accessKeyId ? "None to choose: make an S3 key first" : input.accessKeyId}
        </option>
      )}
      {keys.map(({ access_key_id, name }) => (
        <option key={access_key_id} value={access_key_id}>
          {name} ({access_key_id})
        </option>
      ))}
    </SelectField>
  );
}

function AppField({
  choices: { apps },
  value,
  onChange,
}: {
  choices: Choices;
  value: string;
  onChange: (slug: string) => void;
}): ReactNode {
  const isListed = apps.some(({ slug }) => slug === value);
  return (
    <SelectField label="App" value={value} onChange={(event) => onChange(event.target.value)}>
      {!isListed && <option value={value}>{value === PLACEHOLDERS.app ? "No app yet" : value}</option>}
      {apps.map(({ slug, name }) => (
        <option key={slug} value={slug}>
          {name === slug ? slug : `${name} (${slug})`}
        </option>
      ))}
    </SelectField>
  );
}
