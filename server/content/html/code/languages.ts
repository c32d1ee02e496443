/** Grammars of the highlighter by the names that authors write after a fence. Each is loaded when it is first used. */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { LanguageFn } from 'highlight.js';

const require = createRequire(import.meta.url);

/** Grammars by language, where their names differ. */
const ALIASES: Readonly<Record<string, string>> = {
  'c#': 'csharp',
  'c++': 'cpp',
  'f#': 'fsharp',
  'objective-c': 'objectivec',
  asm: 'x86asm',
  astro: 'xml',
  bat: 'dos',
  batch: 'dos',
  cc: 'cpp',
  cjs: 'javascript',
  cmd: 'dos',
  console: 'shell',
  cs: 'csharp',
  cts: 'typescript',
  docker: 'dockerfile',
  env: 'ini',
  ex: 'elixir',
  exs: 'elixir',
  golang: 'go',
  gql: 'graphql',
  h: 'c',
  hbs: 'handlebars',
  hcl: 'ini',
  hs: 'haskell',
  html: 'xml',
  jinja: 'django',
  jinja2: 'django',
  js: 'javascript',
  json5: 'json',
  jsonc: 'json',
  jsonl: 'json',
  jsx: 'javascript',
  kt: 'kotlin',
  kts: 'kotlin',
  make: 'makefile',
  md: 'markdown',
  mdx: 'markdown',
  mjs: 'javascript',
  mk: 'makefile',
  mts: 'typescript',
  objc: 'objectivec',
  patch: 'diff',
  pl: 'perl',
  plsql: 'sql',
  postgres: 'pgsql',
  postgresql: 'pgsql',
  proto: 'protobuf',
  ps1: 'powershell',
  pwsh: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  shellscript: 'bash',
  shellsession: 'shell',
  sol: 'javascript',
  solidity: 'javascript',
  svelte: 'xml',
  svg: 'xml',
  terraform: 'ini',
  tex: 'latex',
  tf: 'ini',
  toml: 'ini',
  ts: 'typescript',
  tsx: 'typescript',
  vb: 'vbnet',
  vue: 'xml',
  xhtml: 'xml',
  yml: 'yaml',
  zsh: 'bash',
};

/** Grammars that others refer to. */
const EMBEDDED: Readonly<Record<string, readonly string[]>> = {
  django: ['xml'],
  dockerfile: ['bash'],
  erb: ['xml', 'ruby'],
  handlebars: ['xml'],
  javascript: ['xml', 'css'],
  markdown: ['xml'],
  php: ['xml'],
  shell: ['bash'],
  twig: ['xml'],
  typescript: ['xml', 'css'],
  xml: ['css'],
};

let grammars: ReadonlySet<string> | undefined;

/** Returns the name of the grammar of a language; undefined for an unknown language. */
export function grammarName(syntax: string | undefined): string | undefined {
  const name = (/^[\w#+.-]{1,32}/.exec(syntax?.trim().toLowerCase() ?? '') ?? [''])[0];
  const grammar = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name;
  grammars ??= new Set(
    readdirSync(dirname(require.resolve('highlight.js/lib/languages/xml')))
      .filter((file) => file.endsWith('.js') && !file.endsWith('.js.js'))
      .map((file) => file.slice(0, -'.js'.length)),
  );
  return grammar !== undefined && grammars.has(grammar) ? grammar : undefined;
}

/** Loads a grammar by its name, and those that it refers to. */
export function* loadGrammars(name: string): Generator<[string, LanguageFn]> {
  for (const embedded of EMBEDDED[name] ?? []) {
    yield [embedded, require(`highlight.js/lib/languages/${embedded}`)];
  }
  yield [name, require(`highlight.js/lib/languages/${name}`)];
}
