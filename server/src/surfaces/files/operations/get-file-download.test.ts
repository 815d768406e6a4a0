import { FILE_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { filePairs, newFile, WITH_FILES } from "../testing/files.ts";

const path = (id: string): string => `/v1/files/${id}/download`;

testOperation(
  FILE_ROUTES.getFileDownload,
  {
    ask: async (world) => ({ path: path(await newFile(world)) }),
    hidden: (world) => filePairs(world, (id) => ({ path: path(id) })),
  },
  WITH_FILES,
);
