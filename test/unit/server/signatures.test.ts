import { expect, test } from 'vitest';
import { LINK_LIFETIME_MS, linkExpiry } from '../../../server/identity/signatures.ts';

test('issues URLs that work for one to two lifetimes, and are the same for one', () => {
  const start = Date.parse('2026-03-01T00:00:00.000Z');
  for (const passed of [0, 1, LINK_LIFETIME_MS / 2, LINK_LIFETIME_MS - 1]) {
    const rest = linkExpiry(new Date(start + passed)) - (start + passed);
    expect(rest).toBeGreaterThan(LINK_LIFETIME_MS);
    expect(rest).toBeLessThanOrEqual(2 * LINK_LIFETIME_MS);
    expect(linkExpiry(new Date(start + passed))).toBe(linkExpiry(new Date(start)));
  }
});
