import type { Topic } from "../../topic.ts";
import { awsCliSnippets } from "./aws-cli.ts";
import { boto3Snippets } from "./boto3.ts";
import { curlSnippets } from "./curl.ts";
import { dockerSnippets } from "./docker.ts";
import { gitHubActionsSnippets } from "./github-actions.ts";
import { nodeSnippets } from "./node.ts";
import { openTelemetrySnippets } from "./opentelemetry.ts";
import { pythonSnippets } from "./python.ts";
import { rcloneSnippets } from "./rclone.ts";
import type { Snippet, SnippetInput } from "./shared.ts";

export * from "./shared.ts";

export type ToolId = "curl" | "otel" | "docker" | "aws" | "rclone" | "boto3" | "github" | "node" | "python";

export interface Tool {
  readonly id: ToolId;
  readonly title: string;
  /** The only topic of this tool; null: the page's topic. */
  readonly fixed: Topic | null;
  readonly snippets: (input: SnippetInput) => readonly Snippet[];
}

const TOOLS: readonly Tool[] = [
  { id: "curl", title: "curl", fixed: null, snippets: curlSnippets },
  { id: "otel", title: "OpenTelemetry", fixed: "telemetry", snippets: openTelemetrySnippets },
  { id: "docker", title: "docker", fixed: "registry", snippets: dockerSnippets },
  { id: "aws", title: "AWS CLI", fixed: "s3", snippets: awsCliSnippets },
  { id: "rclone", title: "rclone", fixed: "s3", snippets: rcloneSnippets },
  { id: "boto3", title: "boto3", fixed: "s3", snippets: boto3Snippets },
  { id: "github", title: "GitHub Actions", fixed: null, snippets: gitHubActionsSnippets },
  { id: "node", title: "Node", fixed: null, snippets: nodeSnippets },
  { id: "python", title: "Python", fixed: null, snippets: pythonSnippets },
];

/** The tools that are listed first for a topic. */
const FIRST: Readonly<Record<Topic, readonly ToolId[]>> = {
  token: ["curl"],
  telemetry: ["otel", "curl"],
  query: ["curl"],
  files: ["curl"],
  s3: ["aws", "rclone", "boto3"],
  registry: ["docker", "github"],
  webhooks: ["curl"],
};

/** Returns all tools, those for the topic first. */
export function toolsFor(topic: Topic): readonly Tool[] {
  const rank = ({ id }: Tool): number => {
    const at = FIRST[topic].indexOf(id);
    return at < 0 ? FIRST[topic].length : at;
  };
  return TOOLS.toSorted((a, b) => rank(a) - rank(b));
}
