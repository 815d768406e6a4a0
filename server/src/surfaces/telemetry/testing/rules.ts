import { pair } from "../../organization/testing/requests.ts";
import type { Ask, Pair } from "../../organization/testing/suite.ts";
import type { World } from "../../organization/testing/world.ts";

/** Projects that are hidden from credentials and people of the organization. Those of a project see no rules at all. */
export async function hiddenProjects(world: World, askOf: (project: string) => Ask): Promise<Pair[]> {
  const token = world.person(world.acme, world.acme.people.admin);
  return [
    pair(world.acme.closed.id, askOf),
    pair("closed", askOf, "absent"),
    pair(world.rival.open.id, askOf),
    pair(world.acme.closed.id, (project) => ({ ...askOf(project), token })),
  ];
}
