interface Place {
  readonly name: string;
  readonly visibility: "organization" | "private";
  readonly environment: string | null;
}

/** Describes the consequences of moving an app to another project. */
export function consequencesOf(app: { readonly slug: string }, from: Place, to: Place): string[] {
  return [
    `Its addresses stay: the repository and the bucket are still named ${app.slug}.`,
    seenBy(from, to),
    `Within a second, credentials and S3 keys of ${from.name} lose access, and those of ${to.name} get access.`,
    "A public repository stays public, and the bucket’s policy does not change.",
    ...(from.environment === to.environment || to.environment === null
      ? []
      : [
          `${to.name} is ${to.environment}${from.environment === null ? "" : `, ${from.name} is ${from.environment}`}.`,
        ]),
  ];
}

function seenBy(from: Place, to: Place): string {
  if (to.visibility === "private")
    return from.visibility === "private"
      ? `Members of ${to.name} will see it. Members of ${from.name} will not see it any more.`
      : `Only members of ${to.name} will see it, also among owners and admins. Credentials and keys of the organization lose access.`;
  if (from.visibility === "private")
    return "All members of the organization will see it. Credentials and keys of the organization get access.";
  return `All members of the organization still see it. Roles in ${to.name} apply to it instead of roles in ${from.name}.`;
}
