import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type Json } from '../document.ts';
import type { Manifest } from './manifest.ts';

/** What `init` wrote, to distinguish it later from what the user changed. */
export interface InitState {
  /** Contract, relative to the root. */
  contract: string;
  /** Digests of the written files, by path. */
  files: Readonly<Record<string, string>>;
  /** Scripts and dependencies that it added to the manifest. */
  manifest: Pick<Manifest, 'scripts' | 'dependencies' | 'devDependencies'>;
}

/** File of the state in a project. */
export const STATE_FILE = '.colophon-init.json';

const COMMENT =
  'What `colophon init` wrote. When it runs again, it replaces or removes only what is unchanged since. Commit this file.';

/** Reads the state of a project; undefined if `init` did not write it. */
export function readState(root: string): InitState | undefined {
  const path = join(root, STATE_FILE);
  if (!existsSync(path)) {
    return undefined;
  }
  const state = parsed(readFileSync(path, 'utf8'));
  if (!isObject(state) || typeof state.contract !== 'string') {
    return undefined;
  }
  const manifest = isObject(state.manifest) ? state.manifest : {};
  return {
    contract: state.contract,
    files: textsOf(state.files),
    manifest: {
      scripts: textsOf(manifest.scripts),
      dependencies: textsOf(manifest.dependencies),
      devDependencies: textsOf(manifest.devDependencies),
    },
  };
}

/** Text of the file of a state. */
export function stateText({ contract, files, manifest }: InitState): string {
  const sorted = Object.fromEntries(Object.entries(files).sort(([one], [other]) => (one < other ? -1 : 1)));
  return `${JSON.stringify({ comment: COMMENT, contract, manifest, files: sorted }, null, 2)}\n`;
}

/** Digest of a text file. Git can change its line endings. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('base64url').slice(0, 22);
}

/** Digests of files, by path. */
export function digestsOf(files: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries([...files].map(([path, text]) => [path, digestOf(text)]));
}

function parsed(text: string): Json | undefined {
  try {
    // The parser returns JSON.
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function textsOf(value: Json | undefined): Record<string, string> {
  const entries = Object.entries(isObject(value) ? value : {});
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
