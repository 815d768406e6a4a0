import type { REGISTRY_API_ROUTES, ResultOf } from "@mooring/contract";
import { plural } from "../../kit/figures.ts";

export type Repository = ResultOf<typeof REGISTRY_API_ROUTES.getImageRepository>;
export type ImageTag = ResultOf<typeof REGISTRY_API_ROUTES.listImageTags>["items"][number];
export type Manifest = ResultOf<typeof REGISTRY_API_ROUTES.getImageManifest>;
export type ImageConfig = NonNullable<Manifest["image_config"]>;
export type Retention = NonNullable<Repository["retention"]>;
type Platform = Manifest["platforms"][number];

/** `linux/arm64/v8`. Attachments of builders have no platform. */
export function platformText({ os, architecture, variant }: Pick<Platform, "os" | "architecture" | "variant">): string {
  const parts = [os, architecture, variant].filter((part) => part !== null && part !== "unknown");
  return parts.length === 0 ? "attached" : parts.join("/");
}

/** Longer than every real platform. The limit exists because a client may push any text. */
const PLATFORM_CHARS_MAX = 60;

/** Returns the platform in an image's config, or null if there is none. */
export function onePlatform({ image_config: config }: Pick<Manifest, "image_config">): string | null {
  if (config === null) return null;
  const text = platformText(config);
  return text === "attached" ? null : cut(text);
}

const cut = (text: string): string =>
  text.length > PLATFORM_CHARS_MAX ? `${text.slice(0, PLATFORM_CHARS_MAX)}…` : text;

const IMAGE_TYPES: ReadonlySet<string> = new Set([
  "application/vnd.oci.image.config.v1+json",
  "application/vnd.docker.container.image.v1+json",
]);

/** Returns the platforms of a tag, or its artifact type. */
export function platformNames({
  platforms,
  artifact_type: type,
  media_type,
}: Pick<ImageTag, "platforms" | "artifact_type" | "media_type">): string[] {
  const names = new Set(platforms.map(platformText).filter((name) => name !== "attached"));
  if (names.size > 0) return [...names].map(cut);
  if (type !== null && !IMAGE_TYPES.has(type)) return [cut(type)];
  return [/index|manifest\.list/.test(media_type) ? "index" : "platform unknown"];
}

/** Formats a program with its arguments, with quotes where they are needed to separate arguments. */
export function argumentsText(words: readonly string[]): string {
  return words.every((word) => /^[\w./:=@%+,-]+$/.test(word)) ? words.join(" ") : JSON.stringify(words);
}

/** Returns the first twelve digits, as other clients do. */
export function shortDigest(digest: string): string {
  const [algorithm = "", hex = ""] = digest.split(":");
  return `${algorithm}:${hex.slice(0, 12)}`;
}

/** A command for each client. */
export interface ImageCommand {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** `registry.example.com/orgs/acme/shop:1.0`, or by `@sha256:…`. */
export function imageName(domain: string, repository: string, reference: string): string {
  return `${domain}/${repository}${reference.includes(":") ? "@" : ":"}${reference}`;
}

export function pullCommands(image: string): readonly ImageCommand[] {
  return [
    { id: "docker", title: "docker", text: `docker pull ${image}` },
    { id: "podman", title: "podman", text: `podman pull ${image}` },
    { id: "skopeo", title: "skopeo", text: `skopeo copy docker://${image} docker-archive:image.tar` },
    { id: "kubernetes", title: "Kubernetes", text: `image: ${image}` },
    { id: "dockerfile", title: "Dockerfile", text: `FROM ${image}` },
  ];
}

/** Returns the commands to sign in and push a first image. */
export function firstPushCommands(domain: string, org: string, app: string): string {
  const image = `${domain}/orgs/${org}/${app}:1.0`;
  return [`docker login ${domain} -u CLIENT_ID`, `docker tag ${app}:1.0 ${image}`, `docker push ${image}`].join("\n");
}

const KNOWN_ARTIFACTS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^application\/vnd\.dev\.cosign\.artifact\.sig/, "cosign signature"],
  [/^application\/vnd\.dev\.sigstore\.bundle/, "Sigstore bundle"],
  [/^application\/vnd\.cncf\.notary\.signature/, "Notary signature"],
  [/^application\/(vnd\.cyclonedx|.*cyclonedx)/, "CycloneDX bill of materials"],
  [/^(application|text)\/spdx/, "SPDX bill of materials"],
  [/^application\/vnd\.syft/, "Syft bill of materials"],
  [/^application\/vnd\.in-toto/, "in-toto attestation"],
  [/^application\/(vnd\.dsse|.*dsse)/, "DSSE attestation"],
  [/sarif/, "SARIF report"],
];
const KINDS: Readonly<Record<Manifest["referrers"][number]["kind"], string>> = {
  signature: "signature",
  sbom: "bill of materials",
  attestation: "attestation",
  other: "other artifact",
};

/** Returns the name of a referrer by its artifact type. */
export function referrerName({
  artifact_type: type,
  kind,
}: Pick<Manifest["referrers"][number], "artifact_type" | "kind">): string {
  return KNOWN_ARTIFACTS.find(([pattern]) => type !== null && pattern.test(type))?.[1] ?? KINDS[kind];
}

/** Parses the number in a field; null if the field is empty. */
export function numberOrNull(text: string): number | null {
  return text.trim() === "" ? null : Number(text);
}

/** Splits tag patterns at commas and spaces. */
export function patternsIn(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((pattern) => pattern !== ""))];
}

/** Returns the error of the first invalid pattern. */
export function patternFault(patterns: readonly string[]): string | undefined {
  if (patterns.length > 20) return "At most 20 patterns are allowed";
  const wrong = patterns.find((pattern) => !/^[a-zA-Z0-9._*-]{1,128}$/.test(pattern));
  return wrong === undefined ? undefined : `${wrong} may have only letters, digits, . _ - and *`;
}

/** Describes retention rules. Null: nothing is deleted automatically. */
export function retentionText(rules: Retention | null): string {
  if (rules === null || (rules.keep_last === null && rules.keep_days === null && rules.untagged_days === null))
    return "Nothing is deleted automatically.";
  const kept = [
    ...(rules.keep_last === null
      ? []
      : [rules.keep_last === 1 ? "the most recently pushed one" : `the ${rules.keep_last} most recently pushed ones`]),
    ...(rules.keep_days === null ? [] : [`those pushed or pulled within ${plural(rules.keep_days, "day")}`]),
    ...(rules.keep_tags.length === 0 ? [] : [`those that match ${rules.keep_tags.join(", ")}`]),
  ];
  const tags =
    rules.keep_last === null && rules.keep_days === null ? "Every tag stays." : `Kept tags: ${kept.join(" and ")}.`;
  const untagged =
    rules.untagged_days === null
      ? ""
      : ` Manifests without a tag are deleted after ${plural(rules.untagged_days, "day")}.`;
  return tags + untagged;
}
