import { REGISTRY_API_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useWhyNotIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { DangerDialog } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { TextField } from "~/kit/field.tsx";
import { bytesText, plural } from "~/kit/figures.ts";
import { Section } from "~/kit/page.tsx";
import { Table } from "~/kit/table.tsx";
import { useSay } from "~/kit/toast.tsx";
import { ChangeError, useVersionedChange, VersionedForm, type Versioned } from "~/kit/versioned.tsx";
import {
  numberOrNull,
  patternFault,
  patternsIn,
  retentionText,
  shortDigest,
  type Repository,
  type Retention,
} from "./images.ts";

type Plan = ResultOf<typeof REGISTRY_API_ROUTES.runImageRetention>;

interface Form {
  readonly immutable: string;
  readonly keepLast: string;
  readonly keepDays: string;
  readonly keepTags: string;
  readonly untaggedDays: string;
}

const NO_RULES: Retention = { keep_last: null, keep_days: null, keep_tags: [], untagged_days: null };
const CHANGES = [
  REGISTRY_API_ROUTES.getImageRepository,
  REGISTRY_API_ROUTES.listImageRepositories,
  REGISTRY_API_ROUTES.listImageTags,
];

function formOf({ immutable_tags, retention }: Repository): Form {
  const { keep_last, keep_days, keep_tags, untagged_days } = retention ?? NO_RULES;
  return {
    immutable: immutable_tags.join(" "),
    keepLast: keep_last?.toString() ?? "",
    keepDays: keep_days?.toString() ?? "",
    keepTags: keep_tags.join(" "),
    untaggedDays: untagged_days?.toString() ?? "",
  };
}

function rulesOf(form: Form): Retention {
  return {
    keep_last: numberOrNull(form.keepLast),
    keep_days: numberOrNull(form.keepDays),
    keep_tags: patternsIn(form.keepTags),
    untagged_days: numberOrNull(form.untaggedDays),
  };
}

interface RulesProps {
  versioned: Versioned<Repository>;
  onReload: () => void;
}

/** Immutable tags, the retention rules, and the images that the rules would delete now. */
export function RulesTab({ repository: { slug } }: { repository: Repository }): ReactNode {
  return (
    <VersionedForm row={REGISTRY_API_ROUTES.getImageRepository} params={{ app_id: slug }}>
      {(versioned, onReload) => <RulesForm versioned={versioned} onReload={onReload} />}
    </VersionedForm>
  );
}

function RulesForm({ versioned: { value: repository, etag }, onReload }: RulesProps): ReactNode {
  const [form, setForm] = useState(() => formOf(repository));
  const [plan, setPlan] = useState<Plan | null>(null);
  const why = useWhyNotIn(repository.project_id, "apps:write");
  const mayWrite = why === undefined;
  const whyKept = useWhyNotIn(repository.project_id, "registry:delete");
  const mayDelete = whyKept === undefined;
  const say = useSay();
  const save = useVersionedChange(REGISTRY_API_ROUTES.updateImageRepository, {
    changes: CHANGES,
    onDone: () => say("The rules are saved"),
  });
  const dry = useAct(REGISTRY_API_ROUTES.runImageRetention, { onDone: setPlan });
  const change = (part: Partial<Form>): void => {
    setForm({ ...form, ...part });
    setPlan(null);
  };
  const rules = rulesOf(form);
  const immutable = patternsIn(form.immutable);
  const isWrong = patternFault(immutable) !== undefined || patternFault(rules.keep_tags) !== undefined;
  const saved = formOf(repository);
  const isChanged =
    JSON.stringify([immutable, rules]) !== JSON.stringify([patternsIn(saved.immutable), rulesOf(saved)]);
  const params = { app_id: repository.slug };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const isNone = JSON.stringify(rules) === JSON.stringify(NO_RULES);
    save.mutate({ params, body: { immutable_tags: immutable, retention: isNone ? null : rules }, etag });
  };
  return (
    <>
      <Section title="Rules" about={retentionText(rules)}>
        <form onSubmit={submit} className="flex flex-col gap-4">
          <RuleFields form={form} change={change} />
          <ErrorNote error={dry.error} />
          <ChangeError error={save.error} onReload={onReload} />
          <div className="flex flex-wrap gap-2">
            <Button
              busy={dry.isPending}
              disabled={!mayDelete || isWrong}
              title={whyKept}
              onClick={() => dry.mutate({ params, body: { dry_run: true, retention: rules } })}
            >
              Preview
            </Button>
            <Button
              look="main"
              type="submit"
              busy={save.isPending}
              disabled={!mayWrite || isWrong || !isChanged}
              title={why}
            >
              Save rules
            </Button>
          </div>
        </form>
      </Section>
      {plan !== null && (
        <PlanTable repository={repository} plan={plan} isSaved={!isChanged} onRun={() => setPlan(null)} />
      )}
    </>
  );
}

