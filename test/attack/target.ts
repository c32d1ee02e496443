import { expect } from 'vitest';
import { ok } from '../../client/platform/index.ts';
import { operations } from '../../generated/operations.ts';
import type { OperationId } from '../../server/platform/kit/slice.ts';
import type { GitServer } from '../support/git/git-server.ts';
import { startGitServer } from '../support/git/git-server.ts';
import type { PathValues, WireRequest } from '../support/http/requests.ts';
import { Wire, type WireResponse } from '../support/http/wire.ts';
import { TestResources } from '../support/resources.ts';
import { type Person, startTestServer, type TestServer } from '../support/server.ts';

/** Text that only members of the victim's organization may read. */
export const SECRET = 'restricted-7f3a91';

/** Target of the attacks: a server with two unrelated organizations. */
export interface Target {
  server: TestServer;
  git: GitServer;
  wire: Wire;
  /** Admin of a separate organization. */
  attacker: Person;
  own: TestResources;
  /** Organization that the attacker must neither read nor change. */
  victim: TestResources;
  close(): Promise<void>;
}

/** Starts a server that may call 127.0.0.1 and no other private address. */
export async function startTarget(): Promise<Target> {
  const [server, git] = await Promise.all([
    startTestServer({ COLOPHON_OUTGOING_ALLOW: '127.0.0.1/32' }, 'forked'),
    startGitServer(),
  ]);
  const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>';
  const content = (text: string) => ({
    'README.md': `# Welcome\n\n${text}\n\n![A picture](.gitbook/assets/dot.svg)\n\n{% include ".gitbook/includes/note.md" %}\n`,
    '.gitbook/includes/note.md': `${text}\n`,
    '.gitbook/assets/dot.svg': `${picture}<!-- ${text} -->`,
  });
  const attacker = await server.person('Mallory');
  const open = await git.createRepository(content('open'));
  const restricted = await git.createRepository(content(SECRET));
  const wire = new Wire(server.url);
  return {
    server,
    git,
    wire,
    attacker,
    own: await TestResources.inNewOrganization(server, attacker, open),
    victim: await TestResources.inNewOrganization(server, await server.person('Victoria'), restricted),
    close: async () => {
      wire.close();
      await Promise.all([server.stop(), git.close()]);
    },
  };
}

/** Returns the ids of the victim's resources that were created so far. */
export async function victimIds({ victim }: Target): Promise<string[]> {
  const ids = await victim.ids();
  // Slugs, paths and domains are names that anyone may choose.
  return [victim.organization, ...ids.filter((id) => /^[a-z]+_\w{20}$/.test(id))];
}

/** The IDs of all operations. */
// The keys of the table of operations are operation ids.
export const OPERATION_IDS = Object.keys(operations) as OperationId[];

/** A request of an attack. */
export interface Attack {
  /** Description for the report. */
  name: string;
  send(): Promise<AttackResponse>;
}

/** The response, as far as it is checked. */
export interface AttackResponse {
  status: number;
  text: string;
  /** Texts of the victim that the attacker sent, which an error may repeat. */
  sent?: readonly string[];
  /** Whether any success is a breach. */
  mustFail?: boolean;
  /** The only status that is no breach; any by default. */
  expectedStatus?: number;
}

/** A class of attacks. */
export interface AttackClass {
  name: string;
  /**
   * Share of the attacks that must succeed, for attacks with content that the server stores: if it rejected all of
   * them, nothing would be proven.
   */
  minAccepted?: number;
  /** @param rounds number of rounds of a class with random attacks */
  attacks(target: Target, rounds: number): Promise<Attack[]>;
  /** Additional check after the attacks. */
  after?(target: Target): Promise<void>;
}

/** Returns the problem of a response; undefined if the server resisted. */
export function breach(response: AttackResponse, secrets: readonly string[]): string | undefined {
  const { status, text, sent = [], mustFail, expectedStatus } = response;
  if (status >= 500 && status !== 503) {
    return `a fault of the server: ${status} ${text.slice(0, 300)}`;
  }
  if (mustFail && status >= 200 && status < 300) {
    return `success: ${status} ${text.slice(0, 300)}`;
  }
  if (expectedStatus !== undefined && status !== expectedStatus) {
    return `${status} instead of ${expectedStatus}: ${text.slice(0, 300)}`;
  }
  const leaked = secrets.find((secret) => !sent.includes(secret) && text.includes(secret));
  if (leaked !== undefined) {
    return `the response contains ${leaked}: ${status} ${text.slice(0, 300)}`;
  }
  if (/\bat [^\n"]+\.(?:ts|js):\d+/.test(text) || text.includes('node_modules')) {
    return `the response contains a stack trace: ${text.slice(0, 300)}`;
  }
  return undefined;
}

/** Sends a request as the attacker, or anonymously. */
export async function sendAs(
  { wire }: Pick<Target, 'wire'>,
  request: WireRequest,
  token?: string,
): Promise<WireResponse> {
  return await wire.send(request, token);
}

/** Fills a path template with percent-encoded values. */
export function fill(template: string, values: PathValues): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

/** Builds a request with a JSON body. */
export function jsonRequest(method: string, target: string, body?: unknown): WireRequest {
  return {
    method: method.toUpperCase(),
    target,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

/** Checks that the server still responds. */
export async function expectAlive({ server }: Target): Promise<void> {
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  await ok(server.admin.client.GET('/v1/user'));
}
