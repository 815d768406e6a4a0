import { FILE_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { WITH_FILES } from "../testing/files.ts";

testOperation(FILE_ROUTES.getFileSettings, { ask: () => ({ path: "/v1/files/settings" }) }, WITH_FILES);
