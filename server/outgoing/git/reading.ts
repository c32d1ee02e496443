import { OutgoingError } from '../errors.ts';

/** Limits of reading, against small packs that expand to a huge tree. */
export interface ReadLimits {
  /** Maximum number of entries of a tree. */
  files: number;
  /** Maximum total size of all files of a tree, unpacked. */
  contentBytes: number;
  /** Maximum size of a file, unpacked. */
  fileBytes: number;
}

/** Creates the error of a repository that exceeds a limit. */
export function tooLarge(excess: string): OutgoingError {
  return new OutgoingError(
    'too-large',
    `The repository exceeds the import limit: it has ${excess}. Import a smaller repository or one of its directories.`,
  );
}

/** Formats a size in MiB. */
export function mebibytes(bytes: number): string {
  return `${Math.round((bytes / 1_048_576) * 10) / 10} MiB`;
}

/** Creates the error of an unsupported version of git. */
export function unexpectedOutput(): OutgoingError {
  return new OutgoingError(
    'failed',
    'git returned unexpected output. Install git 2.39 or later on the server.',
  );
}