function RuleFields({ form, change }: { form: Form; change: (part: Partial<Form>) => void }): ReactNode {
  const number = { type: "number", min: 1, max: 36_500, step: 1, inputMode: "numeric" } as const;
  return (
    <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
      <TextField
        label="Immutable tags"
        hint="Patterns with *, for example v*"
        error={patternFault(patternsIn(form.immutable))}
        value={form.immutable}
        onChange={({ target }) => change({ immutable: target.value })}
      />
      <TextField
        label="Keep the latest tags"
        hint="How many to keep. Empty: no rule by number"
        {...number}
        max={10_000}
        value={form.keepLast}
        onChange={({ target }) => change({ keepLast: target.value })}
      />
      <TextField
        label="Keep tags pushed or pulled within (days)"
        hint="Empty: no rule by age"
        {...number}
        value={form.keepDays}
        onChange={({ target }) => change({ keepDays: target.value })}
      />
      <TextField
        label="Always keep tags that match"
        hint="Patterns with *. Immutable tags always stay"
        error={patternFault(patternsIn(form.keepTags))}
        value={form.keepTags}
        onChange={({ target }) => change({ keepTags: target.value })}
      />
      <TextField
        label="Delete manifests without a tag after days"
        hint="Empty: they stay"
        {...number}
        value={form.untaggedDays}
        onChange={({ target }) => change({ untaggedDays: target.value })}
      />
    </div>
  );
}

interface PlanTableProps {
  repository: Repository;
  plan: Plan;
  /** Whether the plan is for the saved rules of the repository. */
  isSaved: boolean;
  onRun: () => void;
}

function PlanTable({ repository, plan, isSaved, onRun }: PlanTableProps): ReactNode {
  const [isRunning, setRunning] = useState(false);
  const rows = [
    ...plan.tags.map(({ name, digest }) => ({ kind: "tag", name, digest, sizeBytes: null })),
    ...plan.manifests.map(({ digest, size_bytes }) => ({ kind: "manifest", name: "", digest, sizeBytes: size_bytes })),
  ];
  const about = `${plural(plan.tags.length, "tag")} and ${plural(plan.manifests.length, "manifest")}`;
  return (
    <Section
      title="Preview"
      about={<span role="status">{about}</span>}
      flush
      actions={
        isSaved && rows.length > 0 ? (
          <Button look="danger" onClick={() => setRunning(true)}>
            Delete them now…
          </Button>
        ) : undefined
      }
    >
      {rows.length === 0 ? (
        <p className="p-3.5 text-ink-2">These rules delete nothing now.</p>
      ) : (
        <Table
          label="what would be deleted"
          items={rows}
          keyOf={({ kind, name, digest }) => `${kind} ${name} ${digest}`}
          columns={[
            { title: "What", cell: ({ kind }) => kind },
            { title: "Tag", cell: ({ name }) => <code>{name}</code> },
            { title: "Digest", cell: ({ digest }) => <code title={digest}>{shortDigest(digest)}</code>, grow: true },
            {
              title: "Manifest size",
              cell: ({ sizeBytes }) => (sizeBytes === null ? "" : bytesText(sizeBytes)),
              number: true,
            },
          ]}
        />
      )}
      {isRunning && (
        <RunDialog repository={repository} about={about} onDone={onRun} onClose={() => setRunning(false)} />
      )}
    </Section>
  );
}

interface RunDialogProps {
  repository: Repository;
  about: string;
  onDone: () => void;
  onClose: () => void;
}

function RunDialog({ repository, about, onDone, onClose }: RunDialogProps): ReactNode {
  const say = useSay();
  const run = useAct(REGISTRY_API_ROUTES.runImageRetention, {
    changes: CHANGES,
    onDone: ({ tags, manifests }) => {
      say(`${plural(tags.length, "tag")} and ${plural(manifests.length, "manifest")} deleted`);
      onClose();
      onDone();
    },
  });
  return (
    <DangerDialog
      title="Delete by the rules"
      projectId={repository.project_id}
      type={repository.slug}
      action="Delete them"
      busy={run.isPending}
      error={run.error}
      onClose={onClose}
      onConfirm={() => run.mutate({ params: { app_id: repository.slug }, body: { dry_run: false } })}
      about={
        <p>
          {about} of <code>{repository.name}</code> will be deleted now. Otherwise the server would delete them later.
          Pulls of them will fail with “not found”. This cannot be undone.
        </p>
      }
    />
  );
}
