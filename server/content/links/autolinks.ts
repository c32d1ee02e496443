// GFM, autolinks (extension). The character before a URL must not be part of a word.
const URL_AUTOLINK = /(?<=^|[\s*_~(])(https?:\/\/|www\.)[^\s<[\]]{1,2048}/gim;
const EMAIL_AUTOLINK = /(?<![\w.+-])[\w.+-]{1,64}@[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){1,8}/gi;

/** Adds the URLs and email addresses in a text without markup. */
export function addAutolinks(text: string, add: (address: string) => void): void {
  if (/:\/\/|www\./i.test(text)) {
    for (const [match, start = ''] of text.matchAll(URL_AUTOLINK)) {
      const address = withoutPunctuation(match);
      if (address.length <= start.length || !/^[^/?#]*[a-z0-9]/i.test(address.slice(start.length))) {
        continue;
      }
      add(/^www\./i.test(start) ? `http://${address}` : address);
    }
  }
  if (!text.includes('@')) {
    return;
  }
  for (const [address] of text.matchAll(EMAIL_AUTOLINK)) {
    if (!/[-_]$/.test(address)) {
      add(`mailto:${address}`);
    }
  }
}

const PUNCTUATION = new Set('?!.,:*_~\'"');

/** Removes the punctuation of the sentence that a URL ends. */
function withoutPunctuation(address: string): string {
  let end = address.length;
  // Parentheses that are closed but not opened before `end`.
  let surplus = count(address, ')') - count(address, '(');
  for (;;) {
    const last = address[end - 1] ?? '';
    if (PUNCTUATION.has(last)) {
      end -= 1;
    } else if (last === ')' && surplus > 0) {
      end -= 1;
      surplus -= 1;
    } else {
      const entity =
        last === ';' ? /&[a-z0-9]{2,32};$/i.exec(address.slice(Math.max(0, end - 34), end)) : null;
      if (!entity) {
        return address.slice(0, end);
      }
      end -= entity[0].length;
    }
  }
}

const count = (text: string, character: string): number => text.split(character).length - 1;
