/** The requests of one caller or address in one minute, by all processes. A row is gone minutes later. */
export interface RequestCountsTable {
  key: string;
  /** Minutes since 1970. */
  minute: number;
  count: number;
}

/** One row per process that counts requests, renewed while it runs. */
export interface CountingProcessesTable {
  id: string;
  seenAt: string;
}
