/**
 * The value of Content-Disposition (RFC 6266): the name as it is for every browser of today, and a plain one for
 * those that do not read it.
 */
export function disposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const isPlain = plain === name;
  // RFC 8187, section 3.2.1: what may stand in such a value as it is.
  const full = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"${isPlain ? '' : `; filename*=UTF-8''${full}`}`;
}
