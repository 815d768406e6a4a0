import { AGENTS, canConnect, SERVICE_PLACEHOLDER, type Agent, type AgentAddresses } from "@mooring/contract/agents";
import type { IngestKey } from "~/access/ingest-keys.ts";

/** The agent for keys that web pages use. */
const WEB = "otel-web";

type Limits = Pick<IngestKey, "origins" | "resources">;

/** Returns the agents whose address the server has. */
export function agentsFor(addresses: AgentAddresses): readonly Agent[] {
  return AGENTS.filter((agent) => canConnect(agent, addresses));
}

/** Returns the agent that a dialog shows first. */
export function firstAgentFor({ origins }: Limits): string {
  return origins === null ? "otel-http" : WEB;
}

/** Returns the reason why the server would refuse the agent with this key, or null. */
export function refusalOf({ origins }: Limits, { id }: Agent): string | null {
  if (origins === null && id === WEB)
    return "This key names no origin, so pages of other origins can't send with it. Change the key, or create another one.";
  if (origins !== null && id !== WEB)
    return "This key works only in web pages of its origins. Create another key for this agent.";
  return null;
}

/** Returns the service for the configuration: the first one that the key may send. */
export function serviceOf({ resources }: Limits): string {
  return resources?.services?.[0] ?? SERVICE_PLACEHOLDER;
}
