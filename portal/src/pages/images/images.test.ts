import assert from "node:assert/strict";
import { test } from "node:test";
import {
  argumentsText,
  firstPushCommands,
  imageName,
  numberOrNull,
  onePlatform,
  platformNames,
  patternFault,
  patternsIn,
  platformText,
  pullCommands,
  referrerName,
  retentionText,
  shortDigest,
} from "./images.ts";

const none = { keep_last: null, keep_days: null, keep_tags: [], untagged_days: null };

test("an image is named by tag or by digest", () => {
  assert.equal(imageName("reg.example.com", "orgs/acme/shop", "1.0"), "reg.example.com/orgs/acme/shop:1.0");
  assert.equal(imageName("reg.example.com", "orgs/acme/shop", "sha256:ab"), "reg.example.com/orgs/acme/shop@sha256:ab");
  assert.equal(pullCommands("r/x:1")[0]?.text, "docker pull r/x:1");
  assert.equal(shortDigest(`sha256:${"0123456789abcdef".repeat(4)}`), "sha256:0123456789ab");
});

test("the first push is three commands", () => {
  assert.deepEqual(firstPushCommands("127.0.0.1:8080", "acme", "shop").split("\n"), [
    "docker login 127.0.0.1:8080 -u CLIENT_ID",
    "docker tag shop:1.0 127.0.0.1:8080/orgs/acme/shop:1.0",
    "docker push 127.0.0.1:8080/orgs/acme/shop:1.0",
  ]);
});

test("platforms and attachments", () => {
  assert.equal(platformText({ os: "linux", architecture: "arm64", variant: "v8" }), "linux/arm64/v8");
  assert.equal(platformText({ os: "unknown", architecture: "unknown", variant: null }), "attached");
  const name = (artifactType: string | null, kind: "signature" | "sbom" | "attestation" | "other") =>
    referrerName({ artifact_type: artifactType, kind });
  assert.equal(name("application/vnd.cyclonedx+json", "sbom"), "CycloneDX bill of materials");
  assert.equal(name("application/vnd.dev.cosign.artifact.sig.v1+json", "signature"), "cosign signature");
  assert.equal(name("application/x-mine", "other"), "other artifact");
  assert.equal(name(null, "attestation"), "attestation");
});

test("the config of an image is summarized", () => {
  const config = {
    architecture: "arm64",
    os: "linux",
    variant: "v8",
    created: null,
    author: null,
    labels: {},
    env: [],
    entrypoint: null,
    cmd: null,
    user: null,
    working_dir: null,
    exposed_ports: [],
    history: [],
  };
  assert.equal(onePlatform({ image_config: config }), "linux/arm64/v8");
  assert.equal(onePlatform({ image_config: { ...config, architecture: null, os: null, variant: null } }), null);
  assert.equal(onePlatform({ image_config: null }), null);
  assert.equal(onePlatform({ image_config: { ...config, os: "x".repeat(100) } }), `${"x".repeat(60)}…`);
  assert.equal(argumentsText(["/shop", "--port=80"]), "/shop --port=80");
  assert.equal(argumentsText(["sh", "-c", "a b"]), '["sh","-c","a b"]');
  assert.equal(argumentsText([""]), '[""]');
});

test("rules in words", () => {
  assert.equal(retentionText(null), "Nothing is deleted automatically.");
  assert.equal(retentionText(none), "Nothing is deleted automatically.");
  assert.equal(
    retentionText({ ...none, untagged_days: 7 }),
    "Every tag stays. Manifests without a tag are deleted after 7 days.",
  );
  assert.equal(
    retentionText({ ...none, keep_last: 20, keep_days: 30, keep_tags: ["stable"] }),
    "Kept tags: the 20 most recently pushed ones and those pushed or pulled within 30 days and those that match stable.",
  );
});

test("text from the fields", () => {
  assert.deepEqual(patternsIn("v*, stable v*"), ["v*", "stable"]);
  assert.equal(patternFault(["v*", "release-1.x"]), undefined);
  assert.match(patternFault(["a/b"]) ?? "", /^a\/b may have only/);
  assert.equal(numberOrNull(" "), null);
  assert.equal(numberOrNull("7"), 7);
});

test("a tag shows its platforms, or its kind if it is not an image", () => {
  const image = {
    platforms: [],
    artifact_type: "application/vnd.oci.image.config.v1+json",
    media_type: "application/vnd.oci.image.manifest.v1+json",
  };
  const none = { os: null, architecture: null, variant: null };
  const amd64 = { ...none, os: "linux", architecture: "amd64" };
  const index = "application/vnd.oci.image.index.v1+json";
  assert.deepEqual(platformNames({ ...image, platforms: [amd64] }), ["linux/amd64"]);
  assert.deepEqual(platformNames({ ...image, platforms: [amd64, none] }), ["linux/amd64"]);
  assert.deepEqual(platformNames(image), ["platform unknown"]);
  assert.deepEqual(platformNames({ ...image, media_type: index, artifact_type: null }), ["index"]);
  assert.deepEqual(platformNames({ ...image, artifact_type: "application/vnd.cncf.helm.config.v1+json" }), [
    "application/vnd.cncf.helm.config.v1+json",
  ]);
});
