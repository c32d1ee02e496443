/**
 * Limits of a program that this process starts. Each program that it starts in turn has the same limits. A limit that
 * the system does not have, or that is higher than that of this process, has no effect: macOS limits neither data nor
 * address space.
 */
export interface ProgramLimits {
  /**
   * Memory that the program allocates: its heap, buffers and stacks, without mapped files. It is enforced when memory is
   * reserved, so that the allocation fails.
   */
  dataBytes: number;
  /** Address space, including mapped files. Not for programs that reserve more than they use, such as those with V8. */
  addressBytes?: number;
  /** Processor time of all threads together, in whole seconds. */
  processorMs?: number;
  /** Open files and connections. */
  descriptors?: number;
  /** Size of each file that it writes. */
  fileBytes?: number;
  /** Size of the stack. */
  stackBytes?: number;
}

/** Unit of `ulimit -f` (POSIX, Shell and Utilities, ulimit). */
const BLOCK_BYTES = 512;
const KIBIBYTE = 1024;
/** Processor time of a program after the signal that it has exceeded its limit, before it is killed. */
export const PROCESSOR_GRACE_MS = 5000;

/** Returns the commands of a shell that set the limits for itself, and for the programs that it starts afterwards. */
export function limitCommands(limits: ProgramLimits): string {
  const { dataBytes, addressBytes, processorMs, descriptors, fileBytes, stackBytes } = limits;
  const seconds = processorMs === undefined ? undefined : Math.ceil(processorMs / 1000);
  const values: readonly (readonly [option: string, value: number | undefined])[] = [
    // The memory of a program can contain content and credentials, which a dump would store.
    ['-c', 0],
    ['-d', Math.floor(dataBytes / KIBIBYTE)],
    ['-v', addressBytes && Math.floor(addressBytes / KIBIBYTE)],
    ['-n', descriptors],
    ['-f', fileBytes === undefined ? undefined : Math.ceil(fileBytes / BLOCK_BYTES)],
    ['-s', stackBytes && Math.floor(stackBytes / KIBIBYTE)],
    ['-S -t', seconds],
    ['-H -t', seconds && seconds + PROCESSOR_GRACE_MS / 1000],
  ];
  const commands = values.flatMap(([option, value]) =>
    value === undefined ? [] : [`ulimit ${option} ${value}`],
  );
  // A limit that cannot be set must not end the shell, or write to the output of the program.
  return `{ ${commands.join('; ')}; } 2>/dev/null`;
}

/**
 * Returns a command that runs another one with limits. The shell is replaced by the program, which has its process ID,
 * descriptors and environment. If the program is not found, it exits with {@link NOT_FOUND_STATUS}.
 */
export function withLimits(
  limits: ProgramLimits,
  command: readonly [string, ...string[]],
): [string, ...string[]] {
  if (process.platform === 'win32') {
    return [...command];
  }
  return ['/bin/sh', '-c', `${limitCommands(limits)}; exec "$@"`, command[0], ...command];
}

/** Exit status of a shell that does not find its program (POSIX, Shell Command Language, 2.8.2). */
export const NOT_FOUND_STATUS = 127;
