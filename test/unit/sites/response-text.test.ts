import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ResponseText } from '../../../server/platform/sites/reading/response-text.ts';
import { createNonce, NONCE } from '../../../server/platform/sites/reading/templates/nonce.ts';

const paragraphs = (count: number) =>
  Array.from({ length: count }, (_, index) => `<p>Paragraph ${index % 7} — “${index}”</p>`).join('\n');

const TEXTS: [name: string, text: string][] = [
  ['nothing', ''],
  ['no nonce', paragraphs(20)],
  ['only a nonce', NONCE.text],
  ['two nonces in a row', `${NONCE.text}${NONCE.text}`],
  ['nonces at both ends', `${NONCE.text}${paragraphs(20)}${NONCE.text}`],
  ['the same text around nonces', `<script nonce="${NONCE.text}"></script>`.repeat(30)],
  ['nonces further apart than a reference reaches', [1, 2, 3].map(() => paragraphs(2500)).join(NONCE.text)],
  [
    'null characters like those that take the place of a nonce',
    `a${'\0'.repeat(40)}${NONCE.text}${'\0'.repeat(40)}b`,
  ],
];

describe('a text of responses', () => {
  test.each(TEXTS)('with %s is the same in each form', async (_name, text) => {
    const response = new ResponseText(text);
    for (const nonce of [createNonce(), createNonce()]) {
      const expected = text.replaceAll(NONCE.text, nonce);
      expect(response.withNonce(nonce).toString()).toBe(expected);
      expect(response.bytes).toBe(Buffer.byteLength(expected));
      // Rejects a wrong checksum or length.
      expect(gunzipSync(await response.gzip(nonce)).toString()).toBe(expected);
    }
  });

  test('has a tag that depends on the text only', () => {
    const tagOf = (text: string) => new ResponseText(text).tag;
    expect(tagOf(`<p>${NONCE.text}</p>`)).toBe(tagOf('<p></p>'));
    expect(tagOf('<p></p>')).not.toBe(tagOf('<p> </p>'));
  });

  test('is about as small as when it is compressed with its nonce', async () => {
    const text = `<script nonce="${NONCE.text}" src="/~assets/site.js"></script>`.repeat(8) + paragraphs(200);
    const nonce = createNonce();
    const compressed = await new ResponseText(text).gzip(nonce);
    const whole = gzipSync(text.replaceAll(NONCE.text, nonce));
    expect(compressed.length).toBeLessThan(whole.length + 8 * 40);
  });
});
