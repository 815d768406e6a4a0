import type { ReactNode } from "react";
import { Field, SelectField, TextArea, TextField } from "~/kit/field.tsx";
import type { Draft, GithubKind, GitlabKind } from "./presets.ts";

interface FieldsProps {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
}

type TextKey = {
  [K in keyof Draft]: Draft[K] extends string ? (string extends Draft[K] ? K : never) : never;
}[keyof Draft];

/** The fields of the chosen preset, and those of all presets. */
export function PresetFields({ draft, change, hasFault }: FieldsProps & { hasFault: boolean }): ReactNode {
  const SHAPES = { github: GithubFields, gitlab: GitlabFields, kubernetes: KubernetesFields, other: OtherFields };
  const Shape = SHAPES[draft.preset];
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Shape draft={draft} change={change} />
      </div>
      <details>
        <summary className="cursor-pointer text-ink-2">Audience and other claims</summary>
        <div className="grid gap-4 pt-3 sm:grid-cols-2">
          <Text draft={draft} change={change} name="audience" label="Audience" hint="Empty: this server's address" />
          <Field
            label="Required claims"
            hint="One per line, for example environment=production"
            error={hasFault ? "Each line must be name=value" : null}
          >
            {(bound) => (
              <TextArea
                {...bound}
                rows={3}
                spellCheck={false}
                className="mono"
                value={draft.claims}
                onChange={(event) => change({ claims: event.target.value })}
              />
            )}
          </Field>
        </div>
      </details>
    </>
  );
}

interface TextProps extends FieldsProps {
  name: TextKey;
  label: string;
  hint?: string;
}

function Text({ draft, change, name, label, hint }: TextProps): ReactNode {
  return (
    <TextField
      label={label}
      hint={hint}
      className="mono"
      spellCheck={false}
      autoComplete="off"
      maxLength={512}
      value={draft[name]}
      onChange={(event) => change({ [name]: event.target.value })}
    />
  );
}

const GITHUB_REFS: Readonly<Record<GithubKind, { title: string; label: string; hint: string } | { title: string }>> = {
  branch: { title: "A branch", label: "Branch", hint: "For example main, or ** for every branch" },
  tag: { title: "A tag", label: "Tag", hint: "For example v1.0, or v* for every version" },
  environment: {
    title: "An environment",
    label: "Environment",
    hint: "For example production. Its rules at GitHub say who may deploy",
  },
  pull_request: { title: "Pull requests" },
};

function GithubFields({ draft, change }: FieldsProps): ReactNode {
  const ref = GITHUB_REFS[draft.githubKind];
  return (
    <>
      <Text
        draft={draft}
        change={change}
        name="owner"
        label="Owner"
        hint="An organization or a person, spelled as on GitHub"
      />
      <Text draft={draft} change={change} name="repository" label="Repository" />
      <SelectField
        label="Jobs of"
        hint={
          draft.githubKind === "pull_request"
            ? "Everybody who may open a pull request from a branch of the repository gets the credential's permissions"
            : undefined
        }
        value={draft.githubKind}
        onChange={(event) => change({ githubKind: event.target.value as GithubKind })}
      >
        {Object.entries(GITHUB_REFS).map(([kind, { title }]) => (
          <option key={kind} value={kind}>
            {title}
          </option>
        ))}
      </SelectField>
      {"label" in ref && <Text draft={draft} change={change} name="ref" label={ref.label} hint={ref.hint} />}
    </>
  );
}

function GitlabFields({ draft, change }: FieldsProps): ReactNode {
  return (
    <>
      <Text draft={draft} change={change} name="gitlabUrl" label="GitLab" hint="Its address" />
      <Text draft={draft} change={change} name="projectPath" label="Project" hint="With its groups, as acme/shop" />
      <SelectField
        label="Jobs of"
        value={draft.gitlabKind}
        onChange={(event) => change({ gitlabKind: event.target.value as GitlabKind })}
      >
        <option value="branch">A branch</option>
        <option value="tag">A tag</option>
      </SelectField>
      <Text
        draft={draft}
        change={change}
        name="ref"
        label={draft.gitlabKind === "branch" ? "Branch" : "Tag"}
        hint="For example main, or ** for all"
      />
    </>
  );
}

function KubernetesFields({ draft, change }: FieldsProps): ReactNode {
  return (
    <>
      <Text
        draft={draft}
        change={change}
        name="clusterIssuer"
        label="Issuer of the cluster"
        hint="kubectl get --raw /.well-known/openid-configuration shows it"
      />
      <Text draft={draft} change={change} name="namespace" label="Namespace" />
      <Text draft={draft} change={change} name="serviceAccount" label="Service account" />
    </>
  );
}

function OtherFields({ draft, change }: FieldsProps): ReactNode {
  return (
    <>
      <Text draft={draft} change={change} name="issuer" label="Issuer" hint="Exactly the claim iss" />
      <Text
        draft={draft}
        change={change}
        name="subject"
        label="Subject"
        hint="The claim sub. * matches any characters except : and /, ** matches any except :"
      />
    </>
  );
}
