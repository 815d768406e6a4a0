export { queryActorOf } from "./actor.ts";
export { PublishedQueries } from "./published.ts";
export {
  cancelQueriesOf,
  cancelQuery,
  listRunning,
  managesQueries,
  type QueriesCaller,
  type QueriesDeps,
} from "./queries.ts";
