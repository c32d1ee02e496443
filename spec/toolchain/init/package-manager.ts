import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest } from './manifest.ts';

/** Package manager of a project. Version 1 of Yarn differs from the later ones. */
export type ManagerName = 'npm' | 'pnpm' | 'yarn' | 'yarn-classic' | 'bun';

/** How a package manager is called, and set up in a workflow. */
export interface PackageManager {
  name: ManagerName;
  /** Value of `packageManager` in `package.json`. Corepack, which sets up Yarn in a workflow, requires it. */
  pinned?: string;
  install: string;
  /** Installs exactly what the lock file contains. */
  frozenInstall: string;
  /** Runs the script with the following name. */
  run: string;
  test: string;
  start: string;
  /** Runs the command of an installed package with the following name. */
  exec: string;
  /** Lines of the step of a workflow before the setup of Node. */
  setup: readonly string[];
  /** Name of its cache in `actions/setup-node`, if it has one. */
  cache?: string;
}

/** Versions that the tests use, for workflows of projects that do not specify one. */
const PNPM_VERSION = '12.21.0';
const YARN_VERSION = '4.18.1';

/** Beginning of a version, as in `4.18.1+sha512.abc`. */
const VERSION = /^\d[\w.-]*/;

const MANAGERS: Readonly<Record<ManagerName, PackageManager>> = {
  npm: {
    name: 'npm',
    install: 'npm install',
    frozenInstall: 'npm ci',
    run: 'npm run',
    test: 'npm test',
    start: 'npm start',
    exec: 'npx',
    setup: [],
    cache: 'npm',
  },
  pnpm: {
    name: 'pnpm',
    install: 'pnpm install',
    frozenInstall: 'pnpm install --frozen-lockfile',
    run: 'pnpm run',
    test: 'pnpm test',
    start: 'pnpm start',
    exec: 'pnpm exec',
    setup: ['uses: pnpm/action-setup@v4'],
    cache: 'pnpm',
  },
  yarn: {
    name: 'yarn',
    install: 'yarn install',
    frozenInstall: 'yarn install --immutable',
    run: 'yarn run',
    test: 'yarn test',
    start: 'yarn start',
    exec: 'yarn exec',
    setup: ['run: corepack enable'],
    cache: 'yarn',
  },
  'yarn-classic': {
    name: 'yarn-classic',
    install: 'yarn install',
    frozenInstall: 'yarn install --frozen-lockfile',
    run: 'yarn run',
    test: 'yarn test',
    start: 'yarn start',
    exec: 'yarn run',
    setup: [],
    cache: 'yarn',
  },
  bun: {
    name: 'bun',
    install: 'bun install',
    frozenInstall: 'bun install --frozen-lockfile',
    run: 'bun run',
    // `bun test` is another test runner.
    test: 'bun run test',
    start: 'bun run start',
    exec: 'bunx',
    setup: ['uses: oven-sh/setup-bun@v2'],
  },
};

/** Lock files, by name. */
const LOCK_FILES = {
  'package-lock.json': 'npm',
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
} as const;

/**
 * Finds the package manager of a project: the one that its manifest names, that of its lock file, or else the one that
 * started this process.
 * @param root folder of the project
 * @param userAgent what package managers pass to the programs that they start, such as `pnpm/12.21.0 npm/? node/v24.0.0`
 */
export function detectPackageManager(
  root: string,
  userAgent = process.env.npm_config_user_agent ?? '',
): PackageManager {
  const { packageManager } = readManifest(root);
  const declared = typeof packageManager === 'string' ? packageManager.split('@') : [];
  const [started = '', startedVersion = ''] = userAgent.split(' ', 1).join('').split('/');
  const locked = Object.entries(LOCK_FILES).find(([file]) => existsSync(join(root, file)))?.[1];
  const program = [declared[0], locked, started].find((name) => name !== undefined && name in MANAGERS);
  const version = declared[1] ?? (program === started ? startedVersion : undefined);
  const name = managerNameOf(program, version, root);
  const exact = VERSION.exec(version ?? '')?.[0];
  if (name === 'yarn') {
    return { ...MANAGERS.yarn, pinned: `yarn@${exact ?? YARN_VERSION}` };
  }
  // The action reads the version from the manifest, or requires it.
  return name === 'pnpm' && declared.length === 0
    ? { ...MANAGERS.pnpm, setup: [...MANAGERS.pnpm.setup, 'with:', `  version: ${exact ?? PNPM_VERSION}`] }
    : MANAGERS[name];
}

function managerNameOf(program: string | undefined, version: string | undefined, root: string): ManagerName {
  if (program === 'yarn') {
    const isClassic = version === undefined ? !isBerryProject(root) : version.startsWith('1.');
    return isClassic ? 'yarn-classic' : 'yarn';
  }
  return program === 'pnpm' || program === 'bun' ? program : 'npm';
}

function isBerryProject(root: string): boolean {
  const lock = join(root, 'yarn.lock');
  return (
    existsSync(join(root, '.yarnrc.yml')) ||
    (existsSync(lock) && readFileSync(lock, 'utf8').includes('__metadata:'))
  );
}

/** Steps of a workflow that install the packages of a project, as YAML lists. */
export function workflowSteps({ setup, cache, frozenInstall }: PackageManager): string {
  const node = ['uses: actions/setup-node@v4', 'with:', '  node-version: 24'];
  const steps = [
    ...(setup.length === 0 ? [] : [setup]),
    cache === undefined ? node : [...node, `  cache: ${cache}`],
    [`run: ${frozenInstall}`],
  ];
  return steps.map((lines) => `      - ${lines.join('\n        ')}`).join('\n');
}

/** Files that a package manager needs, by path. */
export function managerFiles({ name }: PackageManager, root: string): Map<string, string> {
  // TypeSpec and TypeScript 7 do not find packages in the archives of Plug'n'Play.
  return name === 'yarn' && !existsSync(join(root, '.yarnrc.yml'))
    ? new Map([['.yarnrc.yml', 'nodeLinker: node-modules\n']])
    : new Map();
}

/** Files of a package manager that are not committed, as lines of `.gitignore`. */
export function ignoredFiles({ name }: PackageManager): string {
  return name === 'yarn' ? '.yarn/*\n!.yarn/patches\n!.yarn/releases\n' : '';
}
