import { mapOutsideFences } from '../../markdown/fences.ts';
import { decodePath, folderOf, isMarkdown, resolvePath } from '../files.ts';
import { type ContentConfiguration, liesIn } from './configuration.ts';

// Code as it stands; links, images, definitions and attributes with what leads up to their target.
const targetPattern =
  /(?<code>(?<ticks>`+)(?!`).*?(?<!`)\k<ticks>(?!`))|(?<before>\]\([ \t]?|^ {0,3}\[[^\]\n]{1,999}\]:[ \t]?|\b(?:src|href)=["'])(?:<(?<pointed>[^<>\n]+)>|(?<bare>[^\s()<>"']+(?:\([^\s()]*\)[^\s()<>"']*)*))/g;
const elsewherePattern = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;

/**
 * Gives files of the repository that are no part of the content an address, for readers have no other way to them.
 */
export class ExternalFiles {
  readonly #treeURL: string | undefined;
  readonly #configuration: ContentConfiguration;

  /** @param treeURL what the addresses start with; without it they stay as they are written */
  constructor(treeURL: string | undefined, configuration: ContentConfiguration) {
    this.#treeURL = treeURL?.replace(/\/+$/, '');
    this.#configuration = configuration;
  }

  /** The address of what a path written in a file leads to; undefined for what is part of the content. */
  addressOf(written: string, from: string): string | undefined {
    if (this.#treeURL === undefined || elsewherePattern.test(written)) return undefined;
    const { project, root } = this.#configuration;
    const path = resolvePath(decodePath(written), folderOf(from), root);
    if (path === undefined || path === '') return undefined;
    if (liesIn(project, path) && (liesIn(root, path) || !isMarkdown(path))) return undefined;
    const [suffix = ''] = /[?#].*$/s.exec(written) ?? [];
    return `${this.#treeURL}/${path.split('/').map(encodePart).join('/')}${suffix}`;
  }

  /** A text with addresses in the place of the paths that lead out of the content; code stays as it is. */
  inText(text: string, from: string): string {
    if (this.#treeURL === undefined) return text;
    return mapOutsideFences(text, (line) => this.#inLine(line, from));
  }

  #inLine(line: string, from: string): string {
    return line.replace(targetPattern, (...found) => {
      const whole = String(found[0]);
      // The groups come last (ECMA-262, GetSubstitution); which of them matched is checked here.
      const groups = found.at(-1) as Record<'code' | 'before' | 'pointed' | 'bare', string | undefined>;
      if (groups.code !== undefined) return whole;
      const address = this.addressOf(groups.pointed ?? groups.bare ?? '', from);
      return address === undefined ? whole : `${groups.before ?? ''}${address}`;
    });
  }
}

function encodePart(part: string): string {
  return encodeURIComponent(part).replace(/[()']/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}
