/** Reads the labels of links that import code: `import:2-10, lang-js` (include-codeblock). */
import { type IncludedPart, readPart } from './parts.ts';

/** What a link imports. */
export interface LabeledInclude {
  path: string;
  part?: IncludedPart;
  /** Language of the code. */
  code: string;
  unindented?: true;
}

const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;
const PAGE = /\.(?:md|markdown|html?)(?:[?#]|$)/i;
const LINES = /^(\d{0,9})-(\d{0,9})$/;
const LANGUAGE = /(?:^|,)[ \t]{0,16}lang(?:-|:[ \t]{0,16}["']?)([\w+#.-]{1,64})/;
const UNINDENT = /(?:^|,)[ \t]{0,16}unindent:[ \t]{0,16}["']?true/;

/**
 * Reads the part of a label after its first word, and the target of the link. Other links may have such a label: a URL
 * and a page are only links.
 */
export function readImportLabel(label: string, path: string): LabeledInclude | undefined {
  if (ADDRESS.test(path) || (label === '' && PAGE.test(path))) {
    return undefined;
  }
  const comma = label.indexOf(',');
  const selected = comma < 0 ? label : label.slice(0, comma);
  const options = comma < 0 ? '' : label.slice(comma + 1);
  const part = partOfLabel(selected.slice(1).trim());
  const extension = /\.([a-z\d+-]{1,16})$/i.exec(path)?.[1] ?? '';
  return {
    path,
    ...(part && { part }),
    code: LANGUAGE.exec(options)?.[1] ?? extension.toLowerCase(),
    ...(UNINDENT.test(options) && { unindented: true }),
  };
}

/** Reads `2-10`, `2-`, `-10`, or the name of a snippet. */
function partOfLabel(written: string): IncludedPart | undefined {
  const [isLines, first = '', last = ''] = LINES.exec(written) ?? [];
  if (isLines !== undefined) {
    return readPart(`${first}:${last}`);
  }
  const name = written.replace(/^(["'])(.*)\1$/, '$2');
  return name === '' ? undefined : /^\d+$/.test(name) ? readPart(name) : { snippet: name };
}
