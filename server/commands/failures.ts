import { ConfigError } from '../app/config.ts';
import { BackupError } from '../database/backup/errors.ts';
import { DatabaseUnavailableError } from '../database/errors.ts';
import { ObjectStorageError } from '../outgoing/object-storage/errors.ts';
import { TransferError } from '../platform/transfers/errors.ts';

/** A command cannot be carried out, or was interrupted. The message states why. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Runs a command, and reports its failure in one line, with exit code 1. */
export async function reportFailure(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    const isExpected = [ConfigError, BackupError, CommandError, ObjectStorageError, TransferError].some(
      (type) => error instanceof type,
    );
    const message = error instanceof DatabaseUnavailableError ? error.instruction : messageOf(error);
    console.error(isExpected ? message : `The command failed: ${message}`);
    process.exitCode = 1;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error && error.message) || String(error);

/**
 * Returns a signal that aborts when the operator or the system ends the command, so that it can tidy up.
 *
 * @param message what the command reports then
 */
export function endSignal(message = 'The command was interrupted. Nothing was changed.'): AbortSignal {
  const end = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => end.abort(new CommandError(message)));
  }
  return end.signal;
}
