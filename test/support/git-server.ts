import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { serveOnLoopback } from './loopback.ts';
import { TEMPORARY_FOLDER } from './temporary.ts';

/** Files of a commit by path; `symlink` and `submodule` are entries of those kinds in git. */
export type CommitFiles = Record<
  string,
  string | Uint8Array | { symlink: string } | { submodule: string } | { executable: Uint8Array }
>;

/** A request that the server received. */
export interface ReceivedRequest {
  method: string;
  url: string;
  authorization: string | undefined;
}

/** A repository on the server. */
export interface ServedRepository {
  /** Without credentials. */
  url: string;
  /** The bare repository's folder. */
  folder: string;
  /** Commits a change on top of the branch: files to write, and `null` for files to remove. Returns the commit's id. */
  update(files: Record<string, CommitFiles[string] | null>, options?: CommitOptions): Promise<string>;
  /** Reads the texts of the files at the tip of a branch, by path; none if the branch does not exist. */
  read(branch?: string): Promise<Record<string, string>>;
  /** Lists the commits of a branch, newest first. */
  log(branch?: string): Promise<Array<{ oid: string; author: string; message: string }>>;
  /** Puts an annotated tag on the tip of the default branch. */
  tag(name: string): Promise<void>;
}

export interface CommitOptions {
  branch?: string;
  message?: string;
}

/** Git over smart HTTP on loopback. */
export interface GitServer {
  /** `http://127.0.0.1:<port>`. */
  url: string;
  requests: ReceivedRequest[];
  /** Creates a repository with one commit. The name becomes the path of its URL. */
  createRepository(
    files: CommitFiles,
    options?: CommitOptions & { name?: string },
  ): Promise<ServedRepository>;
  /** Creates a repository without a commit. */
  createEmptyRepository(): Promise<ServedRepository>;
  close(): Promise<void>;
}

export interface GitServerOptions {
  /** Credentials that every request requires (RFC 7617); none by default. */
  credentials?: { username: string; password: string };
  /** Runs before each request is served; a test delays requests here. */
  before?: (request: IncomingMessage) => Promise<void> | void;
  /** Runs when git has served a request, before the response ends; a test delays responses here. */
  after?: (request: IncomingMessage) => Promise<void> | void;
}

