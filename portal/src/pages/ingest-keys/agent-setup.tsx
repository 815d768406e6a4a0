import { AGENT_PROTOCOLS, AGENTS, fillIn, INGEST_KEY_PLACEHOLDER, type Agent } from "@mooring/contract/agents";
import { useState, type ReactNode } from "react";
import type { IngestKey } from "~/access/ingest-keys.ts";
import { useAddresses } from "~/api/addresses.ts";
import { Prose } from "~/app/connect/prose.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { FindSelectField } from "~/kit/find-select-field.tsx";
import { Loading } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { agentsFor, firstAgentFor, refusalOf, serviceOf } from "./agent-choice.ts";
import { FirstUse } from "./first-use.tsx";

interface SetupProps {
  ingestKey: Pick<IngestKey, "id" | "origins" | "resources">;
  /** Known only right after its creation. */
  secret: string | null;
}

/** Shows the configuration of an agent with the key in it, and whether the agent has used the key. */
export function AgentSetup({ ingestKey, secret }: SetupProps): ReactNode {
  const addresses = useAddresses();
  const [id, setId] = useState(() => firstAgentFor(ingestKey));
  if (addresses === undefined) return <Loading />;
  const agents = agentsFor(addresses);
  const agent = agents.find((each) => each.id === id);
  if (agent === undefined) return null;
  const text = fillIn(agent, { addresses, key: secret ?? INGEST_KEY_PLACEHOLDER, service: serviceOf(ingestKey) });
  return (
    <section className="flex min-w-0 flex-col gap-3">
      <h3>Connect an agent</h3>
      <div className="grid gap-3 sm:grid-cols-2">
        <FindSelectField
          label="Agent"
          findLabel="Find an agent"
          hint={<Unlisted count={AGENTS.length - agents.length} />}
          value={agent.id}
          choices={agents.map((each) => ({ ...each, group: AGENT_PROTOCOLS[each.protocol].title }))}
          onChange={setId}
        />
      </div>
      <Warnings text={refusalOf(ingestKey, agent)} hasSecret={secret !== null} />
      <p>
        <strong className="font-medium">{agent.file}.</strong> <Prose text={agent.use} />
      </p>
      <CopyBlock text={text} label={`Configuration of ${agent.title}`} />
      <About agent={agent} />
      <FirstUse id={ingestKey.id} />
    </section>
  );
}

function Unlisted({ count }: { count: number }): ReactNode {
  if (count === 0) return null;
  return (
    <>
      {count} more if clients can reach the server over OTLP/gRPC and syslog: <code>otlp_grpc_listen</code>,{" "}
      <code>syslog_tcp_listen</code>, <code>syslog_tls_listen</code>
    </>
  );
}

function Warnings({ text, hasSecret }: { text: string | null; hasSecret: boolean }): ReactNode {
  return (
    <>
      {!hasSecret && (
        <p>
          The secret was shown once, so the configuration has <code>{INGEST_KEY_PLACEHOLDER}</code> instead of it. If
          the secret is lost, rotate the key: the old secret can work for a while.
        </p>
      )}
      {text !== null && (
        <p role="status">
          <State kind="warn">
            <span className="whitespace-normal">{text}</span>
          </State>
        </p>
      )}
    </>
  );
}

function About({ agent }: { agent: Agent }): ReactNode {
  return (
    <p className="text-s text-ink-2">
      {agent.documents === undefined
        ? "Mooring's tests send with this agent and this configuration."
        : "Mooring's tests do not run this agent. Each option was looked up in its documents."}
    </p>
  );
}
