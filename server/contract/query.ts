import type { Request } from 'express';
import type { Fault } from './errors.ts';

/**
 * The faults of a query string that the validator would report one at a time or not at all: unknown
 * names, and names without a value. Such parameters are left out of what the validator sees.
 */
export function queryFaults(req: Request, known: ReadonlySet<string>): Fault[] {
  const start = req.originalUrl.indexOf('?');
  if (start < 0) return [];
  const faults: Fault[] = [];
  const values: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(req.originalUrl.slice(start + 1))) {
    if (!known.has(name)) {
      faults.push({ in: 'query', path: name, message: 'is not a parameter of this operation' });
    } else if (value === '') {
      faults.push({ in: 'query', path: name, message: 'must have a value' });
    } else {
      const before = values[name];
      values[name] = before === undefined ? value : [before, value].flat();
    }
  }
  // Express reads the query with a getter; the validator and we need one plain value.
  Object.defineProperty(req, 'query', {
    value: values,
    writable: true,
    configurable: true,
    enumerable: true,
  });
  return faults;
}
