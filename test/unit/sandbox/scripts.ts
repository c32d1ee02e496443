import {
  createSandbox,
  type Sandbox,
  type SandboxCall,
  type SandboxOptions,
  type Script,
} from '../../../server/sandbox/sandbox.ts';

/** Returns a script with some code. Scripts with different code are different integrations, unless they have an owner. */
export const scriptOf = (code: string, { owner = code, version = 1 } = {}): Script => ({
  owner,
  version,
  load: async () => Buffer.from(code),
});

/** Returns a script with this body in its handler: it reads `event`, `request`, `environment`, `env` and `ctx`. */
export const handling = (body: string, top = '') => `${top}
export default {
  async fetch(request, env, ctx) {
    const event = await request.json();
    ${body}
    return new Response('OK');
  }
};`;

/** Creates a sandbox for a test. */
export const sandboxOf = (options: Partial<SandboxOptions> = {}): Sandbox =>
  createSandbox({ allow: [], ownOrigin: 'http://service.invalid', clock: () => new Date(), ...options });

/** Calls a script with a JSON message, and returns the text of its answer. */
export async function callScript(
  sandbox: Sandbox,
  script: Script,
  event: unknown = {},
  options: Partial<SandboxCall> = {},
) {
  const { status, body, headers, logs } = await sandbox.call(script, {
    message: { contentType: 'application/json', body: Buffer.from(JSON.stringify(event)) },
    deadlineMs: 20_000,
    maxResponseBytes: 1_048_576,
    awaitsBackground: false,
    ...options,
  });
  return {
    status,
    headers,
    text: Buffer.from(body).toString(),
    logs: logs.map(({ level, message }) => [level, message]),
  };
}
