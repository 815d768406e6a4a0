/** Apps, and the trash of everything except files, which have `trashed_file`. See `domain/trash`. */
export interface TrashTables {
  app: {
    id: string;
    org_id: string;
    project_id: string;
    slug: string;
    name: string;
    created_at: number;
    /** When it was put into the trash. Null: it is not there. The hidden app of a deleted image also has one. */
    trashed_at: number | null;
    /**
     * Its slug before it, or its project, was put into the trash. Its own slug is then one that no app can have, so that
     * the former one is free. Null: it has its slug. The hidden app of a deleted image has none, either.
     */
    former_slug: string | null;
  };
  /** A deleted object that can be restored. The object keeps its rows, and no other table's reads show them. */
  trash_item: {
    id: string;
    org_id: string;
    /** The project of the object; the id of the project itself for a project. */
    project_id: string;
    /** A `TrashKind` of the contract. */
    kind: string;
    /** The webhook, the app or the project. An image or the content of a repository names its app. */
    object_id: string;
    /** The hidden app that keeps the image or the content. Null: of another kind. */
    keeper_id: string | null;
    /** For people: the name of the webhook, the slug, or the image. */
    name: string;
    /** JSON object of the kind. */
    detail: string;
    /** A user id or credential id. Null: the server deleted it. */
    deleted_by: string | null;
    deleted_at: number;
    /** From this time it can't be restored, and the server ends it. 0: somebody deleted it for good. */
    purge_at: number;
  };
  /** Slugs of deleted organizations. They stay reserved for a time. */
  deleted_organization: { slug: string; id: string; deleted_at: number };
  /** The visibility of a deleted project, which its telemetry keeps. */
  deleted_project: { id: string; org_id: string; visibility: "organization" | "private"; deleted_at: number };
}
