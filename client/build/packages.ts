import { LEAST_NODE_VERSION } from '../../spec/toolchain/node-version.ts';

/** Export of a package: the path of a module without extension, or of a data file. */
export type PackageExport = { module: string } | { file: string };

/** Contents of a published package. Paths are relative to the root of the repository. */
export interface PackageDescription {
  name: string;
  description: string;
  /** Page that becomes the README of the package. */
  readme: string;
  /** Pages that the README links to. */
  pages: readonly string[];
  /** Supported versions of Node. */
  node: string;
  exports: Readonly<Record<string, PackageExport>>;
  /** Modules of commands without extension, by the name of the command. */
  commands: Readonly<Record<string, string>>;
  /** Folders with data files that modules read by computed names. */
  dataFolders: readonly string[];
  /** Folders with templates, which are copied with their modules. */
  templateFolders: readonly string[];
  /** Dependencies that no file imports by a literal name. */
  additionalDependencies: readonly string[];
  /** Dependencies that are installed only where they are available. */
  optionalDependencies: readonly string[];
}

/** Scripts and style sheet of the documentation pages. */
const DOCS_ASSETS = 'server/contract/docs/assets';

/** The published packages, by the name of their folder in `dist/`. */
export const packages = {
  toolkit: {
    name: '@colophon/toolkit',
    description:
      'The colophon command, a validating Express router and a typed client for any API contract in TypeSpec or OpenAPI.',
    readme: 'client/build/toolkit.md',
    pages: ['spec/your-own-service.md'],
    node: `>=${LEAST_NODE_VERSION}`,
    exports: {
      './client': { module: './client/index' },
      './client/response-check': { module: './client/response-check' },
      './server': { module: './server/contract/index' },
    },
    commands: { colophon: './spec/toolchain/colophon' },
    dataFolders: [DOCS_ASSETS],
    templateFolders: ['spec/toolchain/init/templates'],
    // Contracts in TypeSpec import them. Their versions must agree with those of the compiler and the emitter, which no
    // installation of the latest versions achieves.
    additionalDependencies: ['@typespec/http', '@typespec/openapi'],
    optionalDependencies: [],
  },
  'platform-client': {
    name: '@colophon/platform-client',
    description: 'Typed client of the documentation platform, for browsers, Node.js, Bun and Deno.',
    readme: 'client/README.md',
    pages: ['client/recipes.md'],
    node: '>=20.3',
    exports: { '.': { module: './client/platform/index' } },
    commands: {},
    dataFolders: [],
    templateFolders: [],
    additionalDependencies: [],
    optionalDependencies: [],
  },
  platform: {
    name: '@colophon/platform',
    description:
      'A documentation platform: its server, database and background jobs, started with one command.',
    readme: 'client/build/platform.md',
    pages: [],
    node: '>=24',
    exports: { './openapi.json': { file: './generated/openapi.json' } },
    commands: {
      'colophon-platform': './server/main',
      'colophon-platform-token': './server/commands/token',
      'colophon-platform-secret-key': './server/commands/secret-key',
      'colophon-platform-backup': './server/commands/backup',
      'colophon-platform-restore': './server/commands/restore',
      'colophon-platform-export': './server/commands/export',
      'colophon-platform-import-organization': './server/commands/import-organization',
      'colophon-platform-doctor': './server/commands/doctor',
      'colophon-platform-files': './server/commands/files',
      'colophon-platform-quotas': './server/commands/quotas',
    },
    dataFolders: [
      'server/content/templates',
      'server/content/html/styles',
      'server/platform/sites/reading/script',
      'server/platform/sites/reading/styles',
      'server/sandbox/worker',
      DOCS_ASSETS,
    ],
    templateFolders: [],
    // The fonts and icons of PDFs and published sites.
    additionalDependencies: [
      '@expo-google-fonts/chocolate-classical-sans',
      '@expo-google-fonts/nanum-gothic',
      '@expo-google-fonts/noto-sans-devanagari',
      '@expo-google-fonts/noto-sans-thai',
      '@fontsource-variable/fira-code',
      '@fontsource-variable/inter',
      '@fontsource-variable/jetbrains-mono',
      '@fontsource-variable/merriweather',
      '@fontsource-variable/open-sans',
      '@fontsource-variable/roboto',
      '@fontsource-variable/source-code-pro',
      '@fontsource-variable/source-sans-3',
      '@fontsource/ibm-plex-mono',
      '@fontsource/unifontex',
      '@iconify-json/fa7-brands',
      '@iconify-json/fa7-regular',
      '@iconify-json/fa7-solid',
      'dejavu-fonts-ttf',
    ],
    // The program that runs scripts of integrations.
    optionalDependencies: [
      '@cloudflare/workerd-darwin-64',
      '@cloudflare/workerd-darwin-arm64',
      '@cloudflare/workerd-linux-64',
      '@cloudflare/workerd-linux-arm64',
    ],
  },
} satisfies Record<string, PackageDescription>;
