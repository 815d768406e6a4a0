/** Groups of people and their roles in projects, and custom roles. */
export interface GroupTables {
  /** A group of people. Its members get its roles in projects. */
  person_group: {
    id: string;
    org_id: string;
    slug: string;
    name: string;
    /** People whose claim at the provider has this value are members. Null: none. */
    claim: string | null;
    created_by: string;
    created_at: number;
  };
  /** A set of scopes with a name. Memberships, groups in projects and invitations name it. */
  custom_role: {
    id: string;
    org_id: string;
    slug: string;
    name: string;
    kind: "organization" | "project";
    /** Separated by spaces. */
    scopes: string;
    created_by: string;
    created_at: number;
  };
  /** A person may be a member by hand and by the claim. Each source changes only its own row. */
  group_member: {
    org_id: string;
    group_id: string;
    user_id: string;
    source: "manual" | "oidc";
    created_at: number;
    /** Null: no end. */
    expires_at: number | null;
  };
  project_group: {
    org_id: string;
    project_id: string;
    group_id: string;
    role: "maintainer" | "writer" | "reader" | "custom";
    custom_role: string | null;
    created_at: number;
    /** Null: no end. */
    expires_at: number | null;
  };
}
