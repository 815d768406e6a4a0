import { SAVED_QUERY_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { newSavedQuery, savedQueryPairs, WITH_QUERIES } from "../testing/saved.ts";

testOperation(
  SAVED_QUERY_ROUTES.getSavedQuery,
  {
    ask: async (world) => ({ path: `/v1/query/saved/${await newSavedQuery(world, { parameters: {} })}` }),
    hidden: (world) => savedQueryPairs(world, (id) => ({ path: `/v1/query/saved/${id}` })),
  },
  WITH_QUERIES,
);
