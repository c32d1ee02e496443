import { blankConditions } from '../../expressions/visible-text.ts';
import { proseSample } from '../../language/prose.ts';
import { detached } from '../../tree/detached.ts';
import { reportConditions } from '../problems.ts';
import type { Steps } from '../steps.ts';
import type { ContentProblem } from '../types.ts';
import type { YamlReader } from '../yaml.ts';
import { assetTargets } from './assets.ts';
import { type PageSettings, readPageSettings, splitFrontMatter } from './front-matter.ts';
import { findTitleHeading, type TitleHeading } from './heading.ts';
import { type FileInclude, fileIncludesIn } from './includes.ts';

/** What a page's text contains, regardless of its path and of other files. Plain data. */
export interface PageText {
  settings: PageSettings;
  /** Position of the body, after the front matter. */
  start: number;
  /** The first heading of level 1, with its position in the body. */
  heading?: TitleHeading;
  /** Possible paths of files that the body refers to, each once. */
  targets: string[];
  /** The files that the body includes. */
  includes: FileInclude[];
  /** Sample of the prose, if it was requested. */
  sample?: string;
  problems: Omit<ContentProblem, 'path'>[];
}

/** The texts of pages as read by earlier imports, by object ID. */
export interface PageReadings {
  get(oid: string): PageText | undefined;
  add(oid: string, text: PageText): void;
  /** Returns the hash of the Markdown of a page, if an import read it in this variant. */
  hashOf(oid: string, variant: string): string | undefined;
}

/**
 * Reads the text of a page.
 *
 * @param yaml reads its front matter
 * @param isDecoded whether the file is UTF-8, so that the text is complete
 * @param isSampled whether a sample of the prose is needed
 */
export function* readPageText(
  text: string,
  { yaml, isDecoded, isSampled }: { yaml: YamlReader; isDecoded: boolean; isSampled: boolean },
): Steps<PageText> {
  const problems: PageText['problems'] = [];
  const report = (reason: ContentProblem['reason'], message: string, line?: number) => {
    problems.push({ ...(line !== undefined && { line }), reason, message });
  };
  if (!isDecoded) {
    report(
      'unsupported',
      'The file is not UTF-8: characters that could not be read were replaced with "\uFFFD". Convert it to UTF-8.',
      text.slice(0, text.indexOf('\uFFFD')).split('\n').length,
    );
  }
  const { values, body } = splitFrontMatter(text, yaml, report);
  const settings = readPageSettings(values, report);
  reportConditions(body, text.slice(0, text.length - body.length).split('\n').length - 1, report);
  const heading = findTitleHeading(body);
  const title = heading === undefined ? '' : body.slice(heading.start, heading.end);
  if (heading && blankConditions(title) !== title) {
    report(
      'unsupported',
      'Titles are the same for all visitors: what depends on a condition is not part of the title.',
      text.slice(0, text.length - body.length + heading.start).split('\n').length,
    );
  }
  const targets = yield* assetTargets(body);
  return detached({
    settings,
    start: text.length - body.length,
    ...(heading && { heading }),
    targets: [...targets],
    includes: fileIncludesIn(body, text.slice(0, text.length - body.length).split('\n').length - 1),
    ...(isSampled && { sample: proseSample(body) }),
    problems,
  });
}
