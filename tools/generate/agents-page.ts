import {
  AGENT_PROTOCOLS,
  AGENTS,
  fillIn,
  INGEST_KEY_PLACEHOLDER,
  SERVICE_PLACEHOLDER,
  type Agent,
  type AgentAddresses,
  type AgentProtocol,
} from "../../contract/src/agents/index.ts";
import type { Generated } from "./generated-file.ts";

/** Generates docs/how-to/connect-an-agent.md: the configuration of each agent, with addresses of an example. */
export const agentsPage: Generated = {
  path: "docs/how-to/connect-an-agent.md",
  render: () => INTRODUCTION + tableOf(AGENTS) + sections(),
};

const ADDRESSES: AgentAddresses = {
  ingest_url: "https://mooring.example.com",
  otlp_grpc_url: "https://mooring.example.com:4317",
  syslog_tcp_address: "mooring.example.com:514",
  syslog_tls_address: "mooring.example.com:6514",
  syslog_udp_address: "mooring.example.com:514",
};

const INTRODUCTION = `# Connect an agent

**Needs** an [ingest key](../reference/ingest-keys.md) and the address of your server.

In the portal, under **Ingest keys**, a new key is shown in the same configurations, with the addresses of your server. The dialog also shows when the agent has used the key. Here the address is \`mooring.example.com\`, the key
\`${INGEST_KEY_PLACEHOLDER}\`, and the service \`${SERVICE_PLACEHOLDER}\`.

OTLP/gRPC and syslog have separate ports. \`GET /.well-known/mooring\` has their addresses if clients can reach them ([\`otlp_grpc_listen\`](../reference/otlp.md#otlpgrpc), [\`syslog_tcp_listen\`](../reference/syslog.md) and others).

**Tested**: *run* means that a test of this project sends with the real agent and the text below, and finds the rows by SQL. *Read* means that the tests do not have the agent: each option was looked up in the documents that are named below
the text, and a test only checks the form of the text.

This page is generated from \`contract/src/agents/\` by \`npm run generate\`.

`;

/** Agents whose test needs a browser are in another group; the reader only needs to know that it is run. */
const NOT_RUN = "<!-- not run: the tests of senders run it, with the agent -->\n\n";

function tableOf(agents: readonly Agent[]): string {
  const rows = agents.map(
    (agent) =>
      `| [${agent.title}](#${anchorOf(agent.title)}) | [${AGENT_PROTOCOLS[agent.protocol].title}](../reference/${AGENT_PROTOCOLS[agent.protocol].page}) | ${agent.documents === undefined ? "run" : "read"} |\n`,
  );
  return `| agent | protocol | tested |\n| --- | --- | --- |\n${rows.join("")}\n`;
}

/** The anchor of a heading, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}

function sections(): string {
  const protocols = Object.keys(AGENT_PROTOCOLS) as AgentProtocol[];
  const parts = protocols.map((protocol) => {
    const { title, page } = AGENT_PROTOCOLS[protocol];
    const agents = AGENTS.filter((agent) => agent.protocol === protocol);
    return `## ${title}\n\nColumns, limits and answers: [${page}](../reference/${page}).\n\n${agents.map(sectionOf).join("\n")}`;
  });
  return parts.join("\n");
}

function sectionOf(agent: Agent): string {
  const { title, file, use, language, documents } = agent;
  const text = fillIn(agent, { addresses: ADDRESSES, key: INGEST_KEY_PLACEHOLDER, service: SERVICE_PLACEHOLDER });
  const mark = language === "sh" ? NOT_RUN : "";
  const sources = documents === undefined ? "" : `\nRead: ${documents.map((url) => `<${url}>`).join(", ")}.\n`;
  return `### ${title}\n\n${capital(file)}. ${use}\n\n${mark}\`\`\`${language}\n${text}\`\`\`\n${sources}`;
}

/** Begins with a capital letter, unless it is the name of a file. */
function capital(text: string): string {
  return /[./]/.test(text) ? `\`${text}\`` : text.charAt(0).toUpperCase() + text.slice(1);
}
