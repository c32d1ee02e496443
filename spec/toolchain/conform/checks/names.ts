import { BadInput } from '../../bad-input.ts';
import { checks } from './checks.ts';
import { sequenceRules } from './sequences.ts';

/** Every check by name, with what it asks of a server. */
export const everyCheck = (): { name: string; asks: string }[] => [...checks, ...sequenceRules];

/** The list of checks for people. */
export function listOfChecks(): string {
  const width = Math.max(...everyCheck().map(({ name }) => name.length));
  return everyCheck()
    .map(({ name, asks }) => `${name.padEnd(width)}  ${asks}`)
    .join('\n');
}

/** @throws {BadInput} for a check that there is not */
export function knownChecks(names: readonly string[]): void {
  const known = everyCheck().map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new BadInput(`There is no check "${unknown}" to leave out. These there are: ${known.join(', ')}.`);
}
