/** The integrations of a local checkout. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { components } from '../../../generated/schema.d.ts';

type Schemas = components['schemas'];
type Level = 'account' | 'space' | 'site';

/** Settings of one level: a component, or properties. */
export interface Settings {
  componentId?: string;
  properties?: Record<string, Property>;
  required?: string[];
}

/** A setting of a manifest. */
export interface Property {
  type: string;
  default?: unknown;
  enum?: string[];
  callback_url?: string;
  completion_url?: string;
}

/** What the steps read of a manifest. */
export interface Manifest {
  name: string;
  target?: 'all' | 'space' | 'site';
  scopes?: string[];
  blocks?: Schemas['IntegrationBlock'][];
  configurations?: Partial<Record<Level, Settings>>;
}

/** An integration in a checkout. */
export interface CheckedOutIntegration {
  /** Name of its folder. */
  folder: string;
  /** Path of its manifest. */
  path: string;
  manifest: Manifest;
  /** Names of the variables that its manifest reads when it is published. */
  variables: string[];
}

const MANIFEST = 'gitbook-manifest.yaml';

/** Reads the manifests of all integrations in a folder, or in its folder `integrations`. */
export async function readCheckout(folder: string): Promise<CheckedOutIntegration[]> {
  const nested = join(folder, 'integrations');
  const root = existsSync(nested) ? nested : folder;
  const names = (await readdir(root)).filter((name) => existsSync(join(root, name, MANIFEST))).toSorted();
  return await Promise.all(
    names.map(async (name) => {
      const path = join(root, name, MANIFEST);
      const source = await readFile(path, 'utf8');
      return {
        folder: name,
        path,
        // Publishing validates it.
        manifest: parse(source) as Manifest,
        variables: [...source.matchAll(/\$\{\{\s*env\.(\w+)\s*\}\}/g)].map(([, variable = '']) => variable),
      };
    }),
  );
}