/** Starts a server on top of the installed `git http-backend`. */
export async function startGitServer(options: GitServerOptions = {}): Promise<GitServer> {
  const root = await mkdtemp(join(TEMPORARY_FOLDER, 'git-server-'));
  const requests: ReceivedRequest[] = [];
  const expected =
    options.credentials &&
    `Basic ${Buffer.from(`${options.credentials.username}:${options.credentials.password}`).toString('base64')}`;
  const { url, close } = await serveOnLoopback(async (request, response) => {
    const { authorization } = request.headers;
    requests.push({ method: request.method ?? '', url: request.url ?? '', authorization });
    await options.before?.(request);
    if (response.destroyed) {
      return;
    }
    if (expected !== undefined && authorization !== expected) {
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end();
      return;
    }
    serveBackend(root, request, response, options.after);
  });
  let created = 0;
  return {
    url,
    requests,
    async createRepository(files, { name = `repository-${++created}.git`, ...commit } = {}) {
      const folder = join(root, name);
      await createBareRepository(folder, files, commit);
      return { ...repositoryIn(folder, commit.branch ?? 'main'), url: `${url}/${name}` };
    },
    async createEmptyRepository() {
      const name = `repository-${++created}.git`;
      const folder = join(root, name);
      await mkdir(folder, { recursive: true });
      await git(folder, ['init', '--bare', '--quiet', '--initial-branch=main', '.']);
      return { ...repositoryIn(folder, 'main'), url: `${url}/${name}` };
    },
    async close() {
      await close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** Creates a bare repository in a folder, without a server. */
export async function createBareRepository(
  folder: string,
  files: CommitFiles,
  options: CommitOptions = {},
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const branch = options.branch ?? 'main';
  await git(folder, ['init', '--bare', '--quiet', `--initial-branch=${branch}`, '.']);
  return commitFiles(folder, files, branch, options.message ?? 'Write the documentation', false);
}

function repositoryIn(folder: string, defaultBranch: string): Omit<ServedRepository, 'url'> {
  return {
    folder,
    update: (files, { branch = defaultBranch, message = 'Change the documentation' } = {}) =>
      commitFiles(folder, files, branch, message, true),
    async read(branch = defaultBranch) {
      const ref = `refs/heads/${branch}`;
      if ((await git(folder, ['for-each-ref', ref])) === '') {
        return {};
      }
      const listed = await git(folder, ['ls-tree', '-r', '-z', '--name-only', ref]);
      const paths = listed.split('\0').filter((path) => path !== '');
      const texts = paths.map(async (path) => [path, await git(folder, ['show', `${ref}:${path}`])] as const);
      return Object.fromEntries(await Promise.all(texts));
    },
    async log(branch = defaultBranch) {
      const format = '--format=%H%x01%an <%ae>%x01%B%x02';
      const text = await git(folder, ['log', '--first-parent', format, `refs/heads/${branch}`]);
      return text
        .split('\u0002')
        .map((entry) => entry.trim().split('\u0001'))
        .filter((parts) => parts.length === 3)
        .map(([oid = '', author = '', message = '']) => ({ oid, author, message: message.trim() }));
    },
    async tag(name) {
      await git(folder, ['tag', '-a', '-m', name, name, `refs/heads/${defaultBranch}`]);
    },
  };
}

/** Writes a commit with one `git fast-import`, regardless of the number of files. */
async function commitFiles(
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

/** Runs git on the repositories of the tests. */
export async function git(
  folder: string,
  parameters: readonly string[],
  input: Uint8Array = new Uint8Array(),
): Promise<string> {
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
  const [output, errors, status] = await Promise.all([text(child.stdout), text(child.stderr), exit(child)]);
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

/** Kills a process and its group if it has not ended. */
function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) {
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended.
  }
}

/** Git's own CGI program (RFC 3875) behind a Node request. */
function serveBackend(
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
  after: GitServerOptions['after'],
): void {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const { headers } = request;
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_COUNT: '3',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      GIT_CONFIG_KEY_1: 'http.receivepack',
      GIT_CONFIG_VALUE_1: 'true',
      // After each push, git would start two more programs.
      GIT_CONFIG_KEY_2: 'receive.autogc',
      GIT_CONFIG_VALUE_2: 'false',
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(path),
      QUERY_STRING: query,
      CONTENT_TYPE: headers['content-type'],
      CONTENT_LENGTH: headers['content-length'],
      HTTP_CONTENT_ENCODING: headers['content-encoding'],
      GIT_PROTOCOL: request.headersDistinct['git-protocol']?.[0],
      REMOTE_ADDR: '127.0.0.1',
    },
    // In a separate group: git runs the program as a child, which loops if its input ends too early.
    detached: true,
  });
  child.stdin.on('error', () => {});
  request.pipe(child.stdin);
  response.on('close', () => killGroup(child));
  let head = Buffer.alloc(0);
  const readHead = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) {
      return;
    }
    child.stdout.off('data', readHead);
    for (const line of head.toString('latin1', 0, end).split('\r\n')) {
      const [name = '', value = ''] = line.split(/:\s*(.*)/s);
      if (name.toLowerCase() === 'status') {
        response.statusCode = Number.parseInt(value, 10);
      } else {
        response.setHeader(name, value);
      }
    }
    response.write(head.subarray(end + 4));
    child.stdout.pipe(response, { end: false });
  };
  child.stdout.on('end', async () => {
    await after?.(request);
    response.end();
  });
  child.stdout.on('data', readHead);
}
