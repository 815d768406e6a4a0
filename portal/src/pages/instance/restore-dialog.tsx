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

/** Restores a part of a backup into the running server. */
export function RestoreDialog({ backup, onClose }: { backup: string; onClose: () => void }): ReactNode {
  const say = useSay();
  const [kind, setKind] = useState<Kind>("file");
  const [organization, setOrganization] = useState("");
  const [name, setName] = useState("");
  const [slug, setSlug] = useState("");
  const [keeps, setKeeps] = useState(false);
  const part = PARTS[kind];
  const restore = useAct(PORTAL_ROUTES.createRestore, {
    changes: [PORTAL_ROUTES.listRestores],
    onDone: () => {
      say("The restore has started. The list below the backups shows its result.");
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    restore.mutate({
      body: {
        backup,
        kind,
        organization: kind === "file" ? null : organization.trim(),
        name: part.name === null ? null : name.trim(),
        slug: part.renames && slug.trim() !== "" ? slug.trim() : null,
        credentials: keeps ? "kept" : "revoked",
      },
      purpose: "restore a part of the backup",
    });
  };
  return (
    <Dialog title="Restore a part" about={backup} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <SelectField
          label="Part"
          hint={part.about}
          value={kind}
          onChange={(event) => setKind(event.target.value as Kind)}
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
            onChange={(event) => setOrganization(event.target.value)}
          />
        )}
        {part.name !== null && (
          <TextField label={part.name} required value={name} onChange={(event) => setName(event.target.value)} />
        )}
        {part.renames && (
          <TextField
            label="New slug"
            hint="Only if another organization has the slug now."
            value={slug}
            onChange={(event) => setSlug(event.target.value)}
          />
        )}
        {(kind === "project" || kind === "organization") && (
          <Checkbox
            label="Keep credentials valid"
            why="Otherwise they return revoked, because a secret may have leaked since the backup."
            checked={keeps}
            onChange={(event) => setKeeps(event.target.checked)}
          />
        )}
        <ErrorNote error={restore.error} />
        <FormActions action="Restore" busy={restore.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
