import { execFile } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { UsageError } from '../usage-error.ts';
import { MAX_CONTRACT_BYTES } from './parse.ts';

/** Files of a contract, in a folder or in a commit. */
export interface ContractFiles {
  /** Path of the file that the user specified. */
  entry: string;
  /** Reads a file. @throws {UsageError} if it is unreadable, or not among those that a contract may refer to */
  read(path: string): Promise<string>;
  /** Path that a reference in a file refers to. */
  resolve(from: string, reference: string): string;
  /** Path in messages. */
  nameOf(path: string): string;
}

/**
 * Opens the files of a contract.
 * @param name path, or `REF:PATH` as in `git show`: `main:generated/openapi.json`
 * @param folder folder that the path is relative to
 */
export function openFiles(name: string, folder: string): ContractFiles {
  const path = resolve(folder, name);
  return name.includes(':') && !existsSync(path) ? committedFiles(name, folder) : localFiles(path, folder);
}

function localFiles(entry: string, folder: string): ContractFiles {
  let readable: string[] | undefined;
  return {
    entry,
    async read(path) {
      if (path !== entry) {
        readable ??= readableFolders(entry, folder);
        requireReadable(path, readable);
      }
      const name = relativeName(path, folder);
      return path === entry
        ? readText(path, name, ' Specify the path of an OpenAPI document, or REF:PATH for one in Git.')
        : readText(path, name);
    },
    resolve: (from, reference) => resolve(dirname(from), reference),
    nameOf: (path) => relativeName(path, folder),
  };
}

/**
 * Folders whose files a contract may refer to: those of the project and of the contract, and the repository around them.
 * The generated document would publish any other file, such as the configuration of the machine.
 */
function readableFolders(entry: string, folder: string): string[] {
  const folders = [folder, dirname(entry)];
  return [...folders, ...folders.flatMap(repositoryOf)].map((path) => realpathSync(path));
}

function repositoryOf(folder: string): string[] {
  for (let path = resolve(folder); ; path = dirname(path)) {
    if (existsSync(join(path, '.git'))) {
      return [path];
    }
    if (path === dirname(path)) {
      return [];
    }
  }
}

function requireReadable(path: string, folders: readonly string[]): void {
  // Of a file that does not exist, the reader reports a better message.
  const target = existsSync(path) ? realpathSync(path) : path;
  if (existsSync(path) && !folders.some((folder) => target.startsWith(folder + sep))) {
    throw new UsageError(
      'the file is outside of the project, of the folder of the contract and of their repository. Copy it into the project',
    );
  }
}

function readText(path: string, name: string, fix = ''): string {
  try {
    // The asynchronous function reads in parts, and needs twice the memory for large documents.
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const reason =
      code === 'ENOENT' ? 'the file does not exist' : code === 'EISDIR' ? 'it is a folder' : String(error);
    throw new UsageError(`${name} cannot be read: ${reason}${fix && `.${fix}`}`);
  }
}

function committedFiles(name: string, folder: string): ContractFiles {
  const colon = name.indexOf(':');
  const [ref, entry] = [name.slice(0, colon), name.slice(colon + 1)];
  return {
    entry,
    read: (path) => readCommitted(`${ref}:${path}`, folder),
    resolve(from, reference) {
      const path = posix.join(posix.dirname(from), reference);
      // Git resolves only such paths relative to the current folder.
      return from.startsWith('.') && !path.startsWith('.') ? `./${path}` : path;
    },
    nameOf: (path) => `${ref}:${path}`,
  };
}

async function readCommitted(name: string, folder: string): Promise<string> {
  try {
    const args = ['show', '--end-of-options', name];
    const { stdout } = await promisify(execFile)('git', args, { cwd: folder, maxBuffer: MAX_CONTRACT_BYTES });
    return stdout;
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    const reason = (stderr || String(error)).replace(/\.$/, '');
    throw new UsageError(
      `${name} is not a file, and git cannot show it (${reason}). ` +
        'Specify REF:PATH with an existing ref and a path relative to the root of the repository.',
    );
  }
}

function relativeName(path: string, folder: string): string {
  return relative(folder, path).split(sep).join('/');
}
