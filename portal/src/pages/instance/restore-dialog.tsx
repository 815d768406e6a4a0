import { PORTAL_ROUTES, type BodyOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Checkbox, SelectField, TextField } from "~/kit/field.tsx";
import { useSay } from "~/kit/toast.tsx";

type Kind = BodyOf<typeof PORTAL_ROUTES.createRestore>["kind"];

interface PartForm {
  readonly label: string;
  readonly about: string;
  readonly name: string | null;
  /** Whether the part can get another slug. */
  readonly renames: boolean;
}

const PARTS: Readonly<Record<Kind, PartForm>> = {
  file: {
    label: "A file",
    about: "It returns with its id. If that file exists, or is in the trash, the content becomes another file.",
    name: "Id of the file",
    renames: false,
  },
  bucket: {
    label: "The objects of a bucket",
    about: "Objects that differ from those of the backup get a new version. Equal and newer ones stay.",
    name: "Slug of the app",
    renames: false,
  },
  project: {
    label: "A project",
    about:
      "It returns with its files, buckets, images, webhooks and events. It must not be there now: if it is in the trash, restore it from there.",
    name: "Slug of the project",
    renames: false,
  },
  organization: {
    label: "An organization",
    about: "It returns as a whole, with its telemetry, members and audit log. It must not be there now.",
    name: null,
    renames: true,
  },
};

/** What the form asks for. */
interface Wanted {
  readonly kind: Kind;
  readonly organization: string;
  readonly name: string;
  readonly slug: string;
  readonly keepsCredentials: boolean;
}

const NOTHING: Wanted = { kind: "file", organization: "", name: "", slug: "", keepsCredentials: false };

function bodyOf(
  backup: string,
  { kind, organization, name, slug, keepsCredentials }: Wanted,
): BodyOf<typeof PORTAL_ROUTES.createRestore> {
  const part = PARTS[kind];
  return {
    backup,
    kind,
    organization: kind === "file" ? null : organization.trim(),
    name: part.name === null ? null : name.trim(),
    slug: part.renames && slug.trim() !== "" ? slug.trim() : null,
    credentials: keepsCredentials ? "kept" : "revoked",
  };
}

/** Restores a part of a backup into the running server. */
export function RestoreDialog({ backup, onClose }: { backup: string; onClose: () => void }): ReactNode {
  const say = useSay();
  const [wanted, setWanted] = useState(NOTHING);
  const restore = useAct(PORTAL_ROUTES.createRestore, {
    changes: [PORTAL_ROUTES.listRestores],
    onDone: () => {
      say("The restore has started. The list below the backups shows its result.");
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    restore.mutate({ body: bodyOf(backup, wanted), purpose: "restore a part of the backup" });
  };
  return (
    <Dialog title="Restore a part" about={backup} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <PartFields wanted={wanted} onChange={(change) => setWanted({ ...wanted, ...change })} />
        <ErrorNote error={restore.error} />
        <FormActions action="Restore" busy={restore.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function PartFields({
  wanted: { kind, organization, name, slug, keepsCredentials },
  onChange,
}: {
  wanted: Wanted;
  onChange: (change: Partial<Wanted>) => void;
}): ReactNode {
  const part = PARTS[kind];
  return (
    <>
      <SelectField
        label="Part"
        hint={part.about}
        value={kind}
        onChange={(event) => onChange({ kind: event.target.value as Kind })}
      >
        {Object.entries(PARTS).map(([value, { label }]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      {kind !== "file" && (
        <TextField
          label="Slug of the organization"
          required
          value={organization}
          onChange={(event) => onChange({ organization: event.target.value })}
        />
      )}
      {part.name !== null && (
        <TextField
          label={part.name}
          required
          value={name}
          onChange={(event) => onChange({ name: event.target.value })}
        />
      )}
      {part.renames && (
        <TextField
          label="New slug"
          hint="Only if another organization has the slug now."
          value={slug}
          onChange={(event) => onChange({ slug: event.target.value })}
        />
      )}
      {(kind === "project" || kind === "organization") && (
        <Checkbox
          label="Keep credentials valid"
          why="Otherwise they return revoked, because a secret may have leaked since the backup."
          checked={keepsCredentials}
          onChange={(event) => onChange({ keepsCredentials: event.target.checked })}
        />
      )}
    </>
  );
}
