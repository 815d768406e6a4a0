import {
  ALL_USERS,
  AUTHENTICATED_USERS,
  CANNED_ACLS,
  cannedAcl,
  LOG_DELIVERY,
  S3Error,
  type Acl,
  type AclPermission,
  type CannedAcl,
  type Grantee,
  type S3Owner,
} from "#domain/s3/index.ts";
import type { Fields } from "./fields.ts";
import { invalidArgument, ownerElements } from "./text.ts";
import { type Value } from "./xml.ts";
import { childOf, childrenOf, requiredText, textIn, type Element } from "./xml-tree.ts";

const GROUPS = new Set([ALL_USERS, AUTHENTICATED_USERS, LOG_DELIVERY]);
const PERMISSIONS = new Set<string>(["FULL_CONTROL", "READ", "WRITE", "READ_ACP", "WRITE_ACP"]);
const GRANTS_MAX = 100;

type Grant = Acl["grants"][number];

const GRANT_FIELDS: Readonly<Record<string, AclPermission>> = {
  "x-amz-grant-read": "READ",
  "x-amz-grant-write": "WRITE",
  "x-amz-grant-read-acp": "READ_ACP",
  "x-amz-grant-write-acp": "WRITE_ACP",
  "x-amz-grant-full-control": "FULL_CONTROL",
};

/**
 * Reads an access list from the fields; undefined if they have none.
 * @throws S3Error `InvalidArgument`, `InvalidRequest`
 */
export function aclOfFields(fields: Fields, owner: S3Owner, bucketOwner: S3Owner): Acl | undefined {
  const canned = fields.get("x-amz-acl");
  const grants = Object.entries(GRANT_FIELDS).flatMap(([name, permission]) =>
    granteesIn(fields.list(name)).map((grantee): Grant => ({ grantee, permission })),
  );
  if (canned !== undefined && grants.length > 0)
    throw new S3Error("InvalidRequest", "Specifying both Canned ACLs and Header Grants is not allowed");
  if (canned !== undefined) return aclNamed(canned, owner, bucketOwner);
  return grants.length === 0 ? undefined : { owner, grants };
}

/** @throws S3Error `InvalidArgument` */
function aclNamed(name: string, owner: S3Owner, bucketOwner: S3Owner): Acl {
  if (!(CANNED_ACLS as readonly string[]).includes(name))
    throw invalidArgument("x-amz-acl", name, "is not a canned ACL");
  return cannedAcl(name as CannedAcl, owner, bucketOwner);
}

/** `id="…", uri="…"` */
function granteesIn(list: string | undefined): Grantee[] {
  if (list === undefined || list.trim() === "") return [];
  return list.split(",").map((part) => {
    const [, kind, value] = /^\s*(id|uri|emailaddress)\s*=\s*"?([^"]*)"?\s*$/i.exec(part) ?? [];
    if (kind === undefined || value === undefined)
      throw new S3Error("InvalidArgument", 'A grant must be like id="…" or uri="…".');
    return granteeOf(kind.toLowerCase(), value);
  });
}

function granteeOf(kind: string, value: string): Grantee {
  if (kind === "emailaddress") throw new S3Error("UnresolvableGrantByEmailAddress");
  if (kind === "id") return { kind: "user", id: value };
  if (!GROUPS.has(value)) throw new S3Error("InvalidArgument", "Invalid group uri");
  return { kind: "group", uri: value };
}

/** @throws S3Error `MalformedACLError`, `InvalidArgument` */
export function aclOfDocument(root: Element): Acl {
  const owner = childOf(root, "Owner");
  const list = childOf(root, "AccessControlList");
  if (owner === undefined || list === undefined) throw new S3Error("MalformedACLError");
  const grants = childrenOf(list, "Grant").map((grant): Grant => {
    const grantee = childOf(grant, "Grantee");
    const permission = textIn(grant, "Permission")?.trim() ?? "";
    if (grantee === undefined || !PERMISSIONS.has(permission)) throw new S3Error("MalformedACLError");
    return { grantee: granteeOfElement(grantee), permission: permission as AclPermission };
  });
  if (grants.length > GRANTS_MAX) throw new S3Error("MalformedACLError", `There may be ${GRANTS_MAX} grants at most.`);
  return { owner: { id: requiredText(owner, "ID"), displayName: textIn(owner, "DisplayName") ?? "" }, grants };
}

function granteeOfElement(element: Element): Grantee {
  const [id, uri] = [textIn(element, "ID"), textIn(element, "URI")];
  if (textIn(element, "EmailAddress") !== undefined) throw new S3Error("UnresolvableGrantByEmailAddress");
  if (uri !== undefined) return granteeOf("uri", uri);
  if (id === undefined) throw new S3Error("MalformedACLError");
  const displayName = textIn(element, "DisplayName");
  return { kind: "user", id, ...(displayName === undefined ? {} : { displayName }) };
}

/** Renders an access list. `names` has the names of canonical users; the list itself has only ids. */
export function aclElements({ owner, grants }: Acl, names: ReadonlyMap<string, string>): Value {
  const xsi = { "@xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance" };
  return {
    Owner: ownerElements(owner),
    AccessControlList: {
      Grant: groupsFirst(grants).map(({ grantee, permission }) => ({
        Grantee:
          grantee.kind === "group"
            ? { ...xsi, "@xsi:type": "Group", URI: grantee.uri }
            : {
                ...xsi,
                "@xsi:type": "CanonicalUser",
                ID: grantee.id,
                DisplayName: names.get(grantee.id) ?? grantee.displayName,
              },
        Permission: permission,
      })),
    },
  };
}

function groupsFirst(grants: Acl["grants"]): Acl["grants"] {
  const isGroup = ({ grantee }: Grant): boolean => grantee.kind === "group";
  return [...grants.filter(isGroup), ...grants.filter((grant) => !isGroup(grant))];
}

/** Returns the canonical users that have a grant. */
export function usersIn({ grants }: Acl): string[] {
  return grants.flatMap(({ grantee }) => (grantee.kind === "user" ? [grantee.id] : []));
}

/** The default list: full access for the owner. */
export function ownersAcl(owner: S3Owner): Acl {
  return cannedAcl("private", owner, owner);
}
