/** A backup cannot be created or restored. The message states why, and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
