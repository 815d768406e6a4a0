import assert from "node:assert/strict";
import { test } from "node:test";
import { claimsOf, EMPTY_DRAFT, isComplete, presetOf, PRESETS, subjectOf, widthOf, type Draft } from "./presets.ts";
import { trustSnippets } from "./snippets.ts";

const draft = (part: Partial<Draft>): Draft => ({ ...EMPTY_DRAFT, name: "deploys", credential: "cred_1", ...part });
const GITHUB = draft({ owner: "acme", repository: "shop" });

test("GitHub's subjects have GitHub's form", () => {
  const subject = (part: Partial<Draft>): string => subjectOf({ ...GITHUB, ...part }).subject;
  assert.equal(subject({ ref: "main" }), "repo:acme/shop:ref:refs/heads/main");
  assert.equal(subject({ githubKind: "tag", ref: "v*" }), "repo:acme/shop:ref:refs/tags/v*");
  assert.equal(subject({ githubKind: "environment", ref: "eu:prod" }), "repo:acme/shop:environment:eu%3Aprod");
  assert.equal(subject({ githubKind: "pull_request" }), "repo:acme/shop:pull_request");
});

test("GitLab's, Kubernetes' and other issuers' subjects have their form", () => {
  assert.deepEqual(
    subjectOf(draft({ preset: "gitlab", projectPath: "/acme/shop/", gitlabUrl: "https://git.example/" })),
    {
      issuer: "https://git.example",
      subject: "project_path:acme/shop:ref_type:branch:ref:main",
    },
  );
  const cluster = draft({ preset: "kubernetes", clusterIssuer: "https://k8s.example", serviceAccount: "deployer" });
  assert.equal(subjectOf(cluster).subject, "system:serviceaccount:default:deployer");
  const other = draft({ preset: "other", issuer: " https://id.example ", subject: " job:1 " });
  assert.deepEqual(subjectOf(other), { issuer: "https://id.example", subject: "job:1" });
});

test("a form is complete when all fields of its preset are filled in", () => {
  assert.equal(isComplete(GITHUB), true);
  assert.equal(isComplete({ ...GITHUB, ref: " " }), false);
  assert.equal(isComplete({ ...GITHUB, ref: "", githubKind: "pull_request" }), true);
  assert.equal(isComplete({ ...GITHUB, credential: "" }), false);
  assert.equal(isComplete(draft({ preset: "kubernetes" })), false);
});

test("claims are lines; numbers and booleans keep their type unless they are quoted", () => {
  assert.deepEqual(claimsOf('environment=production\n\n run_attempt = 1\nprotected=true\nref_protected="true"'), {
    environment: "production",
    run_attempt: 1,
    protected: true,
    ref_protected: "true",
  });
  assert.equal(claimsOf("nonsense"), undefined);
  assert.deepEqual(claimsOf(""), {});
});

test("the form says what a pattern matches", () => {
  assert.equal(widthOf("repo:acme/shop:ref:refs/heads/main"), null);
  assert.match(widthOf("repo:acme/shop:ref:refs/heads/*") ?? "", /not feature/);
  assert.match(widthOf("repo:acme/shop:ref:refs/heads/**") ?? "", /also feature/);
});

test("each preset has a separate snippet; images only if the credential may push or pull", () => {
  const drafts = [
    GITHUB,
    draft({ preset: "gitlab", projectPath: "acme/shop" }),
    draft({ preset: "kubernetes", clusterIssuer: "https://k8s.example", serviceAccount: "deployer" }),
    draft({ preset: "other", issuer: "https://id.example", subject: "job:1" }),
  ];
  assert.deepEqual(
    drafts.map(subjectOf).map(presetOf),
    PRESETS.map(({ id }) => id),
  );
  for (const each of drafts) {
    const input = {
      ...subjectOf(each),
      audience: "https://id.acme.example",
      clientId: "mrc_1",
      identityUrl: "https://id.acme.example",
      registryDomain: "images.acme.example",
    };
    const [first, second] = trustSnippets({ ...input, mayRegistry: true });
    assert.match(first?.text ?? "", /client_assertion@-/);
    assert.match(second?.text ?? "", /docker login images.acme.example --username mrc_1/);
    assert.equal(trustSnippets({ ...input, mayRegistry: false }).length, 1);
  }
});
