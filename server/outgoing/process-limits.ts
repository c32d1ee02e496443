import type { ProgramLimits } from '../programs/limits.ts';
import { OutgoingError } from './errors.ts';
import { mebibytes } from './git/reading.ts';

/**
 * Limits of each git process, besides those of a transfer: git and its helpers, which receive what a remote server
 * sends. The largest file of a pack is its index or the pack itself; git maps at most 1 GiB of packs at a time.
 */
export const GIT_PROCESS_LIMITS: Readonly<Omit<Required<ProgramLimits>, 'dataBytes' | 'stackBytes'>> = {
  addressBytes: 4_294_967_296,
  processorMs: 600_000,
  descriptors: 256,
  fileBytes: 2_147_483_648,
};

/** Messages of git itself. Those that it received from the remote server are not about this machine. */
const OWN_MESSAGE = /^(?:fatal|error): (?!remote error:).*/gm;
const MEMORY_PATTERN = /out of memory|memory exhausted|cannot allocate memory|mmap failed/i;
/** Signals of exceeded limits, which have the same numbers on Linux and macOS. Git reports those of its helpers. */
const PROCESSOR_PATTERN = /died of signal 24\b/;
const FILE_PATTERN = /died of signal 25\b|file too large/i;

/** How a process of git ended. */
export interface GitEnd {
  stderr: string;
  signal: NodeJS.Signals | null;
  /** Its limit of memory. */
  dataBytes: number;
}

/** Returns the error of a process that a limit ended; undefined if it ended for another reason. */
export function exceededLimit({ stderr, signal, dataBytes }: GitEnd): OutgoingError | undefined {
  const messages = (stderr.match(OWN_MESSAGE) ?? []).join('\n');
  const options = { cause: new Error(messages) };
  const fix = 'Use a repository with fewer branches and tags, or smaller files.';
  if (MEMORY_PATTERN.test(messages)) {
    return new OutgoingError(
      'too-large',
      `git exceeded its memory limit of ${mebibytes(dataBytes)} for what the Git server sent. ${fix}`,
      options,
    );
  }
  if (signal === 'SIGXFSZ' || FILE_PATTERN.test(messages)) {
    const limit = mebibytes(GIT_PROCESS_LIMITS.fileBytes);
    return new OutgoingError('too-large', `git exceeded its limit of ${limit} for a file. ${fix}`, options);
  }
  if (signal === 'SIGXCPU' || PROCESSOR_PATTERN.test(messages)) {
    const minutes = GIT_PROCESS_LIMITS.processorMs / 60_000;
    const message = `git exceeded its limit of ${minutes} minutes of processor time. ${fix}`;
    return new OutgoingError('timeout', message, options);
  }
  return undefined;
}
