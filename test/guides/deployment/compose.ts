import { parse } from 'yaml';
import { readText } from '../../support/guides.ts';

/** Service of a compose file, which its linter checks against the schema of compose files. */
interface Service {
  environment: Record<string, string>;
  volumes: string[];
}

/** Services of the platform. */
export type Services = Record<'server' | 'postgres', Service>;

/**
 * Reads a compose file with the variables of an environment.
 *
 * @throws Error if a required variable is missing
 */
export function readCompose(file: string, variables: Readonly<Record<string, string>>): Services {
  const text = readText(file).replaceAll(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name, kind, otherwise) => {
    const value = variables[name] || (kind === '-' ? otherwise : undefined);
    if (value === undefined) {
      throw new Error(`${name} is required: ${otherwise}`);
    }
    return value;
  });
  return parse(text).services;
}

/** Reads the lines `NAME=value` and `NAME='value'` of a file with variables. */
export const readVariables = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^(\w+)=('?)(.*)\2$/gm)].map(([, name, , value]) => [name, value]));
