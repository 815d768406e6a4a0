import { projectEnteredMail } from "#domain/mail/index.ts";
import {
  enterProject as enter,
  getOrganization,
  projectFor,
  sizeOf,
  type Entered,
} from "#domain/organizations/index.ts";
import { callerOf, type OperationContext } from "#http/index.ts";
import type { OrganizationOperation, OrganizationSurfaceDeps } from "../deps.ts";
import { projectMemberBody } from "../model.ts";
import { endOf } from "../query.ts";
import { settled } from "../resources.ts";

export const getProjectSize: OrganizationOperation<"getProjectSize"> = async (deps, { params }, { principal }) => {
  const project = await projectFor(deps, principal, params.project_id, "projects:read");
  return sizeOf(deps.metadata.read, project);
};

export const enterProject: OrganizationOperation<"enterProject"> = async (deps, { params, body }, context) => {
  const project = await projectFor(deps, context.principal, params.project_id, "projects:read");
  const { reason, expires_at: end } = body;
  const entered = await enter(deps, callerOf(context), project, { reason, endsAtMs: endOf(end) });
  await settled(deps);
  await tellMaintainers(deps, context, entered, reason);
  return projectMemberBody(entered.member);
};

/** The act is done, so a mail that can't be sent is only logged. */
async function tellMaintainers(
  deps: OrganizationSurfaceDeps,
  { principal }: OperationContext,
  { project, maintainers, endsAtMs: untilMs }: Entered,
  reason: string,
): Promise<void> {
  const { mail } = deps;
  if (mail === null || principal.kind !== "person") return;
  const { name: organization } = await getOrganization(deps, principal.orgId);
  const about = { organization, project: project.name, owner: principal.email, reason, untilMs };
  const reachable = maintainers.filter((email) => !email.endsWith(".localhost")); // RFC 6761 section 6.3
  await Promise.all(reachable.map((email) => mail.send({ message: projectEnteredMail(email, about) })));
}
