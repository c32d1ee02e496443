import { type Mutation, test } from '../mutation.ts';

/** Scripts of integrations: their isolation, limits and answers. */
export const sandbox: Mutation[] = [
  {
    name: 'share a process between versions of a script',
    file: 'server/sandbox/slots.ts',
    from: 'const keyOf = ({ owner, version }: Script): string =>',
    to: "const keyOf = ({ owner }: Script, version = ''): string =>",
    failures: [
      test('test/unit/sandbox/lifecycle', 'is not shared with another integration, or another version'),
    ],
  },
  {
    name: 'keep the process of a script that never returns',
    file: 'server/sandbox/script-process.ts',
    from: 'const state = await checkProcess(this.#socket, SCRIPT_BLOCKED_MS);',
    to: "const state: string = (await checkProcess(this.#socket, SCRIPT_BLOCKED_MS)).replace('blocked', 'responsive');",
    failures: [test('test/unit/sandbox/abuse', 'never returns')],
  },
  {
    name: 'let processes of scripts outlive their server',
    file: 'server/sandbox/program.ts',
    from: '(read -r _ <&3; rm -rf "$folder"; kill -9 -$$)',
    to: '(read -r _ <&3; rm -rf "$folder")',
    failures: [test('test/unit/sandbox/lifecycle', 'the processes of a killed server end')],
  },
  {
    name: 'let scripts connect to private addresses',
    file: 'server/sandbox/proxy.ts',
    from: 'return url?.origin === this.#options.ownOrigin',
    to: 'return url !== null',
    failures: [test('test/unit/sandbox/network', 'does not reach http://127\\.0\\.0\\.2/')],
  },
  {
    name: 'read answers of scripts without a limit',
    file: 'server/sandbox/script-process.ts',
    from: 'const bounds = { maxBytes: call.maxResponseBytes, signal: call.signal };',
    to: 'const bounds = { maxBytes: Number.MAX_SAFE_INTEGER, signal: call.signal };',
    failures: [test('test/unit/sandbox/abuse', 'answers with a small body that is large')],
  },
  {
    name: 'give scripts unlimited processor time',
    file: 'server/sandbox/process-pool.ts',
    from: 'allowance.spend(used - slot.processorMs);',
    to: 'allowance.spend(0);',
    failures: [test('test/unit/sandbox/abuse', 'is limited, also in the background')],
  },
  {
    name: 'let scripts that do not respond keep their slots',
    file: 'server/sandbox/process-pool.ts',
    from: 'const prompt = running.filter((slot) => !isSlow(slot));',
    to: 'const prompt = running.filter((slot) => !isSlow(slot) || slot.active > 0);',
    failures: [test('test/unit/sandbox/lifecycle', 'that do not respond delay no other script')],
  },
  {
    name: 'give scripts that fail as many places as others',
    file: 'server/sandbox/process-pool.ts',
    from: 'this.#failing.set(script.owner, true);',
    to: 'this.#failing.delete(script.owner);',
    failures: [test('test/unit/sandbox/lifecycle', 'whose last call failed have few places')],
  },
  {
    name: 'send events of other organizations to the developer',
    file: 'server/platform/integrations/calls/call-integration.ts',
    from: '(row.tunnelAll === 1 || organization === row.organization)',
    to: '(row.tunnelAll === 1 || organization !== undefined)',
    failures: [
      test('test/service/integrations/calls', 'receives the calls of other organizations only with `all`'),
    ],
  },
  {
    name: 'render the settings of an installation for members who cannot change them',
    file: 'server/platform/integrations/rendering/rules.ts',
    from: "const { row } = await spaceFor(queries, caller, context.spaceId, 'view');\n      await requireInOrganization(queries, caller, row.organization, 'installIntegration');",
    to: "const { row } = await spaceFor(queries, caller, context.spaceId, 'view');\n      await requireInOrganization(queries, caller, row.organization, 'view');",
    failures: [test('test/service/integrations/rendering', 'of the settings is rendered with them')],
  },
  {
    name: 'decompress requests without a limit',
    file: 'server/platform/integrations/rendering/rules/lz-string.ts',
    from: 'entry === undefined || length > maxCharacters',
    to: 'entry === undefined || length < -maxCharacters',
    failures: [test('test/unit/server/lz-string', 'accepts a text of the maximum length')],
  },
];
