import { mapOutsideFences } from '../../markdown/fences.ts';
import { decodePath, folderOf, isMarkdown, resolvePath } from '../files.ts';
import { type ContentConfiguration, isInFolder } from './configuration.ts';

// Code to leave unchanged, and links, images, definitions and attributes with the text before their target.
const TARGET_PATTERN =
  /(?<code>(?<!`)(?<ticks>`+)(?!`).{1,1000}?(?<!`)\k<ticks>(?!`))|(?<before>\]\([ \t]?|^ {0,3}\[[^\]\n]{1,999}\]:[ \t]?|\b(?:src|href)=["'])(?:<(?<pointed>[^<>\n]+)>|(?<bare>[^\s()<>"']+(?:\([^\s()]*\)[^\s()<>"']*)*))/g;
const ABSOLUTE_PATTERN = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;

/** Returns URLs of repository files outside the content, which readers cannot reach otherwise. */
export class ExternalFiles {
  readonly #treeURL: string | undefined;
  readonly #configuration: ContentConfiguration;

  /** @param treeURL prefix of the URLs; without it, paths are unchanged */
  constructor(treeURL: string | undefined, configuration: ContentConfiguration) {
    this.#treeURL = treeURL?.replace(/\/+$/, '');
    this.#configuration = configuration;
  }

  /** Returns a text that is equal for paths with the same changes to their texts. */
  variantOf(from: string): string {
    const { project, root } = this.#configuration;
    return this.#treeURL === undefined ? '' : JSON.stringify([this.#treeURL, project, root, from]);
  }

  /** Returns the URL of the target of a path written in a file; undefined for a target inside the content. */
  addressOf(written: string, from: string): string | undefined {
    if (this.#treeURL === undefined || ABSOLUTE_PATTERN.test(written)) {
      return undefined;
    }
    const { project, root } = this.#configuration;
    const path = resolvePath(decodePath(written), folderOf(from), root);
    if (path === undefined || path === '') {
      return undefined;
    }
    if (isInFolder(project, path) && (isInFolder(root, path) || !isMarkdown(path))) {
      return undefined;
    }
    const [suffix = ''] = /[?#].*$/s.exec(written) ?? [];
    return `${this.#treeURL}/${path.split('/').map(encodePart).join('/')}${suffix}`;
  }

  /** Replaces paths in a text that lead outside the content by URLs; code is unchanged. */
  inText(text: string, from: string): string {
    if (this.#treeURL === undefined) {
      return text;
    }
    return mapOutsideFences(text, (line) => this.#inLine(line, from));
  }

  #inLine(line: string, from: string): string {
    return line.replace(TARGET_PATTERN, (...args) => {
      const match = String(args[0]);
      // The groups are the last argument (ECMA-262, GetSubstitution); which of them matched is checked here.
      const groups = args.at(-1) as Record<'code' | 'before' | 'pointed' | 'bare', string | undefined>;
      if (groups.code !== undefined) {
        return match;
      }
      const address = this.addressOf(groups.pointed ?? groups.bare ?? '', from);
      return address === undefined ? match : `${groups.before ?? ''}${address}`;
    });
  }
}

function encodePart(part: string): string {
  return encodeURIComponent(part).replace(/[()']/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}
