import type { Restored, RestoreOptions } from './restore.ts';

/**
 * Restores a backup into an empty place, or replaces the data there, which remain in another place. Nothing is changed
 * if it fails. No server may run.
 *
 * @throws BackupError if a server runs, there are data that may not be replaced, or the backup is damaged or from a newer
 *   release; DatabaseUnavailableError; errors of the disk
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  if ('folder' in options.location) {
    const { restoreToFolder } = await import('./restore-folder.ts');
    return await restoreToFolder(options.location.folder, options);
  }
  const { restoreToServer } = await import('./restore-server.ts');
  return await restoreToServer(options.location.url, options);
}
