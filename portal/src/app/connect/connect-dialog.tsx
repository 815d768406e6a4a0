import { useState, type ReactNode } from "react";
import { CopyBlock } from "~/kit/copy.tsx";
import { Dialog } from "~/kit/dialog.tsx";
import { SelectField } from "~/kit/field.tsx";
import { Loading } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { Tabs } from "~/kit/tabs.tsx";
import type { Topic } from "../topic.ts";
import { PageLink } from "../page-link.tsx";
import { useOrganization } from "../scope.ts";
import type { Choices } from "./choices.ts";
import { reaches } from "./choose.ts";
import { useChosen, type Chosen } from "./chosen.ts";
import type { ConnectRequest } from "./request.ts";
import { Prose } from "./prose.tsx";
import { PLACEHOLDERS, TOPIC_SCOPES, toolsFor, type SnippetInput, type Tool, type ToolId } from "./snippets/index.ts";

const TOPIC_TITLES: Readonly<Record<Topic, string>> = {
  token: "Tokens and the API",
  telemetry: "Sending telemetry",
  query: "Queries with SQL",
  files: "Files",
  s3: "Buckets (S3)",
  registry: "Container images",
  webhooks: "Webhooks",
};

/** The topics whose snippets name an app. */
const OF_APPS: ReadonlySet<Topic> = new Set(["registry", "s3"]);

interface DialogProps {
  request: ConnectRequest;
  onClose: () => void;
}

/** Shows commands for the page's topic that work without a change. */
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
        <p>Open an organization first: the commands contain its names.</p>
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
  const tools = toolsFor(request.topic);
  const tool = tools.find(({ id }) => id === toolId);
  const spoken = tool?.fixed ?? topic;
  const chosen = useChosen(request, { spoken, app, clientId, keyId });
  if (chosen === null) return <Loading />;
  const { input, choices } = chosen;
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
      {spoken === "telemetry" && (
        <p>
          Agents such as Prometheus, Fluent Bit and rsyslog need an ingest key, because tokens expire.{" "}
          <PageLink page="ingest-keys">Ingest keys</PageLink> has a configuration for each agent.
        </p>
      )}
      <Warnings chosen={chosen} spoken={spoken} />
      <Tabs
        label="Tools"
        value={toolId}
        onChange={(id) => setToolId(id as ToolId)}
        tabs={tools.map((one) => ({
          id: one.id,
          title: one.title,
          content: <Snippets tool={one} topic={topic} input={input} />,
        }))}
      />
    </>
  );
}

function Snippets({ tool, topic, input }: { tool: Tool; topic: Topic; input: SnippetInput }): ReactNode {
  return tool.snippets({ ...input, topic: tool.fixed ?? topic }).map(({ title, about, text }) => (
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

/** Says why the server would refuse the commands. */
function Warnings({ chosen: { holder, app, hidden }, spoken }: { chosen: Chosen; spoken: Topic }): ReactNode {
  if (holder === undefined) return null;
  const lacking = TOPIC_SCOPES[spoken].filter((scope) => !holder.effective_scopes.some((held) => held === scope));
  const isOutOfReach = app !== undefined && OF_APPS.has(spoken) && !reaches(holder, app, hidden);
  if (lacking.length === 0 && !isOutOfReach) return null;
  return (
    <p role="status">
      <State kind="warn">
        <span className="whitespace-normal">
          {lacking.length > 0 && (
            <>
              This credential lacks <code>{lacking.join(" ")}</code>: choose another one, or give it these
              permissions.{" "}
            </>
          )}
          {isOutOfReach && "It has no access to the project of this app: choose a credential of the project."}
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
          {input.clientId === PLACEHOLDERS.clientId ? "There is none: create one first" : input.clientId}
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
          {input.accessKeyId === PLACEHOLDERS.accessKeyId ? "There is none: create an S3 key first" : input.accessKeyId}
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
