/** Values of the installation, such as its cursor key. */
export interface SettingsTable {
  key: string;
  value: string;
}

/** Counters, for values that are too expensive to count at each read. */
export interface CountersTable {
  organization: string;
  name: string;
  value: number;
}
