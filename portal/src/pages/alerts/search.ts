/** The page's state in its address. */
export type AlertsSearch = {
  alert?: string | undefined;
  tab?: string | undefined;
  /** The form for a new alert is open. The id of a saved query preselects it. */
  new?: string | undefined;
};
