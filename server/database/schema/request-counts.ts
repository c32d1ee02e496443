/** The requests of a caller or address in one minute, of all processes. Deleted minutes later. */
export interface RequestCountsTable {
  key: string;
  /** Minutes since 1970. */
  minute: number;
  count: number;
}

/** The processes that share request counts. Rows are renewed while the process runs. */
export interface CountingProcessesTable {
  id: string;
  seenAt: string;
}
