import type { QuotaName } from '../database/schema/quotas.ts';

/** The quotas, in the order in which they are shown. */
export const QUOTAS: readonly QuotaName[] = ['spaces', 'pages', 'bytes', 'members', 'integrations', 'jobs'];

/** Maximum limit of a quota. */
export const MAX_QUOTA = 1_000_000_000_000_000;

/** Limits by quota. Those without a limit are omitted. */
export type QuotaLimits = Readonly<Partial<Record<QuotaName, number>>>;

/** A change of a quota of an organization: a limit, no limit, or the default one. */
export type QuotaChange = readonly [quota: QuotaName, change: number | 'off' | 'default'];
/** Changes by quota. */
export type QuotaChanges = ReadonlyMap<QuotaChange[0], QuotaChange[1]>;

const UNITS: Readonly<Record<string, number>> = { '': 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** Parses a list such as `spaces=100,bytes=10GB`. Returns undefined if it is invalid. */
export function parseLimits(text: string): QuotaLimits | undefined {
  const limits: Partial<Record<QuotaName, number>> = {};
  for (const part of text.split(',')) {
    const [name, limit] = parseAssignment(part) ?? [];
    if (name === undefined || limits[name] !== undefined) {
      return undefined;
    }
    const value = parseLimit(name, limit ?? '');
    if (value === undefined) {
      return undefined;
    }
    limits[name] = value;
  }
  return limits;
}

/** Parses a change such as `spaces=100` or `pages=off`. Returns undefined if it is invalid. */
export function parseChange(text: string): QuotaChange | undefined {
  const [name, change = ''] = parseAssignment(text) ?? [];
  if (name === undefined) {
    return undefined;
  }
  if (change === 'off' || change === 'default') {
    return [name, change];
  }
  const limit = parseLimit(name, change);
  return limit === undefined ? undefined : [name, limit];
}

function parseAssignment(text: string): [name: QuotaName, limit: string] | undefined {
  const equals = text.indexOf('=');
  const name = QUOTAS.find((quota) => quota === text.slice(0, equals).trim());
  return equals < 0 || name === undefined ? undefined : [name, text.slice(equals + 1).trim()];
}

/** Parses a limit: an integer, for bytes with an optional unit. */
function parseLimit(name: QuotaName, text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,15})([KMGT]B)?$/.exec(text) ?? [];
  const value = Number(digits) * (UNITS[unit] ?? 1);
  return digits === '' || (unit !== '' && name !== 'bytes') || value > MAX_QUOTA ? undefined : value;
}
