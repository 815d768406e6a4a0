/** The presets of the form. Each makes an issuer and a subject from simple fields. */

export type PresetId = "github" | "gitlab" | "kubernetes" | "other";
export type GithubKind = "branch" | "tag" | "environment" | "pull_request";
export type GitlabKind = "branch" | "tag";

/** The fields of all presets. */
export interface Draft {
  readonly preset: PresetId;
  readonly name: string;
  /** Id of the credential. */
  readonly credential: string;
  /** Empty: this server's identity address. */
  readonly audience: string;
  readonly owner: string;
  readonly repository: string;
  readonly githubKind: GithubKind;
  readonly gitlabKind: GitlabKind;
  /** Branch, tag or environment. */
  readonly ref: string;
  readonly gitlabUrl: string;
  /** `group/project`. */
  readonly projectPath: string;
  readonly clusterIssuer: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly issuer: string;
  readonly subject: string;
  /** One `name=value` per line. */
  readonly claims: string;
}

export const EMPTY_DRAFT: Draft = {
  preset: "github",
  name: "",
  credential: "",
  audience: "",
  owner: "",
  repository: "",
  githubKind: "branch",
  gitlabKind: "branch",
  ref: "main",
  gitlabUrl: "https://gitlab.com",
  projectPath: "",
  clusterIssuer: "",
  namespace: "default",
  serviceAccount: "",
  issuer: "",
  subject: "",
  claims: "",
};

export const PRESETS: readonly { readonly id: PresetId; readonly title: string; readonly about: string }[] = [
  {
    id: "github",
    title: "GitHub Actions",
    about: "Jobs of one repository on github.com: of a branch, a tag, an environment or pull requests.",
  },
  {
    id: "gitlab",
    title: "GitLab CI",
    about: "Jobs of one project on gitlab.com or your own GitLab, of a branch or a tag.",
  },
  {
    id: "kubernetes",
    title: "Kubernetes",
    about: "Pods of one service account. The cluster's issuer must be reachable from this server.",
  },
  {
    id: "other",
    title: "Any OpenID issuer",
    about: "Any issuer that publishes its keys with OpenID Connect Discovery.",
  },
];

export const GITHUB_ISSUER = "https://token.actions.githubusercontent.com";

/** Returns the `iss` and `sub` of the tokens. */
export function subjectOf(draft: Draft): { readonly issuer: string; readonly subject: string } {
  const trimmed = (text: string): string => text.trim();
  switch (draft.preset) {
    case "github":
      return { issuer: GITHUB_ISSUER, subject: githubSubject(draft) };
    case "gitlab": {
      const path = trimmed(draft.projectPath).replace(/^\/+|\/+$/g, "");
      const subject = `project_path:${path}:ref_type:${draft.gitlabKind}:ref:${trimmed(draft.ref)}`;
      return { issuer: trimmed(draft.gitlabUrl).replace(/\/+$/, ""), subject };
    }
    case "kubernetes": {
      const subject = `system:serviceaccount:${trimmed(draft.namespace)}:${trimmed(draft.serviceAccount)}`;
      return { issuer: trimmed(draft.clusterIssuer), subject };
    }
    case "other":
      return { issuer: trimmed(draft.issuer), subject: trimmed(draft.subject) };
  }
}

function githubSubject({ owner, repository, githubKind, ref }: Draft): string {
  const of = `repo:${owner.trim()}/${repository.trim()}`;
  const name = ref.trim();
  switch (githubKind) {
    case "branch":
      return `${of}:ref:refs/heads/${name}`;
    case "tag":
      return `${of}:ref:refs/tags/${name}`;
    case "environment":
      return `${of}:environment:${name.replaceAll(":", "%3A")}`; // GitHub encodes colons
    case "pull_request":
      return `${of}:pull_request`;
  }
}

/** Whether all fields of the chosen preset are filled in. */
export function isComplete(draft: Draft): boolean {
  const asked: Readonly<Record<PresetId, readonly string[]>> = {
    github: [draft.owner, draft.repository, ...(draft.githubKind === "pull_request" ? [] : [draft.ref])],
    gitlab: [draft.gitlabUrl, draft.projectPath, draft.ref],
    kubernetes: [draft.clusterIssuer, draft.namespace, draft.serviceAccount],
    other: [draft.issuer, draft.subject],
  };
  return [draft.name, draft.credential, ...asked[draft.preset]].every((text) => text.trim() !== "");
}

/**
 * Parses lines of `name=value` into claims. Numbers, true and false are JSON, everything else is text. Undefined: a
 * line is invalid.
 */
export function claimsOf(text: string): Record<string, string | number | boolean> | undefined {
  const claims: Record<string, string | number | boolean> = {};
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === "") continue;
    const at = line.indexOf("=");
    if (at < 1) return undefined;
    claims[line.slice(0, at).trim()] = valueOf(line.slice(at + 1).trim());
  }
  return claims;
}

function valueOf(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  const quoted = /^"(.*)"$/.exec(text)?.[1];
  return quoted ?? (/^-?[0-9]{1,15}$/.test(text) ? Number(text) : text);
}

/** Guesses the preset of a trust. */
export function presetOf({ issuer, subject }: { readonly issuer: string; readonly subject: string }): PresetId {
  if (issuer === GITHUB_ISSUER) return "github";
  if (subject.startsWith("project_path:")) return "gitlab";
  return subject.startsWith("system:serviceaccount:") ? "kubernetes" : "other";
}

/** Explains which subjects a pattern matches; null: it has no wildcard. */
export function widthOf(subject: string): string | null {
  if (!subject.includes("*")) return null;
  return subject.includes("**")
    ? "** matches any characters except a colon: every branch, also feature/x."
    : "* matches any characters except a colon and a slash: main, but not feature/x. Write ** for both.";
}
