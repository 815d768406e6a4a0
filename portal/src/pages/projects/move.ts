interface Place {
  readonly name: string;
  readonly visibility: "organization" | "private";
  readonly environment: string | null;
}

/** The consequences of moving an app to another project, in sentences. */
export function consequencesOf(app: { readonly slug: string }, from: Place, to: Place): string[] {
  return [
    `Its addresses stay: the repository and the bucket are called ${app.slug} as before.`,
    seenBy(from, to),
    `Credentials and S3 keys of ${from.name} reach it no more, within a second; those of ${to.name} do.`,
    "A repository that everybody may pull stays so, and the bucket’s policy stays as it was written.",
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
      ? `Only members of ${to.name} see it then, and not those of ${from.name}.`
      : `Only members of ${to.name} see it then: owners and admins who are none don’t, and credentials and keys of the organization reach it no more.`;
  if (from.visibility === "private")
    return "Every member of the organization sees it then, and credentials and keys of the organization reach it.";
  return `The whole organization sees it as before; roles in ${from.name} count no more, those in ${to.name} do.`;
}
