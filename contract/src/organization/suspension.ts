import Type from "typebox";
import { ORGANIZATION_STATES } from "../organization-states.ts";

/** The state of an organization, as members and the operator see it. */
export const Suspension = {
  state: Type.Enum([...ORGANIZATION_STATES], {
    description: "read_only: nothing can be written; blocked: nobody can use it; set by the operator",
  }),
  state_reason: Type.Union([
    Type.String({ description: "the operator's reason; null: active, or no reason was given" }),
    Type.Null(),
  ]),
  suspended_at: Type.Union([Type.String({ format: "date-time", description: "null: active" }), Type.Null()]),
};
