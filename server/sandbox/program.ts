import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import { limitCommands } from '../programs/limits.ts';
import { SandboxError } from './errors.ts';
import { MAX_HEAP_BYTES, SCRIPT_PROGRAM_LIMITS } from './limits.ts';

/** Date of the behavior of the runtime: that of the development mode of the public command line. */
const COMPATIBILITY_DATE = '2025-05-25';

/** Socket of a process for the calls of its script, in its folder. */
export const CALL_SOCKET = 'calls.sock';
/** Socket of its proxy, the only way out of the script, in the same folder. */
export const PROXY_SOCKET = 'proxy.sock';

const MODULES = ['main.js', 'console.js'] as const;
const SCRIPT = 'script.js';
const CONFIG = 'config.capnp';

const CONFIG_TEXT = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "script", worker = (
      modules = [
        ${[...MODULES, SCRIPT].map((name) => `(name = "${name}", esModule = embed "${name}")`).join(',\n        ')},
      ],
      compatibilityDate = "${COMPATIBILITY_DATE}",
      compatibilityFlags = ["nodejs_compat"],
      globalOutbound = "proxy",
    )),
    (name = "proxy", external = (address = "unix:${PROXY_SOCKET}", http = (style = proxy))),
  ],
  sockets = [(name = "calls", address = "unix:${CALL_SOCKET}", http = (), service = "script")],
  v8Flags = ["--max-heap-size=${MAX_HEAP_BYTES / 1_048_576}"],
  logging = (structuredLogging = true),
);
`;

/**
 * Starts the program with its limits. A process in the background waits until the lifeline (descriptor 3) is closed,
 * by this server or because it ended, however it ended: it then removes the folder and ends the program.
 */
const START = `
folder=$1
shift
(read -r _ <&3; rm -rf "$folder"; kill -9 -$$) >/dev/null 2>&1 4>&- &
exec 3<&-
${limitCommands(SCRIPT_PROGRAM_LIMITS)}
exec nice -n 10 "$@"
`;

/** npm packages of the program, by system. */
const PACKAGES: Readonly<Record<string, string>> = {
  'darwin arm64': '@cloudflare/workerd-darwin-arm64',
  'darwin x64': '@cloudflare/workerd-darwin-64',
  'linux arm64': '@cloudflare/workerd-linux-arm64',
  'linux x64': '@cloudflare/workerd-linux-64',
};

/** Returns the path of the program; undefined if it is not installed, or not available for this system. */
export function findProgram(): string | undefined {
  const name = PACKAGES[`${process.platform} ${process.arch}`];
  try {
    return name && createRequire(import.meta.url).resolve(`${name}/bin/workerd`);
  } catch {
    return undefined;
  }
}

/** A running program. */
export interface Program {
  child: ChildProcess;
  output: Readable;
  errors: Readable;
  /** Readable as soon as the program listens. */
  control: Readable;
  /** Ends the program. Its folder is removed. */
  end(): void;
}

/** Creates the private folder of a process, with its configuration and its script. */
export async function createScriptFolder(script: Uint8Array): Promise<string> {
  // The paths of sockets are limited to about 100 bytes, so that the data folder cannot contain them.
  const folder = await mkdtemp(join(tmpdir(), 'colophon-script-'));
  await Promise.all([
    ...MODULES.map((name) => copyFile(new URL(`./worker/${name}`, import.meta.url), join(folder, name))),
    writeFile(join(folder, SCRIPT), script),
    writeFile(join(folder, CONFIG), CONFIG_TEXT),
  ]);
  return folder;
}

/**
 * Starts the program in a folder made by {@link createScriptFolder}.
 *
 * @throws SandboxError `busy` if the system cannot start a process, such as without free file descriptors
 */
export async function startProgram(path: string, folder: string): Promise<Program> {
  const command = [path, 'serve', '--control-fd=4', CONFIG];
  const child = spawn('/bin/sh', ['-c', START, 'colophon-script', folder, ...command], {
    cwd: folder,
    // The script cannot read the environment, but nothing of it is needed.
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    // The process group is ended together.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  try {
    // Without free file descriptors, Node returns a process without streams, and reports the error afterwards.
    await once(child, 'spawn');
  } catch (cause) {
    const message = 'The server could not start a process for the script. Try again later.';
    throw new SandboxError('busy', message, { cause });
  }
  // The streams of the pipes above.
  const [, output, errors, lifeline, control] = child.stdio as [null, Readable, Readable, Duplex, Duplex];
  lifeline.on('error', () => {}).resume();
  return {
    child,
    output,
    errors,
    control,
    end: () => {
      child.kill('SIGKILL');
      lifeline.end();
    },
  };
}
