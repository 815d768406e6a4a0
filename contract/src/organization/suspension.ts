import Type from "typebox";
import { ORGANIZATION_STATES } from "../organization-states.ts";

/** The state of an organization, as members and the operator see it. */
export const Suspension = {
  state: Type.Enum([...ORGANIZATION_STATES], {
    description:
      "read_only: nothing can be written; blocked: nobody can use it; both set by the operator. deleting: as blocked, until an owner or operator keeps it, or its data is deleted",
  }),
  state_reason: Type.Union([
    Type.String({ description: "the operator's reason; null: active, or no reason was given" }),
    Type.Null(),
  ]),
  deletes_at: Type.Union([
    Type.String({ format: "date-time", description: "when its data is deleted; null: it was not deleted" }),
    Type.Null(),
  ]),
  suspended_at: Type.Union([Type.String({ format: "date-time", description: "null: active" }), Type.Null()]),
};
