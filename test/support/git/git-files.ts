import { type ChildProcess, spawn } from 'node:child_process';
import { buffer, text } from 'node:stream/consumers';

/** Files of a commit by path; `symlink` and `submodule` are entries of those kinds in git. */
export type CommitFiles = Record<
  string,
  string | Uint8Array | { symlink: string } | { submodule: string } | { executable: Uint8Array }
>;

/** Runs git on the repositories of the tests. Returns its output as text. */
export async function git(
  folder: string,
  parameters: readonly string[],
  input?: Uint8Array,
): Promise<string> {
  return decode(await gitBytes(folder, parameters, input));
}

/** Decodes a text of git, without the byte order mark that some files of the tests begin with. */
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

async function gitBytes(
  folder: string,
  parameters: readonly string[],
  input: Uint8Array = new Uint8Array(),
): Promise<Buffer> {
  const child = spawn('git', parameters, {
    cwd: folder,
    env: {
      ...process.env,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_COMMITTER_NAME: 'Ada Writer',
      GIT_COMMITTER_EMAIL: 'ada@example.test',
    },
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [output, errors, status] = await Promise.all([buffer(child.stdout), text(child.stderr), exit(child)]);
  if (status !== 0) {
    throw new Error(`git ${parameters[0]} failed in a test: ${errors}`);
  }
  return output;
}

function exit(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
}

/** A file of a commit. */
export interface CommittedFile {
  /** Mode of its entry, such as 100644. */
  mode: string;
  text: string;
}

/**
 * Reads the files of a commit by path, with one `git cat-file`: each start of a program copies the page tables of this
 * process, which takes longer than git.
 */
export async function readFiles(folder: string, ref: string): Promise<Map<string, CommittedFile>> {
  const listed = await git(folder, ['ls-tree', '-r', '-z', ref]);
  const blobs = listed.split('\0').flatMap((entry) => {
    const [, mode = '', oid = '', path = ''] = /^(\d+) blob (\S+)\t(.*)$/s.exec(entry) ?? [];
    return path === '' ? [] : { mode, oid, path };
  });
  const names = Buffer.from(blobs.map(({ oid }) => `${oid}\n`).join(''));
  const output = await gitBytes(folder, ['cat-file', '--batch'], names);
  let offset = 0;
  return new Map(
    blobs.map(({ mode, oid, path }) => {
      const start = output.indexOf('\n', offset) + 1;
      const [name, type, size] = output.toString('latin1', offset, start).trimEnd().split(' ');
      if (name !== oid || type !== 'blob') {
        throw new Error(`git cat-file did not return ${oid} (${path}) in a test.`);
      }
      const end = start + Number(size);
      offset = end + 1;
      return [path, { mode, text: decode(output.subarray(start, end)) }];
    }),
  );
}

/** Writes a commit with one `git fast-import`, regardless of the number of files. */
export async function commitFiles(
  folder: string,
  files: Record<string, CommitFiles[string] | null>,
  branch: string,
  message: string,
  onTop: boolean,
): Promise<string> {
  const ref = `refs/heads/${branch}`;
  const parts: Uint8Array[] = [
    Buffer.from(`commit ${ref}\ncommitter Ada Writer <ada@example.test> now\n`),
    data(message),
  ];
  if (onTop) {
    parts.push(Buffer.from(`from ${ref}^0\n`));
  }
  for (const [path, content] of Object.entries(files)) {
    const name = JSON.stringify(path);
    if (content === null) {
      parts.push(Buffer.from(`D ${name}\n`));
    } else if (typeof content === 'object' && 'submodule' in content) {
      parts.push(Buffer.from(`M 160000 ${content.submodule} ${name}\n`));
    } else {
      parts.push(...inlineFile(content, name));
    }
  }
  await git(folder, ['fast-import', '--quiet', '--date-format=now'], Buffer.concat(parts));
  return (await git(folder, ['rev-parse', ref])).trim();
}

/** Returns the lines of `git fast-import` for a file or a symbolic link. */
function inlineFile(
  content: Exclude<CommitFiles[string], { submodule: string }>,
  name: string,
): [Uint8Array, Uint8Array] {
  const line = (mode: string) => Buffer.from(`M ${mode} inline ${name}\n`);
  if (typeof content === 'string' || content instanceof Uint8Array) {
    return [line('100644'), data(content)];
  }
  return 'symlink' in content
    ? [line('120000'), data(content.symlink)]
    : [line('100755'), data(content.executable)];
}

function data(content: string | Uint8Array): Uint8Array {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')]);
}
