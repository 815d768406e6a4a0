export { queryActorOf } from "./actor.ts";
export { PublishedQueries } from "./published.ts";
export {
  cancelQueriesOf,
  cancelQuery,
  listEnded,
  listRunning,
  type QueriesCaller,
  type QueriesDeps,
} from "./queries.ts";
