import { decodePath, type PathIndex, resolvePath } from '../files.ts';
import { trimInvisible } from '../invisible.ts';
import { problemReporter } from '../problems.ts';
import type { ContentProblem, ImportedDocument, ImportedPage, ImportedRedirect } from '../types.ts';
import { asText, isMap } from '../yaml.ts';
import type { ContentConfiguration } from './configuration.ts';

/** Maximum number of redirects of a space. */
export const MAX_REDIRECTS = 5000;
/** Maximum length of a path in a redirect. */
export const MAX_REDIRECT_CHARACTERS = 2048;

/** A scheme, or the start of a URL without one. */
const URL_START = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;

interface RedirectContext {
  index: PathIndex;
  configuration: ContentConfiguration;
  problems: ContentProblem[];
}

/** Pages by the path of their file, and by their path in the space. */
interface Targets {
  byFile: ReadonlyMap<string, ImportedDocument>;
  byPath: ReadonlyMap<string, ImportedDocument>;
}

/**
 * Reads `redirects` of `.gitbook.yaml`: paths in the space, each with the page that it leads to. Paths of pages are
 * relative to `root`, with or without `.md`; a folder leads to its README. Redirects to other sites are not supported.
 */
export function readRedirects(context: RedirectContext, pages: readonly ImportedPage[]): ImportedRedirect[] {
  const { path, redirects: written } = context.configuration;
  if (path === undefined || written === undefined || written === null) {
    return [];
  }
  const report = problemReporter(context.problems, path);
  if (!isMap(written)) {
    report(
      'invalid_value',
      'redirects was ignored: it is not a map. Write one "old/path: page.md" per line.',
    );
    return [];
  }
  const targets = targetsIn(pages);
  const redirects = new Map<string, ImportedRedirect>();
  const entries = Object.entries(written);
  if (entries.length > MAX_REDIRECTS) {
    report('too_large', `Only the first ${MAX_REDIRECTS} redirects were read. Remove redirects.`);
  }
  for (const [key, value] of entries.slice(0, MAX_REDIRECTS)) {
    const from = pathOf(key);
    const target = trimInvisible(asText(value) ?? '');
    const name = key.slice(0, 200);
    if (from === '' || target === '' || Math.max(key.length, target.length) > MAX_REDIRECT_CHARACTERS) {
      report(
        'invalid_value',
        `redirects: "${name}" was skipped. Write two paths of at most ${MAX_REDIRECT_CHARACTERS} characters.`,
      );
    } else if (URL_START.test(target)) {
      report(
        'unsupported',
        `redirects: "${name}" was skipped: redirects lead to pages of the space, not to URLs.`,
      );
    } else {
      const page = pageOf(context, targets, target);
      if (page) {
        redirects.set(from, { from, page: page.key, ...anchorOf(target) });
      } else {
        report(
          'not_found',
          `redirects: "${name}" was skipped: "${target.slice(0, 200)}" is not a page of the space. Correct the path.`,
        );
      }
    }
  }
  return [...redirects.values()];
}

function targetsIn(pages: readonly ImportedPage[]): Targets {
  const byFile = new Map<string, ImportedDocument>();
  const byPath = new Map<string, ImportedDocument>();
  const add = (page: ImportedPage): void => {
    if (page.type === 'document') {
      byFile.set(page.git.path, page);
      byPath.set(page.path.normalize('NFC'), byPath.get(page.path.normalize('NFC')) ?? page);
    }
    if ('pages' in page) {
      page.pages.forEach(add);
    }
  };
  pages.forEach(add);
  return { byFile, byPath };
}

function pageOf(
  { index, configuration: { root } }: RedirectContext,
  { byFile, byPath }: Targets,
  target: string,
): ImportedDocument | undefined {
  // A name may contain a literal percent or hash sign.
  for (const candidate of new Set([decodePath(target), target])) {
    const path = resolvePath(candidate, root, root);
    const file =
      path === undefined ? undefined : (index.file(path) ?? index.readme(path) ?? index.file(`${path}.md`));
    const page = (file && byFile.get(file.path)) ?? byPath.get(pathOf(candidate));
    if (page) {
      return page;
    }
  }
  return undefined;
}

function anchorOf(target: string): Pick<ImportedRedirect, 'anchor'> {
  const anchor = decodePath(/#(.*)$/s.exec(target)?.[1] ?? '');
  return anchor === '' ? {} : { anchor };
}

/** Returns a written path in the space as in {@link ImportedRedirect}; '' if it has no segments. */
const pathOf = (written: string): string =>
  decodePath(trimInvisible(written))
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/')
    .normalize('NFC');
