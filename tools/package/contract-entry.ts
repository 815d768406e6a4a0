/** What a browser needs of the contract: `thinContract` leaves the schemas out. */
export * from "@mooring/contract";
