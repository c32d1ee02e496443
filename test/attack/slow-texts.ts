import { operations } from '../../generated/operations.ts';
import { TABLE } from '../service/access/access-table.ts';
import { type Attack, type AttackClass, fill, jsonRequest, OPERATION_IDS, sendAs } from './target.ts';

/** Texts that expressions which try all ways to match compare for a long time. */
const SLOW_TEXTS = ['a', 'a.', 'a-', 'a/', '; a=a', '.', ' ', 'a@', '#', 'https://'].map(
  (unit) => `${unit.repeat(Math.ceil(20_000 / unit.length))}\n!`,
);

/** Maximum response time. A slower response is a breach: the server was blocked. */
const MAX_MS = 5000;

/** Values that are made to slow down the patterns of the contract, in bodies for resources of another organization. */
export const slowTexts: AttackClass = {
  name: 'texts that slow down patterns',
  async attacks(target, rounds) {
    const attacks: Attack[] = [];
    for (const [at, id] of OPERATION_IDS.entries()) {
      const { method, path } = operations[id];
      const row = TABLE[id];
      const body = row?.body && (await row.body(target.own, target.attacker));
      if (typeof body !== 'object' || body === null || !path.includes('{')) {
        continue;
      }
      const address = fill(path, await target.victim.pathValues(path));
      for (let round = 0; round < rounds; round++) {
        const text = SLOW_TEXTS[(at + round) % SLOW_TEXTS.length] ?? '';
        const request = jsonRequest(method, address, withTexts(body, text));
        attacks.push({
          name: `${id} with ${text.slice(0, 12)}…`,
          send: async () => {
            const start = performance.now();
            const response = await sendAs(target, request, target.attacker.token);
            const ms = performance.now() - start;
            const isSlow = ms > MAX_MS && { status: 500, text: `It took ${Math.round(ms)} ms.` };
            return { ...response, mustFail: true, sent: [address, ...address.split('/')], ...isSlow };
          },
        });
      }
    }
    return attacks;
  },
};

/** Replaces all texts of a value. */
function withTexts(value: unknown, text: string): unknown {
  if (typeof value === 'string') {
    return text;
  }
  if (Array.isArray(value)) {
    return value.map((item) => withTexts(item, text));
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withTexts(inner, text)]))
    : value;
}
