/** The page's state in its address. */
export type AlertsSearch = {
  alert?: string | undefined;
  tab?: string | undefined;
  /** The form for a new alert is open. An id preselects that saved query. */
  new?: string | undefined;
};
