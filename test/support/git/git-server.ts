import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { delimiter, join } from 'node:path';
import { serveOnLoopback } from '../http/loopback.ts';
import { TEMPORARY_FOLDER } from '../processes/temporary.ts';
import { type CommitFiles, commitFiles, git, readFiles } from './git-files.ts';

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

/** Folder of the programs of git. */
let execPath: Promise<string> | undefined;

/** Starts a server on top of the installed `git http-backend`. */
export async function startGitServer(options: GitServerOptions = {}): Promise<GitServer> {
  const root = await mkdtemp(join(TEMPORARY_FOLDER, 'git-server-'));
  execPath ??= git(root, ['--exec-path']);
  const programs = (await execPath).trim();
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
    serveBackend(programs, root, request, response, options.after);
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
async function createBareRepository(
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
      const files = await readFiles(folder, ref);
      return Object.fromEntries([...files].map(([path, { text }]) => [path, text]));
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
  programs: string,
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
  after: GitServerOptions['after'],
): void {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const { headers } = request;
  // `git http-backend` would start git once more.
  const child = spawn(join(programs, 'git-http-backend'), [], {
    env: {
      PATH: `${programs}${delimiter}${process.env.PATH}`,
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
    // In a separate group with its children, which loop if their input ends too early.
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
