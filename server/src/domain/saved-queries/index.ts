export { parametersWith, type Parameters } from "./describe.ts";
export {
  createSavedQuery,
  deleteSavedQuery,
  findSavedQuery,
  listSavedQueries,
  parametersOf,
  updateSavedQuery,
  type Author,
  type NewSavedQuery,
  type SavedQueriesDeps,
} from "./saved-queries.ts";
export { savedQueryById, type SavedQuery } from "./store.ts";
